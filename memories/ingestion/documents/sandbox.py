"""Take from this process what a parser of hostile files does not need; nothing gives it back.

Afterwards it reads and writes what it has open, and computes. It opens nothing, also not to read:
what the service reads, the variables of its processes among them, could be read here too. So
all modules are imported before. Python's own calls are refused by an audit hook, those of native
code by a filter of system calls (seccomp) that lets through a short list, where the kernel has one
for this machine.
"""

import ctypes
import platform
import resource
import struct
import sys
from typing import Any

MIB = 1024 * 1024
# Of one document: memory, processor seconds, open files.
MAX_MEMORY, MAX_SECONDS, MAX_FILES = 1024 * MIB, 10, 32
_DENIED_EVENTS = (
    "open", "socket.", "subprocess.", "os.", "shutil.", "pty.", "mmap.", "tempfile.", "glob.",
    "ctypes.dlopen", "signal.pthread_kill", "fcntl.",
)  # fmt: skip
# The kernel's name of the machine, and the numbers of the calls that are let through: none takes a
# name of a file, another process or an address. The rest fails as not permitted.
_MACHINES: dict[str, tuple[int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        (
            # read write close fstat lseek pread64 readv writev
            *(0, 1, 3, 5, 8, 17, 19, 20),
            # mmap mprotect munmap brk mremap madvise
            *(9, 10, 11, 12, 25, 28),
            # rt_sigaction rt_sigprocmask rt_sigreturn sigaltstack
            *(13, 14, 15, 131),
            # sched_yield futex sched_getaffinity set_robust_list membarrier rseq
            *(24, 202, 204, 273, 324, 334),
            # nanosleep gettimeofday restart_syscall clock_gettime clock_getres clock_nanosleep time
            *(35, 96, 219, 228, 229, 230, 201),
            # getpid exit sysinfo gettid exit_group getrandom
            *(39, 60, 99, 186, 231, 318),
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            # The same in the same order; this machine has no `time`.
            *(63, 64, 57, 80, 62, 67, 65, 66),
            *(222, 226, 215, 214, 216, 233),
            *(134, 135, 139, 132),
            *(124, 98, 123, 99, 283, 293),
            *(101, 169, 128, 113, 114, 115),
            *(172, 93, 179, 178, 94, 278),
        ),
    ),
}
_PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 4, 38
_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 22, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _DENY = 0x7FFF0000, 0x00050001


def close_sandbox() -> bool:
    """Limit memory, time, files and calls. Returns whether the kernel filters system calls too."""
    for what, most in (
        (resource.RLIMIT_AS, MAX_MEMORY),
        (resource.RLIMIT_CPU, MAX_SECONDS),
        (resource.RLIMIT_NOFILE, MAX_FILES),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (limit, limit))
    filtered = _filter_calls()
    sys.addaudithook(_refuse)
    return filtered


def _refuse(event: str, _args: tuple[Any, ...]) -> None:
    if event.startswith(_DENIED_EVENTS):
        raise PermissionError(event)


def _filter_calls() -> bool:
    known = _MACHINES.get(platform.machine())
    if known is None:
        return False
    machine, allowed = known
    # (code, steps if true, steps if false, value); the steps to the two ends are filled in below.
    program: list[tuple[int, int | str, int | str, int]] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 0, "deny", machine),
        (_LOAD, 0, 0, 0),
        *((_EQUAL, "allow", 0, number) for number in allowed),
        (_EQUAL, "allow", "deny", allowed[0]),
    ]
    ends = {"allow": len(program), "deny": len(program) + 1}

    def steps(place: int, to: int | str) -> int:
        return ends[to] - place - 1 if isinstance(to, str) else to

    packed = (
        b"".join(
            struct.pack("HBBI", code, steps(place, yes), steps(place, no), value)
            for place, (code, yes, no, value) in enumerate(program)
        )
        + struct.pack("HBBI", _RETURN, 0, 0, _ALLOW)
        + struct.pack("HBBI", _RETURN, 0, 0, _DENY)
    )
    return _install(packed, len(program) + 2)


def _install(packed: bytes, length: int) -> bool:
    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    kept = ctypes.create_string_buffer(packed, len(packed))
    program = Program(length, ctypes.cast(kept, ctypes.c_void_p))
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)
    # Other processes of the same user do not look into this one either.
    prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    address = ctypes.addressof(program)
    return bool(prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address, 0, 0) == 0)
