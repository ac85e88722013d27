#!/bin/bash
# Unit, property and simulation tests of the crates that were configured.
. "$(dirname "$0")/lib.sh"
export CARGO_TARGET_DIR=$builddir/target FI_LIB_DIR=$builddir/lib
packages=(abi ofi-core kit wire delivery semantics sim utils)
has_provider udp && packages+=(prov-udp)
has_provider dpdk && packages+=(dpdk-sys dpdk prov-dpdk)
args=()
for p in "${packages[@]}"; do args+=(-p "$p"); done
cd "$srcdir"
# shellcheck disable=SC2086
"${CARGO:-cargo}" test ${CARGO_FLAGS:---locked} --no-fail-fast "${args[@]}"
