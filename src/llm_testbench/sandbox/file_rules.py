"""What a program in the sandbox may open, and what needs it; everything else stays closed (Landlock)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileRule:
    """`path` and all below it may be read and executed; `why` names what needs it. Absent ones are left out."""

    path: str
    why: str


READABLE: tuple[FileRule, ...] = (
    FileRule("/usr", "interpreters, compilers and libraries"),
    FileRule("/lib", "the dynamic linker, where it is no link into /usr"),
    FileRule("/lib64", "as above"),
    FileRule("/lib32", "as above"),
    FileRule("/bin", "the shell, as above"),
    FileRule("/sbin", "as above"),
    FileRule("/etc/ld.so.cache", "where the dynamic linker finds libraries"),
    FileRule("/etc/ld.so.conf", "as above, for linkers"),
    FileRule("/etc/ld.so.conf.d", "as above"),
    FileRule("/etc/alternatives", "Debian's commands are links through it: cc, awk"),
    FileRule("/etc/localtime", "local time"),
    FileRule("/etc/timezone", "as above"),
    FileRule("/etc/nsswitch.conf", "names of users"),
    FileRule("/etc/passwd", "as above: os.userInfo() of Node, ~ of shells; it holds no password"),
    FileRule("/etc/group", "as above"),
    FileRule("/etc/mime.types", "Python's mimetypes"),
    FileRule("/etc/ssl/openssl.cnf", "OpenSSL's settings, read by hashlib"),
    FileRule("/proc/meminfo", "how much memory there is: runtimes size their heaps by it"),
    FileRule("/proc/cpuinfo", "what the processor can do"),
    FileRule("/proc/stat", "how many processors there are"),
    FileRule("/proc/version", "which kernel this is"),
    FileRule("/proc/filesystems", "libselinux, which coreutils load"),
    FileRule("/proc/sys/vm/overcommit_memory", "allocators"),
    FileRule("/proc/sys/kernel/pid_max", "tools that size tables by it"),
    FileRule("/proc/sys/kernel/ngroups_max", "as above"),
    FileRule("/sys/devices/system/cpu", "how many processors there are: glibc, Node"),
    FileRule("/sys/kernel/mm/transparent_hugepage", "Go's runtime"),
)

DEVICES: tuple[FileRule, ...] = (
    FileRule("/dev/null", "shells and subprocesses; it may be written, too"),
    FileRule("/dev/zero", "as above"),
    FileRule("/dev/full", "tests of write errors"),
    FileRule("/dev/random", "random numbers"),
    FileRule("/dev/urandom", "as above"),
)
