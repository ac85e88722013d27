#!/bin/bash
# Every public header compiles alone, without a warning, as C and C++ of old and new standards.
. "$(dirname "$0")/lib.sh"
cd "$srcdir/include"
for h in $(find rdma -name '*.h' | sort); do
	for std in c99 c11; do
		echo "#include <$h>" | ${CC:-cc} -x c -std=$std -Wall -Wextra -pedantic -Werror -I. -fsyntax-only - ||
			fail "$h as $std"
	done
	command -v c++ >/dev/null || continue
	for std in c++11 c++20; do
		echo "#include <$h>" | c++ -x c++ -std=$std -Wall -Wextra -pedantic -Werror -I. -fsyntax-only - ||
			fail "$h as $std"
	done
done
