"""The command in a process of its own: closed pipes, Ctrl-C, the shell's completion (N11)."""

import json
import signal
import subprocess

import pytest

from tests.clients.command_shell import OK, PIPE_CLOSED, STOPPED, USAGE, Shell, lines
from tests.clients.terminal import read_terminal

pytestmark = pytest.mark.conformance("N11")


def test_a_closed_pipe_ends_it_without_a_word(shell: Shell) -> None:
    shell(
        "remember",
        "--jsonl",
        given=lines(*({"content": f"Line {n}. {'x' * 900}"} for n in range(150))),
    )
    process = shell.start("export", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b'{"format"')
    process.stdout.close()
    assert process.wait(30) == PIPE_CLOSED
    assert process.stderr.read() == b""
    process.stderr.close()


def test_ctrl_c_stops_it_and_says_what_is_in(shell: Shell) -> None:
    process = shell.start(
        "remember", "--jsonl", "--portion", "1", "--json",
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(lines({"content": "One."}, {"content": "Two."}))
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["line"] == 1
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == STOPPED
    said = process.stderr.read().decode()
    assert "1 active" in said
    assert "Stopped." in said
    assert "Traceback" not in said
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


def test_on_a_terminal_forgetting_asks_first_and_names_the_count(shell: Shell) -> None:
    [one] = shell.json("remember", "Kept.", "--tag", "old")
    shell.json("remember", "Kept as well.", "--tag", "old")

    def asked(typed: bytes, *words: str) -> bytes:
        return read_terminal(
            lambda end: shell.start("forget", *words, stdin=end, stdout=end, stderr=end), typed
        )

    by_filter = ("--filter", "tag=old")
    said = asked(b"n\n", *by_filter)
    assert b"2 match, 2 would be forgotten. Forget?" in said
    assert b"Stopped." in said
    assert b"Forget this memory?" in asked(b"n\n", one["id"])
    assert shell.json("jobs") == []
    [seen] = shell.json("forget", *by_filter, "--dry-run")
    assert seen["changes"] == 2, "nothing was forgotten"
    asked(b"y\n", *by_filter)
    assert [(job["kind"], job["total"]) for job in shell.json("jobs")] == [("change", 2)]


def test_it_runs_as_a_module_and_signs_in(address: str, stranger: Shell, shell: Shell) -> None:
    key = shell.environment["COMMONMIND_KEY"].encode()
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    output, errors = stranger.start("login", address, **pipes).communicate(key, timeout=60)
    assert b"You are bolt of " in output, errors
    output, errors = stranger.start("me", **pipes).communicate(timeout=60)
    assert b"bolt (robot " in output, errors
    process = stranger.start("no-such-command", **pipes)
    process.communicate(timeout=60)
    assert process.returncode == USAGE


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_it_completes_words_in_the_shell(stranger: Shell, name: str) -> None:
    done = stranger("completion", name)
    assert done.returncode == OK
    assert b"_COMMONMIND_COMPLETE" in done.stdout
    asked = {
        "_COMMONMIND_COMPLETE": f"{name}_complete",
        "COMP_WORDS": "commonmind re",
        "COMP_CWORD": "re" if name == "fish" else "1",
    }
    process = stranger.start(stdout=subprocess.PIPE, environment=asked)
    output, _ = process.communicate(timeout=60)
    assert b"remember" in output
    assert b"recall" in output
