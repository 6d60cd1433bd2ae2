#!/usr/bin/env bash
# The compiled core under AddressSanitizer and UndefinedBehaviorSanitizer: random input, then the tests of both cores, or those that are named;
# and tiles in threads under ThreadSanitizer.
# tests/native/sanitize.sh [inputs [pytest arguments]]; PYTHON is the interpreter, CC the compiler. Stops at the first error.
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=${PYTHON:-python3} cc=${CC:-gcc} inputs=${1:-10000000}
shift $(($# > 0 ? 1 : 0))
flags=(-std=c11 -g -O1 -ffp-contract=off -fno-math-errno -Wall -Wextra -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)

sources=(); for file in massprops/native/*.c; do [ "${file##*/}" = module.c ] || sources+=("$file"); done
"$cc" "${flags[@]}" tests/native/fuzz.c "${sources[@]}" -lm -o "$work/fuzz"
half=$((inputs / 2)) # one half for each processor of a small machine
"$work/fuzz" "$half" 1 & "$work/fuzz" "$half" 2 && wait $!

# Without clones for processors: they are chosen before this sanitizer begins.
"$cc" -std=gnu11 -g -O1 -ffp-contract=off -U__gnu_linux__ -fsanitize=thread tests/native/threads.c "${sources[@]}" -lm -lpthread -o "$work/threads"
"$work/threads" 4 300

# A copy of the checkout, with the core in it: the programs that tests start import it too.
git ls-files -z | xargs -0 cp --parents -t "$work"
export MASSPROPS_CORPUS=${MASSPROPS_CORPUS:-$(dirname "$PWD")/shared/corpus}
cd "$work"
include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
"$cc" "${flags[@]}" -fPIC -shared -I"$include" massprops/native/*.c -o massprops/_native.abi3.so
export PYTHONPATH=$work PYTHONSAFEPATH=1 MASSPROPS_CORE=native ASAN_OPTIONS=detect_leaks=0 # the interpreter itself leaks at its end
tests=("$@"); [ ${#tests[@]} -gt 0 ] || tests=(tests/native)
without="not exhausted and not 150_mib and not man_pages_are_formatted" # limits of memory leave none for the sanitizers, and groff fails under them
libraries="$("$cc" -print-file-name=libasan.so) $("$cc" -print-file-name=libubsan.so) $("$cc" -print-file-name=libstdc++.so)"
LD_PRELOAD=$libraries "$python" -m pytest -q -p no:cacheprovider -p no:xdist -k "$without" "${tests[@]}"
