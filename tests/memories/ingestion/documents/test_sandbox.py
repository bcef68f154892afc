"""The process that reads documents: what it reaches, by Python and by the calls of the kernel."""

import subprocess
import sys
from pathlib import Path

import pytest

from memories.ingestion.documents import read_document as module
from tests.memories.ingestion.documents.samples import make_docx, make_pdf, paragraph, text_at

ROOT = Path(module.__file__).parents[3]
_IN_SANDBOX = """
import ctypes, os, socket, sys
from memories.ingestion.documents.sandbox import close_sandbox
libc = ctypes.CDLL(None, use_errno=True)
parent, readable, target = os.getppid(), sys.argv[1], sys.argv[2]
print(close_sandbox())
def native(call, *args):
    ctypes.set_errno(0)
    print(call(*args), ctypes.get_errno())
environ = f"/proc/{parent}/environ"
native(libc.open, environ.encode(), 0)
native(libc.openat, -100, readable.encode(), 0)
native(libc.syscall, 437, -100, readable.encode(), bytes(24), 24)
native(libc.open, target.encode(), 65, 384)
native(libc.syscall, 434, parent, 0)
native(libc.syscall, 438, 0, 0, 0)
buffer = ctypes.create_string_buffer(64)
native(libc.process_vm_readv, parent, buffer, 1, buffer, 1, 0)
native(libc.process_vm_writev, parent, buffer, 1, buffer, 1, 0)
native(libc.ptrace, 16, parent, 0, 0)
native(libc.kill, parent, 0)
native(libc.sigqueue, parent, 0, 0)
native(libc.prlimit, parent, 7, 0, buffer)
native(libc.socket, 2, 1, 0)
native(libc.fork)
native(libc.memfd_create, b"x", 0)
for act in (lambda: open(environ), lambda: open(readable, "rb"), lambda: os.open(readable, 0),
            lambda: os.listdir("/"), socket.socket, lambda: open(target, "w"),
            lambda: os.system("true"), lambda: ctypes.CDLL("libm.so.6"),
            lambda: bytearray(2 << 30)):
    try:
        act()
        print("done")
    except (PermissionError, MemoryError) as error:
        print(type(error).__name__)
"""


def test_the_process_reaches_no_file_no_other_process_and_no_network(tmp_path: Path) -> None:
    """No file either that the service reads, nor the variables of the process that began it."""
    readable, target = tmp_path / "readable", tmp_path / "evil"
    readable.write_text("a secret of the service")
    out = subprocess.run(
        [sys.executable, "-c", _IN_SANDBOX, str(readable), str(target)], cwd=ROOT,
        capture_output=True, text=True, check=True, timeout=60,
    ).stdout.splitlines()  # fmt: skip
    if out[0] == "True":
        assert out[1:16] == ["-1 1"] * 15
    assert out[16:] == ["PermissionError"] * 8 + ["MemoryError"]
    assert not target.exists()


_MODULES_AFTER = """
import sys
from memories.ingestion.documents import parser_process
close = parser_process.close_sandbox
def note():
    close()
    note.before = set(sys.modules)
parser_process.close_sandbox = note
parser_process.main(sys.argv[1])
print(sorted(set(sys.modules) - note.before), file=sys.stderr)
"""


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("pdf", make_pdf([text_at("The lift is slow.")])),
        ("docx", make_docx(paragraph("The lift is slow."))),
        ("docx", make_docx(paragraph("x"))[:-60]),
        ("html", b"<style>.x{display:none}</style><p>The lift is slow.<p class=x>Not."),
        ("markdown", "# The\n\n[lift](/x) | is &amp; slow\n--|--\n1|2".encode("utf-16")),
    ],
)
def test_all_modules_are_imported_before_the_sandbox_closes(kind: str, content: bytes) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _MODULES_AFTER, kind], cwd=ROOT, input=content,
        capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    assert run.stderr == b"[]\n"
