"""What happens first: secrets leave the environment of the process, and no other process may look into it.

/proc/PID/environ shows the memory in which a process got its environment, whatever it unset since (proc(5)): so the
values are overwritten there too. prctl(2) with PR_SET_DUMPABLE then closes that file, the memory and the open files
of this process to all but a privileged reader. Where the system does not offer that, it is left out.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# What the tool and its libraries read through os.environ or getenv(), and what a Python child needs to
# start. A list of what may stay, since a config file may name any variable as the one with a key.
_HARMLESS = {
    *("PATH", "HOME", "LANG", "LANGUAGE", "TZ", "TZDIR", "TMPDIR", "TEMP", "TMP", "LD_LIBRARY_PATH", "VIRTUAL_ENV"),
    *("DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"),
    *("TERM", "COLUMNS", "LINES", "NO_COLOR", "NETRC"),
    *("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF", "OPENSSL_MODULES"),
    *("COVERAGE_FILE", "COVERAGE_RCFILE", "COVERAGE_CORE", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG"),
}
# Needed, and may hold a password: they stay in the environment, at another place in memory.
_PROXIES = {
    *("http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
}
_ENV_START, _ENV_END = 50 - 3, 51 - 3  # fields of /proc/self/stat, counted from the state, which is the third
_PR_SET_DUMPABLE = 4


def take_environment(proc: Path = Path("/proc/self")) -> dict[str, str]:
    """A private copy of the whole environment, of which this process and its children keep harmless variables only."""
    taken = dict(os.environ)
    for name, value in taken.items():
        with suppress(OSError):  # what stands before the "=" may be no name
            if name in _PROXIES:
                os.environ[name] = value
            elif not _is_harmless(name):
                del os.environ[name]
    if sys.platform == "linux":
        # A system without /proc, or one that shows something else there.
        with suppress(OSError, ImportError, ValueError, IndexError):
            _overwrite(proc)
    return taken


def shut() -> None:
    """No other process of this user reads this one's memory, environment or open files, and no core is dumped."""
    if sys.platform == "linux":
        with suppress(OSError, ImportError, AttributeError):
            import ctypes  # noqa: PLC0415 -- as below

            prctl = ctypes.CDLL(None).prctl
            prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4
            prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def _is_harmless(name: str) -> bool:
    # PYTHONPATH and PYTHONHASHSEED, but not PYTHON_API_KEY.
    plain = name.startswith(("PYTHON", "LC_")) and name.removeprefix("LC_").isalpha()
    return plain or name in _HARMLESS


def _overwrite(proc: Path) -> None:
    """Zeroes in the first environment's memory, once it is certain that it is that and may be written."""
    import ctypes  # noqa: PLC0415 -- needed once, and only here

    fields = (proc / "stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[_ENV_START]), int(fields[_ENV_END])
    shown = (proc / "environ").read_bytes()
    if not shown or len(shown) != end - start or not _is_writable(start, end, (proc / "maps").read_bytes()):
        return
    if ctypes.string_at(start, len(shown)) != shown:
        return
    for offset, length in _values(shown):
        ctypes.memset(start + offset, 0, length)


def _is_writable(start: int, end: int, maps: bytes) -> bool:
    """Whether all of it lies in one part of memory that this process may write, by /proc/self/maps."""
    for line in maps.splitlines():
        span, access, *_ = line.split()
        low, high = (int(address, 16) for address in span.split(b"-"))
        if low <= start and end <= high:
            return access.startswith(b"rw")
    return False


def _values(block: bytes) -> Iterator[tuple[int, int]]:
    """Offset and length of each value in the block that is not harmless."""
    offset = 0
    for entry in block.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if not equals:
            yield offset, len(entry)
        elif not _is_harmless(os.fsdecode(name)):
            yield offset + len(name) + 1, len(value)
        offset += len(entry) + 1
