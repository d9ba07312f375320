#!/bin/sh
# usage: tools/build_wheel.sh PYTHON DIRECTORY [PIP-OPTION...]
# Builds the wheel into DIRECTORY, which then holds this one wheel of mtassay and no older one.
set -eu

python=$1 directory=$2
shift 2
mkdir -p "$directory"
rm -f "$directory"/mtassay-*.whl
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$directory" "$@" .
for wheel in "$directory"/mtassay-*.whl; do
    echo "mtassay: built $wheel"
    case $wheel in
    *-py3-none-any.whl)
        # pip hides what the build backend prints, so the notice is repeated here.
        echo "mtassay: NOTICE: the C++ kernels could not be compiled; results are the same, only slower."
        echo "mtassay: NOTICE: for the fast ones, install a C++17 compiler and the Python headers" \
            "(Debian, Ubuntu: apt-get install g++ python3-dev), then run 'make clean' and make again."
        ;;
    esac
done
