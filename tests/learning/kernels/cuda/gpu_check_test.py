#!/usr/bin/env python3
"""tools/gpu_check says in one line what is missing, before it builds anything."""
import os
import subprocess
import sys
import tempfile


def run(script, *arguments, path):
    return subprocess.run([script, *arguments], capture_output=True, text=True, env={**os.environ, "PATH": path})


def folder_with(tools):
    """A folder of programs: those of the system that the script needs, and `tools` with what each answers."""
    folder = tempfile.mkdtemp()
    for name in ("bash", "env", "sed", "dirname", "basename", "python3", "head", "tr", "cat"):
        for directory in os.environ["PATH"].split(":"):
            if os.path.exists(os.path.join(directory, name)):
                os.symlink(os.path.join(directory, name), os.path.join(folder, name))
                break
    for name, text in tools.items():
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)
    return folder


def expect(done, code, words):
    message = done.stderr.strip()
    assert done.returncode == code, (done.returncode, done.stdout, message)
    assert words in message and "\n" not in message, message


def main():
    script = sys.argv[1]
    expect(run(script, path=folder_with({})), 1, "no NVIDIA GPU")
    expect(run(script, path=folder_with({"nvidia-smi": "exit 9"})), 1, "no NVIDIA GPU")
    expect(run(script, path=folder_with({"nvidia-smi": "echo A GPU"})), 1, "no nvcc")
    expect(run(script, "--fats", path=folder_with({})), 2, "--fats")
    done = run(script, "--help", path=folder_with({}))
    assert done.returncode == 0 and "tools/gpu_check" in done.stdout, done
    print("gpu_check says what is missing")


if __name__ == "__main__":
    main()
