# Sourced by the test scripts: where things are, and how a test says that it cannot run here.
# A pipe into grep reads to the end (no -q), or the first program dies of a closed pipe and pipefail calls that a failure.
set -euo pipefail
: "${srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}"
: "${builddir:=$srcdir/build}"
export LD_LIBRARY_PATH="$builddir/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Providers of this build only: none that were installed before.
export FI_PROVIDER_PATH="$builddir/${LOADABLE:+loadable}"
export PATH="$builddir/tools:$builddir:$builddir/fabtests:$PATH"

skip() {
	echo "skipped: $(basename "$0"): $*"
	exit 77
}

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

need() {
	local c
	for c in "$@"; do command -v "$c" >/dev/null || skip "$c is not installed"; done
}

need_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

has_provider() {
	case " ${PROVIDERS:-} " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}
