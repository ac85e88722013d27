dnl The dpdk provider needs libdpdk, and libclang to read its headers.
OFI_PROVIDER([dpdk], [the dpdk provider; dl makes it a library of its own], [auto], [
	AC_MSG_CHECKING([for libdpdk 22.11 or newer])
	AS_IF([$PKG_CONFIG --exists 'libdpdk >= 22.11'],
		[dpdk_version=`$PKG_CONFIG --modversion libdpdk`
		 AC_MSG_RESULT([$dpdk_version])],
		[AC_MSG_RESULT([no])
		 OFI_MISSING([libdpdk 22.11 or newer], [libdpdk-dev], [dpdk-devel])])

	dnl Where bindgen looks too; it loads the library while the crate is built.
	AC_MSG_CHECKING([for libclang])
	libclang=
	for dir in "$LIBCLANG_PATH" `${LLVM_CONFIG_PATH:-llvm-config} --libdir 2>/dev/null` \
		/usr/lib/llvm-*/lib /usr/lib64/llvm*/lib /usr/lib64/llvm*/lib64 /usr/lib/*-linux-gnu* /usr/lib64 /usr/lib \
		/usr/local/lib /usr/local/lib64 `ldconfig -p 2>/dev/null | sed -n 's|.*=> \(/.*\)/libclang[[-.]].*|\1|p' | sort -u`; do
		for file in "$dir"/libclang.so "$dir"/libclang.so.* "$dir"/libclang-*.so*; do
			AS_IF([test -z "$libclang" && test -e "$file"], [libclang=$file])
		done
	done
	AS_IF([test -n "$libclang"], [AC_MSG_RESULT([$libclang])],
		[AC_MSG_RESULT([no])
		 OFI_MISSING([libclang], [libclang-dev], [clang-devel])])
])
dnl All of DPDK's libraries are named to the linker; those that nothing calls are left out by --as-needed.
AS_IF([test "x$dpdk_form" != xno], [
	DPDK_LIBS=`$PKG_CONFIG --libs libdpdk`
	AS_IF([test "x$dpdk_form" = xbuilt-in], [PROVIDER_LIBS="$PROVIDER_LIBS $DPDK_LIBS"])
])
AC_SUBST([DPDK_LIBS])
AM_CONDITIONAL([DPDK], [test "x$dpdk_form" != xno])
AM_CONDITIONAL([DPDK_DL], [test "x$dpdk_form" = xloadable])
