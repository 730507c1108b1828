"""Which system calls the sandbox refuses, and why: the policy that a reviewer reads.

What is listed here is refused; what is not is allowed, but numbers that no call had when this was written do not exist
inside: a kernel newer than this table opens nothing. To be read again once a year beside the kernel's new calls.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

NEWEST_KNOWN = 462
"""mseal, Linux 6.10."""
LAST_OWN: Mapping[str, int] = {"x86_64": 336, "aarch64": 294}
"""The last number before the gap in an architecture's table. Behind it all have the same ones, but a new call of one
alone may be given a number in it, as uretprobe and uprobe were."""
FIRST_COMMON = 424
"""pidfd_send_signal, the first behind the gap."""

OWN_PID = "own pid"
OWN_GROUP = "own group"
"""Stand-ins for the program's own process id, and for its negative: the process group that it leads."""


class Reply(IntEnum):
    """What the program sees instead."""

    DONE = 0
    """Success, though nothing was done."""
    EPERM = errno.EPERM
    EACCES = errno.EACCES
    ENOSYS = errno.ENOSYS
    """As on an older kernel: runtimes then fall back to another call."""
    EOPNOTSUPP = errno.EOPNOTSUPP
    """As on a file system without it: tools then go on without it."""


@dataclass(frozen=True, slots=True)
class Check:
    """A test of one argument: 32 bits of it, the low ones unless `high`.

    `in`, `not_in`: its (masked) value is, or is not, one of `values`; `bits`: it has any bit of the one value.
    """

    argument: int
    kind: Literal["in", "not_in", "bits"]
    values: tuple[int | str, ...]
    mask: int | None = None
    high: bool = False


Where = Literal["everywhere", "shared uid", "shared files", "shared files, no linker", "no signal scope"]
"""Where a rule is needed.

`shared uid`: the program has the tool's own uid. `shared files`: and could write to its files, since they are not
mounted read-only. `no linker`: but for steps that link. `no signal scope`: the tool's uid, and no Landlock for signals.
"""


@dataclass(frozen=True, slots=True)
class CallRule:
    """`calls` are answered with `reply`: always, or when all checks of any one group of `when` hold.

    `unproven`: why no attack of the corpus succeeds when this rule alone is taken away, and why it stays.
    """

    name: str
    calls: tuple[str, ...]
    why: str
    reply: Reply = Reply.EPERM
    when: Sequence[Sequence[Check]] = ()
    where: Where = "everywhere"
    unproven: str = ""


# asm-generic/ioctls.h, asm-generic/fcntl.h, linux/sched.h, linux/socket.h, linux/net.h, asm-generic/resource.h,
# linux/resource.h, linux/ioprio.h
_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP = 0x5412, 0x541C, 0x8901, 0x8902
_F_SETOWN, _F_SETSIG, _F_SETOWN_EX = 8, 10, 15
_NEW_NAMESPACES = 0x7E020000 | 0x00000080  # every CLONE_NEW* flag, CLONE_NEWTIME too
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 1, 0xF
_RLIMIT_CORE = 4
_PRIO_PROCESS, _IOPRIO_WHO_PROCESS = 0, 1
_SIGURG = 23
_PERSONALITY_ASKED = 0xFFFFFFFF

_NOT_SHOWN = "no attack shows it: "


def _pointer_given(argument: int) -> tuple[tuple[Check, ...], ...]:
    return ((Check(argument, "not_in", (0,)),), (Check(argument, "not_in", (0,), high=True),))


CALL_RULES: tuple[CallRule, ...] = (
    CallRule(
        "sockets",
        ("socket",),
        "The network, and every socket of the machine: a container action has the Docker engine's, which owns it. All"
        " families: packets, netlink, vsock and whatever comes next",
        Reply.EACCES,
    ),
    CallRule(
        "socket use",
        ("connect", "bind", "listen", "accept", "accept4"),
        "No socket can be made, so one that is used came from elsewhere",
        Reply.EACCES,
    ),
    CallRule(
        "socket pairs",
        ("socketpair",),
        "A pair of datagram sockets can be connected anew to a named socket; a pair of streams cannot",
        Reply.EACCES,
        ((Check(0, "not_in", (_AF_UNIX,)),), (Check(1, "not_in", (_SOCK_STREAM,), mask=_SOCK_TYPE_MASK),)),
    ),
    CallRule(
        "io_uring",
        ("io_uring_setup", "io_uring_enter", "io_uring_register"),
        "It opens sockets and files without the calls that are filtered here",
        Reply.ENOSYS,
    ),
    CallRule(
        "tracing",
        ("ptrace", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease"),
        "Reads and changes the memory of other processes: the tool's holds the key",
    ),
    CallRule(
        "other processes' descriptors",
        ("pidfd_getfd", "kcmp", "get_robust_list"),
        "Takes an open file or socket of another process, or tells what it holds",
    ),
    CallRule("bpf", ("bpf",), "Programs in the kernel"),
    CallRule("performance events", ("perf_event_open",), "Watches other processes and the kernel; many flaws so far"),
    CallRule("userfaultfd", ("userfaultfd",), "Stops the kernel in mid-access: the usual help of exploits"),
    CallRule("keys", ("keyctl", "add_key", "request_key"), "The kernel's store of keys is shared by all of a user"),
    CallRule(
        "namespaces",
        ("unshare", "setns"),
        "In a user namespace of its own a program is root and reaches code that only root could",
    ),
    CallRule(
        "namespaces by clone",
        ("clone",),
        "As above; flags tell it from an ordinary fork",
        when=((Check(0, "bits", (_NEW_NAMESPACES,)),),),
    ),
    CallRule(
        "clone3",
        ("clone3",),
        "Its flags lie in memory, where a filter cannot see them; libraries fall back to clone",
        Reply.ENOSYS,
    ),
    CallRule(
        "mounts",
        (
            *("mount", "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount"),
            *("fspick", "mount_setattr", "statmount", "listmount"),
        ),
        "Another view of the file system",
    ),
    CallRule(
        "the machine",
        (
            *("swapon", "swapoff", "reboot", "kexec_load", "kexec_file_load", "init_module", "finit_module"),
            *("delete_module", "acct", "quotactl", "quotactl_fd", "syslog", "sethostname", "setdomainname"),
            *("settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "iopl", "ioperm", "vhangup"),
            *("lookup_dcookie", "nfsservctl"),
        ),
        "Belongs to whoever runs the machine",
    ),
    CallRule(
        "old calls",
        ("modify_ldt", "uselib", "ustat", "sysfs", "_sysctl", "uprobe", "uretprobe"),
        "No program of today needs them, and each was a way into the kernel. Kernels since 6.14 ask no filter about "
        "`uprobe` and `uretprobe`: they refuse them by themselves outside of a probe",
    ),
    CallRule(
        "files by handle",
        ("name_to_handle_at", "open_by_handle_at"),
        "Opens files past the folders that lead to them",
    ),
    CallRule(
        "watching files",
        ("inotify_init", "inotify_init1", "fanotify_init", "fanotify_mark"),
        "Tells when files change that the program may not read",
    ),
    CallRule(
        "hidden memory",
        ("memfd_create", "memfd_secret"),
        "Files in no folder: they count against no limit on files",
        Reply.ENOSYS,
    ),
    CallRule(
        "pages in pipes",
        ("vmsplice",),
        "A byte in a pipe keeps a huge page in memory that no process shows any more",
    ),
    CallRule(
        "memory that outlives the program",
        (
            *("shmget", "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl"),
            *("semget", "semop", "semtimedop", "semctl", "mq_open", "mq_unlink"),
        ),
        "The next program would find it",
    ),
    CallRule(
        "placing memory",
        ("mbind", "set_mempolicy", "set_mempolicy_home_node", "migrate_pages", "move_pages"),
        "Moves other processes' pages and tells where they lie",
    ),
    CallRule(
        "extended attributes",
        ("setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr", "fremovexattr"),
        "A place on files that no limit counts",
        Reply.EOPNOTSUPP,
    ),
    CallRule(
        "security modules",
        ("lsm_set_self_attr",),
        "Changes the rules that hold for itself",
        unproven=_NOT_SHOWN + "Landlock has no attribute to set; other modules may",
    ),
    CallRule(
        "leaving the group",
        ("setsid", "setpgid"),
        "Every process stays in one group, so that one kill reaches all: no chain of forks can outrun it",
        Reply.DONE,
    ),
    CallRule(
        "signals to the group",
        ("kill",),
        "Who believes to have a group of its own, such as timeout(1), must not hit all others in the real one",
        Reply.DONE,
        when=((Check(0, "in", (0,)), Check(1, "not_in", (0,))),),
        unproven="no attack is about it: it mends what the rule before it would break",
    ),
    CallRule(
        "other personalities",
        ("personality",),
        "Turns off the random layout of memory",
        when=((Check(0, "not_in", (0, _PERSONALITY_ASKED)),),),
    ),
    CallRule(
        "terminal tricks",
        ("ioctl",),
        "Types into the terminal of whoever started the tool, or has signals sent to another process",
        when=((Check(1, "in", (_TIOCSTI, _TIOCLINUX, _FIOSETOWN, _SIOCSPGRP)),),),
    ),
    CallRule(
        "other processes' limits",
        ("prlimit64",),
        "The limits of the tool and of other runs",
        when=((Check(0, "not_in", (0,)),),),
    ),
    CallRule(
        "core dumps",
        ("prlimit64",),
        "At one byte, and at no other limit, no handler of the host starts; the address sanitizer insists on 0",
        Reply.DONE,
        tuple((Check(1, "in", (_RLIMIT_CORE,)), *group) for group in _pointer_given(2)),
    ),
    CallRule(
        "core dumps, the old call",
        ("setrlimit",),
        "As above",
        Reply.DONE,
        ((Check(0, "in", (_RLIMIT_CORE,)),),),
        unproven=_NOT_SHOWN + "it would take a host whose core_pattern is a pipe",
    ),
    CallRule(
        "scheduling of others",
        ("sched_setscheduler", "sched_setparam", "sched_setattr"),
        "Slows or starves the tool and other runs",
        when=((Check(0, "not_in", (0,)),),),
    ),
    CallRule(
        "priority of others",
        ("setpriority",),
        "As above: of another process, of a group, or of all that the user has, which need not be named",
        when=((Check(0, "not_in", (_PRIO_PROCESS,)),), (Check(1, "not_in", (0,)),)),
    ),
    CallRule(
        "disk priority of others",
        ("ioprio_set",),
        "As above",
        when=((Check(0, "not_in", (_IOPRIO_WHO_PROCESS,)),), (Check(1, "not_in", (0,)),)),
    ),
    CallRule(
        "cores of others",
        ("sched_setaffinity",),
        "As above",
        when=((Check(0, "not_in", (0,)),),),
        where="shared uid",
    ),
    CallRule(
        "owners by path",
        ("chown", "lchown", "fchown", "fchownat"),
        "Landlock does not see changes of owner, mode or time: they would reach every file of the user",
        where="shared files",
    ),
    CallRule(
        "times by path",
        ("utime", "utimes", "futimesat"),
        "As above; answered as done, so that programs that copy files go on",
        Reply.DONE,
        where="shared files",
    ),
    CallRule(
        "times by path, the newer call",
        ("utimensat",),
        "As above; without a path it is about an open file, which the program may have",
        Reply.DONE,
        _pointer_given(1),
        where="shared files",
    ),
    CallRule(
        "modes by path",
        ("chmod", "fchmodat", "fchmodat2"),
        "As above; linkers need it, so steps that compile have it",
        where="shared files, no linker",
    ),
    CallRule(
        "signals",
        ("kill",),
        "With the tool's own uid it could end the tool",
        when=((Check(0, "not_in", (0, OWN_PID, OWN_GROUP)),),),
        where="no signal scope",
    ),
    CallRule(
        "signals to threads",
        ("tgkill",),
        "As above; Go interrupts its own threads with SIGURG",
        when=((Check(0, "not_in", (OWN_PID,)), Check(2, "not_in", (_SIGURG,))),),
        where="no signal scope",
    ),
    CallRule(
        "signals with a value",
        ("tkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"),
        "As above",
        where="no signal scope",
    ),
    CallRule(
        "signals by descriptor",
        ("pidfd_send_signal",),
        "As above",
        Reply.ENOSYS,
        where="no signal scope",
    ),
    CallRule(
        "signals by a file",
        ("fcntl",),
        "As above: an open file can be told to send any signal to any process",
        when=((Check(1, "in", (_F_SETOWN, _F_SETSIG, _F_SETOWN_EX)),),),
        where="no signal scope",
    ),
)
