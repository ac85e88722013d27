#!/bin/sh
# Makes ./configure from a checkout. Needs autoconf and automake.
set -e
cd "$(dirname "$0")"
mkdir -p config
exec autoreconf --install --force --warnings=all,no-portability
