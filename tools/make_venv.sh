#!/bin/sh
# usage: tools/make_venv.sh DIRECTORY
# Makes a virtual environment with pip from the newest Python that can, or from $PYTHON. Debian and Ubuntu ship Python
# without ensurepip, so there are several ways to get there; each is tried only when the one before it failed.
set -u

directory=$1
log=$(mktemp)
trap 'rm -f "$log"' EXIT

say() { echo "mtassay: $*" >&2; }

suitable() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

works() { "$directory/bin/python" -m pip --version >>"$log" 2>&1; }

plain_venv() { "$1" -m venv --clear "$directory" >>"$log" 2>&1 && works; }

with_virtualenv() { "$1" -m virtualenv --clear "$directory" >>"$log" 2>&1 && works; }

with_outer_pip() {
    "$1" -m venv --clear --without-pip "$directory" >>"$log" 2>&1 &&
        "$1" -m pip --python "$directory/bin/python" install --quiet pip >>"$log" 2>&1 && works
}

with_user_virtualenv() {
    "$1" -m pip install --quiet --user virtualenv >>"$log" 2>&1 && with_virtualenv "$1"
}

with_apt() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    package=$("$1" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
    say "this Python has no ensurepip; installing $package with apt-get"
    for wanted in "$package" python3-venv; do
        DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$wanted" >>"$log" 2>&1 ||
            { apt-get update -q >>"$log" 2>&1 &&
                DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$wanted" >>"$log" 2>&1; }
        plain_venv "$1" && return 0
    done
    return 1
}

found=
for candidate in ${PYTHON:-python3.14 python3.13 python3.12 python3.11 python3 python}; do
    suitable "$candidate" && found="$found $candidate"
done
if [ -z "$found" ]; then
    say "Python 3.11 or newer is needed${PYTHON:+, and PYTHON=$PYTHON is not}; install one, or name it: make PYTHON=/path/to/python3"
    exit 1
fi

for way in plain_venv with_virtualenv with_outer_pip with_apt with_user_virtualenv; do
    for candidate in $found; do
        if $way "$candidate"; then
            say "made $directory with $("$directory/bin/python" --version)"
            exit 0
        fi
    done
done
rm -rf "$directory"
say "cannot make a virtual environment with$found; run 'apt-get install python3-venv' as root, then make again"
exit 1
