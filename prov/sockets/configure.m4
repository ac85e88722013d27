dnl The sockets provider has its switch; it is not part of this release.
AC_ARG_ENABLE([sockets],
	[AS_HELP_STRING([--enable-sockets@<:@=yes|no|auto|dl@:>@],
		[the sockets provider (not part of this release)])],
	[], [enable_sockets=auto])
AS_CASE([$enable_sockets],
	[no|auto], [],
	[yes|dl], [AC_MSG_ERROR([the sockets provider is not part of this release; configure without --enable-sockets])],
	[AC_MSG_ERROR([--enable-sockets=$enable_sockets: say no or auto])])
sockets_result="no (not part of this release)"
