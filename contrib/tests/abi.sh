#!/bin/bash
# Headers and exported symbols against the ABI as data. The data is not part of this tree: FI_ABI_CHECK_DIR names it, or it
# lies beside the tree.
. "$(dirname "$0")/lib.sh"
dir=${FI_ABI_CHECK_DIR:-$srcdir/../shared/abi}
[ -f "$dir/check_abi.py" ] || skip "no ABI data (FI_ABI_CHECK_DIR)"
need python3 readelf
python3 "$dir/check_abi.py" --include "$srcdir/include" --abi "$dir/abi.json"
python3 "$dir/check_abi.py" --include "$srcdir/include" --abi "$dir/abi.json" --self-contained
python3 "$dir/check_abi.py" --symbols "$dir/symbols.json" --lib "$builddir/lib/libfabric.so.1"
for p in /usr/bin/fi_info /usr/bin/fi_pingpong /usr/bin/fi_strerror; do
	[ ! -x "$p" ] || python3 "$dir/check_abi.py" --lib "$builddir/lib/libfabric.so.1" --importer "$p"
done
