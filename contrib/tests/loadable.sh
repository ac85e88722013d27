#!/bin/bash
# Providers as libraries of their own: they ask a core only for what its first release had, give it one entry, and load into
# this library and into the distribution's.
. "$(dirname "$0")/lib.sh"
need readelf
# A plugin binds to the oldest form of a versioned function, so only those whose first form is still right may be called.
allowed='fi_version fi_log fi_log_enabled fi_param_define fi_param_get fi_strerror fi_tostr'
stock=/usr/bin/fi_info

for p in ${PROVIDERS:-}; do
	lib=loadable/lib$p-fi.so
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u LD_LIBRARY_PATH make -s -C "$builddir" "$lib"

	exported=$(readelf --dyn-syms -W "$builddir/$lib" | awk '$5 == "GLOBAL" && $7 != "UND" { print $8 }')
	[ "$exported" = fi_prov_ini ] || fail "$lib exports: $exported"
	for s in $(readelf --dyn-syms -W "$builddir/$lib" | awk '$7 == "UND" && $8 ~ /^fi_/ { print $8 }'); do
		case " $allowed " in *" $s "*) ;; *) fail "$lib calls $s" ;; esac
	done
	if readelf -d "$builddir/$lib" | grep 'NEEDED.*libfabric' >/dev/null; then fail "$lib is linked to a libfabric"; fi

	# Registered twice where it is built in too, else once.
	FI_PROVIDER_PATH=$builddir/loadable FI_LOG_LEVEL=warn fi_info -l | grep -x "$p:" >/dev/null || fail "ours does not load $lib"
	[ -x $stock ] || continue
	FI_PROVIDER_PATH=$builddir/loadable FI_LOG_LEVEL=debug env -u LD_LIBRARY_PATH $stock -l >"$p.out" 2>"$p.log" || true
	grep -qx "$p:" "$p.out" || { cat "$p.log"; fail "the distribution's libfabric does not load $lib"; }
	rm -f "$p.out" "$p.log"
done
