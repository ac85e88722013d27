dnl The udp provider needs nothing but the kernel.
OFI_PROVIDER([udp], [the udp provider; dl makes it a library of its own], [yes], [])
AM_CONDITIONAL([UDP_DL], [test "x$udp_form" = xloadable])
