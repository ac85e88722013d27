dnl The sockets provider has its switch; it is not part of this release.
OFI_PROVIDER([sockets], [the sockets provider, not part of this release], [auto], [
	AS_IF([test "x$enable_sockets" != xauto],
		[AC_MSG_ERROR([the sockets provider is not part of this release; configure without --enable-sockets])])
	ofi_missing="not part of this release"
])
sockets_result="no (not part of this release)"
