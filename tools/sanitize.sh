#!/bin/sh
# usage: tools/sanitize.sh PYTHON [PYTEST-ARGUMENT...]
# Builds the extension with AddressSanitizer and UBSan beside the normal one, and runs the kernel tests on it.
set -eu

python=$1
shift
cxx=${CXX:-g++}
if ! command -v "$cxx" >/dev/null; then
    echo "mtassay: NOTICE: $cxx not found, the sanitizer run is skipped"
    exit 0
fi
libasan=$("$cxx" -print-file-name=libasan.so)
if [ ! -e "$libasan" ]; then
    echo "mtassay: NOTICE: $cxx has no AddressSanitizer library, the sanitizer run is skipped"
    exit 0
fi

site=$PWD/build/sanitize/site
rm -rf "$site"
CXX=$cxx MTASSAY_REQUIRE_NATIVE=1 tools/build_wheel.sh "$python" build/sanitize \
    --config-settings=cmake.build-type=Debug --config-settings=cmake.define.MTASSAY_SANITIZE=ON
"$python" -m pip install --quiet --no-deps --target "$site" build/sanitize/mtassay-*.whl

# libstdc++ is preloaded too: AddressSanitizer looks for its throw function before Python has loaded any C++.
# Python never frees everything, so leaks are not looked for; PYTHONMALLOC shows each Python object to the sanitizer,
# and the quarantine of freed memory is kept small because there are many of them.
env PYTHONPATH="$site" MTASSAY_KERNELS=native PYTHONMALLOC=malloc \
    LD_PRELOAD="$libasan $("$cxx" -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=64 UBSAN_OPTIONS=print_stacktrace=1 \
    "$python" -P -m pytest -p no:cacheprovider --hypothesis-profile=sanitize -n auto --dist loadfile --durations=5 "$@"
