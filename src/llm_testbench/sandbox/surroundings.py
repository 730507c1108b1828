"""What this machine offers for the sandbox: which layers, and which promises follow from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from llm_testbench.sandbox import kernel, landlock
from llm_testbench.sandbox.model import Layer, Promise, State
from llm_testbench.sandbox.uids import FIRST, become

NO_LANDLOCK = "this kernel has no Landlock (Linux 5.13, and `landlock` among its security modules), or hides it"


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was found: the layers, and the version of Landlock."""

    layers: Mapping[Layer, State]
    landlock: int

    def has(self, layer: Layer) -> bool:
        """Whether that layer is there."""
        return self.layers[layer].active


def probe(without: frozenset[str], newest_landlock: int, folder: str) -> Surroundings:
    """Tries each layer in a child. `without` and `newest_landlock` hide some, for tests and for `doctor`.

    `folder`: where this process may write.
    The process must have one thread: it forks.
    """
    root = os.geteuid() == 0
    abi = min(landlock.version(), newest_landlock)
    own_uid = _own_uid(root=root)
    states = {
        Layer.NO_NEW_PRIVILEGES: State(_works(lambda: kernel.prctl(kernel.SET_NO_NEW_PRIVILEGES, 1))),
        Layer.OWN_UID: own_uid,
        Layer.FILES: _since(
            abi, 1, f"version {abi}" + ("" if abi >= landlock.OLDEST_FOR_TRUNCATE else ": truncate() is open")
        ),
        Layer.NETWORK: _since(abi, landlock.OLDEST_FOR_NETWORK, f"version {abi}"),
        Layer.SCOPE: _since(abi, landlock.OLDEST_FOR_SCOPE, f"version {abi}"),
        Layer.CALLS: _calls(),
        Layer.MOUNTS: _mounts(folder, own_uid=own_uid.active, root=root),
        Layer.RESOURCES: State(
            active=True, detail="" if own_uid.active else "processes are counted with all others of this user"
        ),
        Layer.WATCH: State(os.path.exists("/proc/self/stat") and _works(lambda: kernel.prctl(kernel.SET_SUBREAPER, 1))),  # noqa: PTH110
    }
    hidden = {layer: State(active=False, detail="switched off") for layer in Layer if layer in without}
    if not {**states, **hidden}[Layer.NO_NEW_PRIVILEGES].active:
        # The kernel asks for it, seccomp(2) and landlock(7).
        needed = State(active=False, detail=f"needs {Layer.NO_NEW_PRIVILEGES.value}")
        hidden = {**dict.fromkeys((Layer.FILES, Layer.NETWORK, Layer.SCOPE, Layer.CALLS), needed), **hidden}
    return Surroundings({**states, **hidden}, abi)


def spare_layers(active: Collection[str]) -> frozenset[Layer]:
    """What is not needed beside the active layers: files of another user need not be hidden behind a mount."""
    return frozenset({Layer.MOUNTS} if Layer.OWN_UID in active else ())


def promises(layers: Mapping[Layer, State]) -> dict[Promise, State]:
    """What the active layers bring about together; `detail` says by which, or what is missing."""
    files, own_uid, calls = layers[Layer.FILES], layers[Layer.OWN_UID], layers[Layer.CALLS]
    privileges = layers[Layer.NO_NEW_PRIVILEGES]
    scope = layers[Layer.SCOPE]
    held = {
        Promise.FILES: (
            files.active and privileges.active,
            Layer.FILES if privileges.active else Layer.NO_NEW_PRIVILEGES,
        ),
        Promise.NETWORK: (calls.active, Layer.CALLS),
        Promise.SIGNALS: (
            own_uid.active or scope.active or calls.active,
            Layer.OWN_UID if own_uid.active else Layer.SCOPE if scope.active else Layer.CALLS,
        ),
        Promise.SECRETS: (files.active or own_uid.active, Layer.OWN_UID if own_uid.active else Layer.FILES),
    }
    return {
        promise: State(holds, layer.value if holds else f"{layer.value} is missing: {layers[layer].detail}")
        for promise, (holds, layer) in held.items()
    }


def _since(abi: int, oldest: int, detail: str) -> State:
    if abi == 0:
        return State(active=False, detail=NO_LANDLOCK)
    return State(abi >= oldest, detail if abi >= oldest else f"version {abi} of Landlock, {oldest} is needed")


def _own_uid(*, root: bool) -> State:
    if not root:
        return State(active=False, detail="not root: the program keeps this user's id")
    works = _works(lambda: become(FIRST))
    return State(works, "" if works else "this root may not take another user's id")


def _calls() -> State:
    if kernel.ARCHITECTURE is None:
        return State(active=False, detail="there is a filter for x86-64 and arm64 only")
    has = kernel.has_filters()
    return State(has, kernel.ARCHITECTURE if has else "this kernel takes no filter")


def _mounts(folder: str, *, own_uid: bool, root: bool) -> State:
    if own_uid or root:
        return State(
            active=False, detail="not needed beside a user id of its own" if own_uid else "for ordinary users only"
        )
    works = _works(lambda: _try_mounts(folder))
    return State(
        works, "" if works else "user namespaces are refused: modes of your own files can be changed while compiling"
    )


def _try_mounts(folder: str) -> None:
    # The launcher is not dumpable, and such a process may not write its own /proc files.
    kernel.prctl(kernel.SET_DUMPABLE, 1)
    enter_user_namespace()
    kernel.make_read_only(folder)
    os.mkdir(f"{folder}/{os.getpid()}-tried", 0o700)  # noqa: PTH102 -- as in uids.py
    os.rmdir(f"{folder}/{os.getpid()}-tried")  # noqa: PTH106


def enter_user_namespace() -> None:
    """New mounts for an ordinary user, who stays the same user inside. Raises OSError."""
    uid, gid = os.geteuid(), os.getegid()
    kernel.unshare(kernel.NEW_USER | kernel.NEW_MOUNTS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        descriptor = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)


def _works(act: Callable[[], object]) -> bool:
    """Whether it raises nothing, in a child."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1] == 0
