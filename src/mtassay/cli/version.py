"""The version line of ``mtassay --version`` and ``mtassay score --version``."""

from __future__ import annotations

from mtassay import __version__


def version_line() -> str:
    """The version, and which kernels are in use."""
    from mtassay.kernels import backend

    return f"mtassay {__version__} ({backend()} kernels)"
