"""Builds wheels for other systems on this one, checks them, and says what could not be checked.

    python tools/wheels.py [--only TARGET...] [--folder dist/wheels]

It is run by a Python from 3.12 on, whose headers serve every target: the stable ABI is the same on all of them, and so
are the sizes of C's types (LP64). Zig, from PyPI, is the compiler: it has the C library of every target.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "wheels"
#: Pinned, so that the same sources give the same wheels.
TOOLS = ("abi3audit==0.0.26", "auditwheel==6.8.2", "cmake>=3.26", "ninja", "wheel", "ziglang==0.17.0")


class Target(NamedTuple):
    """A system to build for: what Zig, CMake and the wheel call it, and on Linux its first version of the C library."""

    zig: str
    system: str
    processor: str
    tag: str
    glibc: str = ""


TARGETS = {
    "linux-x86_64": Target(
        "x86_64-linux-gnu.2.17", "Linux", "x86_64", "manylinux2014_x86_64.manylinux_2_17_x86_64", "GLIBC_2.2.5"
    ),
    "linux-aarch64": Target(
        "aarch64-linux-gnu.2.17", "Linux", "aarch64", "manylinux2014_aarch64.manylinux_2_17_aarch64", "GLIBC_2.17"
    ),
    "macos-arm64": Target("aarch64-macos.11.0", "Darwin", "arm64", "macosx_11_0_arm64"),
    "macos-x86_64": Target("x86_64-macos.10.13", "Darwin", "x86_64", "macosx_10_13_x86_64"),
}
# nanobind includes no <cstdio>, which libc++ no longer brings along.
_TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME {system})
set(CMAKE_SYSTEM_PROCESSOR {processor})
set(CMAKE_CXX_COMPILER "{folder}/c++")
set(CMAKE_CXX_FLAGS_INIT "-include cstdio -include {folder}/libm.h")
set(CMAKE_AR "{folder}/ar")
set(CMAKE_RANLIB "{folder}/ranlib")
# Python is that of this machine: it gives headers and makes the manual pages.
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/bin/env)
set(Python_INCLUDE_DIR "{include}")
# CMake asks for it on every Darwin; nothing is renamed.
set(CMAKE_INSTALL_NAME_TOOL /bin/true)
# The linker has stripped the module; this machine's strip does not know the formats of others.
set(CMAKE_STRIP /bin/true)
"""
# Functions of the C library in which rounding shows. On aarch64 Zig links copies of its own, whose last digit is not
# always that of Python's math; a version makes them those of the machine.
_MATH = ("exp", "log2", "pow")
# Zig's linker for macOS knows no files of arguments, by which nanobind lists the symbols that Python will have, and
# crashes for a bundle (Zig 0.17); Python loads a shared library as well.
_COMPILER = """\
#!/bin/sh
for argument; do
    shift
    case $argument in
    -Wl,@*) set -- "$@" -Wl,-undefined,dynamic_lookup ;;
    -bundle) set -- "$@" -shared ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec "{zig}" c++ -target {target} -g0 "$@"
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=TARGETS, default=list(TARGETS), help="targets (default: all)")
    parser.add_argument("--folder", type=Path, default=ROOT / "dist" / "wheels", help="for the wheels")
    args = parser.parse_args()
    if sys.version_info < (3, 12):
        sys.exit("the stable ABI of these wheels begins with Python 3.12: run this with a newer Python")
    python = _tools()
    args.folder.mkdir(parents=True, exist_ok=True)
    for name in args.only:
        for old in args.folder.glob(f"mtassay-*-{TARGETS[name].tag}.whl"):
            old.unlink()
        built = _build(python, name, TARGETS[name], args.folder)
        _check(python, TARGETS[name], built)
    return 0


def _tools() -> Path:
    """The Python of an environment with the tools and what the build needs."""
    folder = BUILD / f"venv{sys.version_info[1]}"
    python = folder / "bin" / "python"
    if not python.exists():
        _run([ROOT / "tools" / "make_venv.sh", folder], env={**os.environ, "PYTHON": sys.executable})
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    _run([python, "-m", "pip", "install", "--quiet", *TOOLS, *required])  # pip knows what is installed already
    return python


def _build(python: Path, name: str, target: Target, folder: Path) -> Path:
    """Build the wheel of a target, and give it the name of its system."""
    place = BUILD / name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    found = [python, "-c", "import ziglang; print(ziglang.__path__[0])"]
    zig = Path(subprocess.run(found, check=True, capture_output=True, text=True).stdout.strip()) / "zig"
    _script(place / "c++", _COMPILER.format(zig=zig, target=target.zig))
    for tool in ("ar", "ranlib"):
        _script(place / tool, f'#!/bin/sh\nexec "{zig}" {tool} "$@"\n')
    versions = [f".symver {name},{name}@{target.glibc}" for name in _MATH if target.glibc]
    (place / "libm.h").write_text("".join(f'__asm__("{line}");\n' for line in versions))
    include = sysconfig.get_path("include")
    toolchain = place / "toolchain.cmake"
    toolchain.write_text(
        _TOOLCHAIN.format(system=target.system, processor=target.processor, folder=place, include=include)
    )
    environment = {name: value for name, value in os.environ.items() if name not in {"CC", "CXX", "CFLAGS", "CXXFLAGS"}}
    environment |= {
        "MTASSAY_REQUIRE_NATIVE": "1",
        "PATH": f"{python.parent}:{os.environ['PATH']}",
        "ZIG_GLOBAL_CACHE_DIR": str(BUILD / "zig-cache"),
    }
    settings = [f"cmake.define.CMAKE_TOOLCHAIN_FILE={toolchain}", f"build-dir={place / 'build'}"]
    options = [f"--config-settings={setting}" for setting in settings]
    print(f"mtassay: building for {name}", flush=True)
    _run(
        [python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", *options, "-w", place, ROOT],
        env=environment,
    )
    (built,) = place.glob("*.whl")
    _run([python, "-m", "wheel", "tags", "--remove", "--platform-tag", target.tag, built], stdout=subprocess.DEVNULL)
    (renamed,) = place.glob("*.whl")
    return Path(shutil.move(renamed, folder / renamed.name))


def _check(python: Path, target: Target, wheel: Path) -> None:
    """Check that a wheel keeps what its name promises: the stable ABI, and on Linux the age of the C library."""
    print(f"mtassay: built {os.path.relpath(wheel)}")
    _run([python, "-m", "abi3audit", "--strict", "--summary", "--assume-minimum-abi3", "3.12", wheel])
    if target.system == "Linux":
        shown = subprocess.run(
            [python, "-m", "auditwheel", "show", wheel], check=True, capture_output=True, text=True
        ).stdout
        promised = target.tag.rpartition(".")[2]
        if f'"{promised}"' not in " ".join(shown.split()):
            sys.exit(f"auditwheel does not find {wheel.name} to be {promised}:\n{shown}")
        print(f"mtassay: auditwheel: {promised}")


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _run(command: list[object], **options: object) -> None:
    subprocess.run(list(map(str, command)), check=True, **options)  # type: ignore[call-overload]


if __name__ == "__main__":
    sys.exit(main())
