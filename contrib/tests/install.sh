#!/bin/bash
# make install into a DESTDIR: what users compile against and run is there and works, and uninstall leaves no file.
. "$(dirname "$0")/lib.sh"
need pkg-config
dest=$(mktemp -d)
trap 'rm -rf "$dest"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL LD_LIBRARY_PATH
make -s -C "$builddir" install DESTDIR="$dest" >/dev/null
prefix=$(sed -n 's/^prefix = //p' "$builddir/Makefile")
root=$dest$prefix
for f in include/rdma/fabric.h include/rdma/providers/fi_prov.h lib/libfabric.so lib/libfabric.so.1 \
	lib/pkgconfig/libfabric.pc bin/fi_info bin/fi_pingpong bin/fi_strerror \
	share/bash-completion/completions/fi_{info,pingpong,strerror}; do
	[ -e "$root/$f" ] || fail "$f is not installed"
done
cat >"$dest/program.c" <<'P'
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <stdio.h>
int main(void)
{
	struct fi_info *info = NULL, *hints = fi_allocinfo();
	int ret = fi_getinfo(FI_VERSION(FI_MAJOR_VERSION, FI_MINOR_VERSION), NULL, NULL, 0, hints, &info);
	printf("%s\n", ret ? fi_strerror(ret) : info->fabric_attr->prov_name);
	fi_freeinfo(info);
	fi_freeinfo(hints);
	return ret != 0;
}
P
export PKG_CONFIG_PATH=$root/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$dest
# shellcheck disable=SC2046
${CC:-cc} -o "$dest/program" "$dest/program.c" $(pkg-config --cflags --libs libfabric)
LD_LIBRARY_PATH=$root/lib "$dest/program" || fail "a program built with pkg-config does not run"
LD_LIBRARY_PATH=$root/lib "$root/bin/fi_info" -V | grep libfabric >/dev/null || fail "fi_info -V"
if readelf -d "$root"/bin/fi_info | grep -E 'RPATH|RUNPATH' >/dev/null; then fail "installed tools carry an rpath"; fi
make -s -C "$builddir" uninstall DESTDIR="$dest" >/dev/null
left=$(cd "$dest" && find . -type f -o -type l | { grep -v '^./program' || true; })
[ -z "$left" ] || fail "left after uninstall: $left"
