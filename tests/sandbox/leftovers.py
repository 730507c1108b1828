"""What an attack that leaves something for the next run may have left, and could not remove itself."""

from __future__ import annotations

import ctypes
import tempfile
import zlib
from contextlib import suppress
from pathlib import Path

from tests.sandbox.stage import Stage

_REMOVE = 0  # sys/ipc.h, IPC_RMID


def remove(stage: Stage) -> None:
    """Files, shared memory and message queues that are named after the stage, as attacks/persist/ names them."""
    name = stage.folder.name
    folders = {tempfile.gettempdir(), "/tmp", "/dev/shm", stage.target["go_seed"]}
    files = [Path(folder, f"attack-carries-{name}") for folder in folders if folder]
    with suppress(RuntimeError):
        files.append(Path.home() / f".attack-carries-{name}")
    for file in files:
        with suppress(OSError):
            file.unlink()
    libc = ctypes.CDLL(None)
    key = zlib.crc32(stage.target["workspace"].encode()) & 0x7FFFFFFF
    segment, queue = libc.shmget(key, 0, 0), libc.msgget(key, 0)
    if segment >= 0:
        libc.shmctl(segment, _REMOVE, None)
    if queue >= 0:
        libc.msgctl(queue, _REMOVE, None)
    libc.mq_unlink(f"/{name}".encode())
