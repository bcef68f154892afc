"""Take from this process what a parser of hostile files does not need; nothing gives it back.

Python's own calls are refused by an audit hook, those of native code by a filter of system calls
(seccomp), where the kernel has one for this machine.
"""

import ctypes
import os
import platform
import resource
import struct
import sys
from typing import Any

MIB = 1024 * 1024
# Of one document: memory, processor seconds, open files.
MAX_MEMORY, MAX_SECONDS, MAX_FILES = 1024 * MIB, 10, 32
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_DENIED_EVENTS = (
    "socket.", "subprocess.", "os.exec", "os.fork", "os.posix_spawn", "os.system", "os.remove",
    "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "shutil.", "pty.",
)  # fmt: skip
# The kernel's name of the machine, the number of openat, and of calls that reach other processes,
# the network or the names of files.
_MACHINES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "x86_64": (
        0xC000003E,
        257,
        (
            *(41, 42, 43, 44, 46, 49, 50, 53, 288, 307),
            *(56, 57, 58, 59, 62, 101, 200, 234, 322, 435, 310, 311, 424, 425),
            *(2, 76, 82, 83, 84, 85, 86, 87, 88, 90, 92, 258, 259, 260, 263, 264, 265, 266, 268),
            *(165, 272, 308, 316, 437),
        ),
    ),
    "aarch64": (
        0xC00000B7,
        56,
        (
            *(198, 199, 200, 201, 202, 203, 206, 211, 242, 269),
            *(220, 221, 117, 129, 130, 131, 281, 435, 270, 271, 424, 425),
            *(33, 34, 35, 36, 37, 38, 45, 53, 54, 276, 437),
            *(40, 97, 268),
        ),
    ),
}
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LOAD, _EQUAL, _AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _DENY = 0x7FFF0000, 0x00050001
# Numbers of another convention of the same machine.
_FOREIGN_CALLS = 0x40000000


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


def _refuse(event: str, args: tuple[Any, ...]) -> None:
    if event == "open":
        flags = args[2] if len(args) > 2 and isinstance(args[2], int) else 0
        denied = bool(flags & _WRITE_FLAGS)
    else:
        denied = event.startswith(_DENIED_EVENTS)
    if denied:
        raise PermissionError(event)


def _filter_calls() -> bool:
    known = _MACHINES.get(platform.machine())
    if known is None:
        return False
    machine, openat, denied = known
    # (code, steps if true, steps if false, value); the steps to the two ends are filled in below.
    program: list[tuple[int, int | str, int | str, int]] = [
        (_LOAD, 0, 0, 4),
        (_EQUAL, 0, "deny", machine),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, "deny", 0, _FOREIGN_CALLS),
        *((_EQUAL, "deny", 0, number) for number in denied),
        (_EQUAL, 0, "allow", openat),
        (_LOAD, 0, 0, 32),
        (_AND, 0, 0, _WRITE_FLAGS),
        (_EQUAL, "allow", "deny", 0),
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
    if prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        return False
    address = ctypes.addressof(program)
    return bool(prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, address, 0, 0) == 0)
