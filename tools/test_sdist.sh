#!/bin/sh
# usage: tools/test_sdist.sh PYTHON [PYTEST-ARGUMENT...]
# Builds the source distribution into dist/, unpacks it, and runs its tests from the unpacked archive, in an environment
# that is made there. PYTHON has pip.
set -eu
cd "$(dirname "$0")/.."

python=$1
shift
place=$PWD/build/sdist
rm -rf "$place" dist/mtassay-*.tar.gz
mkdir -p "$place"
"$python" -m pip install --quiet --target "$place/tools" build
PYTHONPATH=$place/tools "$python" -m build --sdist --outdir dist . >"$place/log" 2>&1 || { cat "$place/log"; exit 1; }
tar -xzf dist/mtassay-*.tar.gz -C "$place"
echo "mtassay: built $(ls dist/mtassay-*.tar.gz); testing it in $place"
make -C "$place"/mtassay-* test ARGS="$*"
