dnl What the switches of all providers have in common.

dnl OFI_PROVIDER(NAME, DESCRIPTION, DEFAULT, CHECKS)
dnl Adds --enable-NAME=yes|no|auto|dl. CHECKS calls OFI_MISSING for each thing that is not there: this stops configure, or
dnl leaves the provider out under auto. Sets NAME_form (built-in, loadable or no) and NAME_result (text for the summary).
AC_DEFUN([OFI_PROVIDER], [
	AC_ARG_ENABLE([$1],
		[AS_HELP_STRING([--enable-$1@<:@=yes|no|auto|dl@:>@], [$2 (default: $3)])],
		[], [enable_$1=$3])
	AS_CASE([$enable_$1], [yes|no|auto|dl], [],
		[AC_MSG_ERROR([--enable-$1=$enable_$1: say yes, no, auto or dl])])
	$1_form=no
	$1_result="no (--disable-$1)"
	AS_IF([test "x$enable_$1" != xno], [
		ofi_missing=
		$4
		AS_IF([test -n "$ofi_missing" && test "x$enable_$1" = xauto],
			[$1_result="no (missing: $ofi_missing)"],
		[test -n "$ofi_missing"], [AC_MSG_ERROR([
  The $1 provider needs $ofi_missing.
  Install it, or configure with --disable-$1.])],
		[test "x$enable_$1" = xdl], [
			$1_form=loadable
			$1_result="yes, as lib$1-fi.so"
			PROVIDERS_LOADABLE="$PROVIDERS_LOADABLE $1"
		], [
			$1_form=built-in
			$1_result="yes"
			PROVIDERS_BUILT="$PROVIDERS_BUILT $1"
		])
	])
])

dnl OFI_MISSING(WHAT, DEBIAN_PACKAGE, FEDORA_PACKAGE)
AC_DEFUN([OFI_MISSING], [ofi_missing="${ofi_missing:+$ofi_missing, }$1 (Debian, Ubuntu: $2; Fedora: $3)"])
