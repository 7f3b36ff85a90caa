# SPDX-License-Identifier: Apache-2.0
"""What the acceptance tests share: where things are, how a program is run, how a test is skipped or fails."""
import argparse
import os
import subprocess
import sys
import time

SKIPPED = 77        # CTest's SKIP_RETURN_CODE of these tests
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(ROOT), "shared")


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def fail(text):
    print("FAILED:", text)
    sys.exit(1)


def need_shared(*parts):
    """The path of something in ../shared; the test is skipped where that folder is absent."""
    if not os.path.isdir(os.path.join(SHARED, "data")):
        skip("no shared data")
    path = os.path.join(SHARED, *parts)
    if not os.path.exists(path):
        fail(f"{path} is not there")
    return path


def need_modules(*names):
    """Skips where Python lacks what the judges need; tools/test installs it."""
    for name in names:
        try:
            __import__(name)
        except ImportError:
            skip(f"no Python module {name}; tools/test installs it")


def arguments(description, *options):
    """Every test takes --program; `options` are further arguments, (name, keywords)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--program", required=True)
    for name, keywords in options:
        parser.add_argument(name, **keywords)
    return parser.parse_args()


def run(command, expect=(0,), lines=6):
    """Runs a command and shows the end of its output; all of it when its exit code is none of those expected, which
    fails the test. Returns the output."""
    start = time.time()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(f"$ {' '.join(command)}   [exit {done.returncode}, {time.time() - start:.1f} s]")
    shown = done.stdout.rstrip().splitlines()
    print("\n".join(shown if done.returncode not in expect else shown[-lines:]))
    if done.returncode not in expect:
        fail(f"exit code {done.returncode}, expected {' or '.join(map(str, expect))}")
    return done.stdout


def tree(root, endings):
    """Content of every file below root whose name ends so, by relative path."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            if name.endswith(endings):
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read()
    return found


def same_trees(a, b, what):
    """Fails unless both hold the same files with the same bytes."""
    if not a:
        fail(f"{what}: no file to compare")
    for path in sorted(a.keys() | b.keys()):
        if path not in a or path not in b:
            fail(f"{what}: {path} is in one of them only")
        if a[path] != b[path]:
            fail(f"{what}: {path} differs ({len(a[path])} and {len(b[path])} bytes)")
    print(f"{what}: {len(a)} files are the same byte for byte")
