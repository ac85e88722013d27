dnl The udp provider needs nothing but the kernel.
AC_ARG_ENABLE([udp],
	[AS_HELP_STRING([--enable-udp@<:@=yes|no|auto|dl@:>@],
		[the udp provider; dl makes it a library of its own (default: yes)])],
	[], [enable_udp=yes])
AS_CASE([$enable_udp],
	[no], [udp_result="no (--disable-udp)"],
	[yes|auto], [udp_result=yes
		PROVIDERS_BUILT="$PROVIDERS_BUILT udp"
		CARGO_FEATURES="$CARGO_FEATURES udp"],
	[dl], [udp_result=libudp-fi.so
		PROVIDERS_LOADABLE="$PROVIDERS_LOADABLE udp"],
	[AC_MSG_ERROR([--enable-udp=$enable_udp: say yes, no, auto or dl])])
AM_CONDITIONAL([UDP_DL], [test "x$udp_result" = xlibudp-fi.so])
