dnl The dpdk provider needs libdpdk, and libclang to read its headers.
AC_ARG_ENABLE([dpdk],
	[AS_HELP_STRING([--enable-dpdk@<:@=yes|no|auto|dl@:>@],
		[the dpdk provider; dl makes it a library of its own (default: auto)])],
	[], [enable_dpdk=auto])
AS_CASE([$enable_dpdk], [yes|no|auto|dl], [],
	[AC_MSG_ERROR([--enable-dpdk=$enable_dpdk: say yes, no, auto or dl])])
dpdk_result="no (--disable-dpdk)"
AS_IF([test "x$enable_dpdk" != xno], [
	dpdk_missing=
	AC_MSG_CHECKING([for libdpdk 22.11 or newer])
	AS_IF([$PKG_CONFIG --exists 'libdpdk >= 22.11'],
		[dpdk_version=`$PKG_CONFIG --modversion libdpdk`
		 AC_MSG_RESULT([$dpdk_version])],
		[AC_MSG_RESULT([no])
		 dpdk_missing="libdpdk 22.11 or newer (Debian, Ubuntu: libdpdk-dev; Fedora: dpdk-devel)"])
	AC_MSG_CHECKING([for libclang])
	dnl bindgen looks in these places too.
	libclang=
	for dir in "$LIBCLANG_PATH" `llvm-config --libdir 2>/dev/null` /usr/lib/llvm-*/lib /usr/lib64 /usr/lib /usr/lib/*-linux-gnu* /usr/local/lib /usr/lib64/llvm*/lib64; do
		for file in "$dir"/libclang.so "$dir"/libclang.so.* "$dir"/libclang-*.so*; do
			AS_IF([test -z "$libclang" && test -e "$file"], [libclang=$file])
		done
	done
	AS_IF([test -n "$libclang"], [AC_MSG_RESULT([$libclang])],
		[AC_MSG_RESULT([no])
		 dpdk_missing="${dpdk_missing:+$dpdk_missing, }libclang (Debian, Ubuntu: libclang-dev; Fedora: clang-devel)"])
	AS_IF([test -n "$dpdk_missing"], [
		AS_IF([test "x$enable_dpdk" = xauto],
			[dpdk_result="no (missing: $dpdk_missing)"],
			[AC_MSG_ERROR([
  the dpdk provider needs $dpdk_missing.
  Install it, or configure with --disable-dpdk.])])
	], [test "x$enable_dpdk" = xdl], [
		dpdk_result="libdpdk-fi.so"
		PROVIDERS_LOADABLE="$PROVIDERS_LOADABLE dpdk"
	], [
		dpdk_result="yes"
		PROVIDERS_BUILT="$PROVIDERS_BUILT dpdk"
		CARGO_FEATURES="$CARGO_FEATURES dpdk"
	])
])
AM_CONDITIONAL([DPDK_DL], [test "x$dpdk_result" = xlibdpdk-fi.so])
AM_CONDITIONAL([DPDK], [test "x$dpdk_result" = xyes])
AS_CASE([$dpdk_result], [yes|libdpdk-fi.so], [
	DPDK_LIBS=`$PKG_CONFIG --libs-only-L libdpdk`
	for lib in rte_ethdev rte_mbuf rte_mempool rte_eal; do DPDK_LIBS="$DPDK_LIBS -l$lib"; done
	AS_IF([$PKG_CONFIG --libs libdpdk | grep -q -e '-lrte_log'], [DPDK_LIBS="$DPDK_LIBS -lrte_log"])
	AC_SUBST([DPDK_LIBS])
])
AS_IF([test "x$dpdk_result" = xyes], [PROVIDER_LIBS="$PROVIDER_LIBS $DPDK_LIBS"])
