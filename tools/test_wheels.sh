#!/usr/bin/env bash
# usage: tools/test_wheels.sh PYTHON [FOLDER]
# Installs the wheels of FOLDER (default: dist/wheels) in clean environments, runs the tests of the compiled kernels
# against their twins in Python, and says which wheels could not be run here. PYTHON is 3.12 or newer, on x86-64 Linux.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$1 folder=${2:-dist/wheels} place=build/wheels
# What the tests that compare kernels need, besides the wheel's own requirements.
needed=(pytest hypothesis)
tests=(tests/equivalence)
export MTASSAY_KERNELS=native MTASSAY_CONFIG=none OPENBLAS_NUM_THREADS=1
unset PYTHONPATH

say() { echo "mtassay: $*"; }

wheel() { ls "$folder"/mtassay-*-cp312-abi3-*"$1"*.whl 2>/dev/null; }

x86_64() {
    local clean=$place/clean
    rm -rf "$clean"
    PYTHON=$python tools/make_venv.sh "$clean"
    "$clean/bin/python" -m pip install --quiet "$1" "${needed[@]}"
    "$clean/bin/mtassay" --version
    "$clean/bin/mtassay" demo >/dev/null
    MANPATH=$clean/share/man man -w mtassay-score 2>/dev/null || ls "$clean/share/man/man1/mtassay-score.1"
    "$clean/bin/python" -m pytest -q -p no:cacheprovider --hypothesis-profile=ci "${tests[@]}"
}

# arm64_root: Debian's Python for arm64 with the libraries it needs, unpacked into a folder; nothing is installed.
arm64_root() {
    local apt archive root=$PWD/$place/arm64
    [ -x "$root/usr/bin/python3.13" ] && return
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/archives/partial"
    touch "$root/apt/status"
    # The archive that this machine's packages come from.
    # shellcheck disable=SC2016 # apt-get fills in $(SITE)
    archive=$(apt-get indextargets --format '$(SITE)' | grep -v security | head -n 1)
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive trixie main" >"$root/apt/sources.list"
    apt=(-q -o "Dir::State=$root/apt" -o "Dir::State::status=$root/apt/status" -o "Dir::Cache=$root/apt"
        -o "Dir::Etc::sourcelist=$root/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Debug::NoLocking=1)
    apt-get "${apt[@]}" update
    apt-get "${apt[@]}" install -y --no-install-recommends --download-only python3.13 libstdc++6
    for package in "$root"/apt/archives/*.deb; do dpkg -x "$package" "$root"; done
    ln -sfn usr/lib "$root/lib"
}

aarch64() {
    local site=$PWD/$place/arm64-site
    rm -rf "$site"
    "$python" -m pip install --quiet --target "$site" --only-binary=:all: --python-version 3.13 \
        --platform manylinux_2_28_aarch64 --platform manylinux_2_17_aarch64 --platform manylinux2014_aarch64 \
        "$1" "${needed[@]}"
    arm64() { PYTHONPATH=$site qemu-aarch64-static -L "$PWD/$place/arm64" "$PWD/$place/arm64/usr/bin/python3.13" "$@"; }
    arm64 -c 'import platform; print(platform.machine(), platform.python_version())'
    arm64 -m mtassay --version
    # Emulated code is slow: fewer random inputs than elsewhere, not every code point, and only tests that start no
    # other program.
    arm64 -m pytest -q -p no:cacheprovider --hypothesis-profile=sanitize -k "not every_code_point" tests/equivalence
    # Scores of both machines are the same to the last digit. Of resampled scores NumPy takes means and deviations by
    # other instructions on each, so their last digit may differ, but not what is printed.
    local sample
    sample=$(arm64 -c 'from mtassay.sample import sample_path; print(sample_path())')
    arm64 -m mtassay score "$sample" -m bleu chrf ter nist ribes eed character -f json >"$place/score.arm64"
    "$place/clean/bin/mtassay" score "$sample" -m bleu chrf ter nist ribes eed character -f json >"$place/score.x86_64"
    arm64 -m mtassay compare "$sample" -m bleu --resamples 1000 >"$place/compare.arm64"
    "$place/clean/bin/mtassay" compare "$sample" -m bleu --resamples 1000 >"$place/compare.x86_64"
    for verb in score compare; do
        cmp "$place/$verb.arm64" "$place/$verb.x86_64"
        say "the same numbers on both: $verb"
    done
}

run=() not_run=()
if found=$(wheel manylinux_2_17_x86_64); then
    x86_64 "$found"
    run+=("$(basename "$found") in a clean environment")
fi
if found=$(wheel manylinux_2_17_aarch64); then
    if command -v qemu-aarch64-static >/dev/null && command -v apt-get >/dev/null && arm64_root >"$place/arm64.log" 2>&1; then
        aarch64 "$found"
        run+=("$(basename "$found") under qemu-user")
    else
        not_run+=("$(basename "$found"): needs qemu-user-static and Debian's archive")
    fi
fi
for found in $(wheel macosx || true); do
    not_run+=("$(basename "$found"): needs macOS")
done
for line in "${run[@]}"; do say "tested: $line"; done
for line in "${not_run[@]}"; do say "NOT run: $line"; done
