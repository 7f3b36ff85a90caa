#!/usr/bin/env python3
"""Compiles one source for one GPU, with warnings as errors, and reads what the assembler says of each kernel.

    nvcc_test.py NVCC SOURCE ROOT ARCHITECTURE

Fails on a warning, on registers that do not suffice (spills; the widest kernels may spill a little), and on static shared
memory. Without nvcc: "skipped: no nvcc", exit 77.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Sums and operands of 128 channels take 224 of a thread's 255 registers; some values that no inner loop reads may go out.
ALLOWED_SPILL_BYTES_AT_128 = 32
WARNINGS = ["-Werror", "all-warnings", "-Xcompiler", "-Wall,-Wextra,-Wshadow,-Werror"]


def kernels(assembler_says):
    """(name, width, registers, spill bytes, static shared bytes) of each kernel."""
    blocks = re.split(r"Compiling entry function '", assembler_says)[1:]
    for block in blocks:
        mangled = block.split("'")[0]
        name = re.search(r"(?:tiles|plain)\d+([A-Z][a-z]+(?:[A-Z][a-z]+)?)I|(SumHeads)", mangled)
        width = re.search(r"Li(\d+)E", mangled)
        stored, loaded = map(int, re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", block).groups())
        registers = int(re.search(r"Used (\d+) registers", block).group(1))
        shared = re.search(r"(\d+) bytes smem", block)
        yield (name.group(1) or name.group(2), int(width.group(1)) if width else 0, registers, max(stored, loaded),
               int(shared.group(1)) if shared else 0)


def compile_for_host(nvcc, source, root):
    """The host's compiler with CUDA's headers, as a CUDA build calls it."""
    said = subprocess.run([nvcc, "--dryrun", "-c", "x.cu"], capture_output=True, text=True).stderr
    includes = re.findall(r'"?-I([^"\s]+)"?', "".join(line for line in said.splitlines() if " INCLUDES=" in line))
    flags = [flag for folder in includes for flag in ("-isystem", folder)]
    return subprocess.run(["c++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", "-I", root, *flags,
                           source]).returncode


def main():
    nvcc, source, root, architecture = sys.argv[1:]
    if not shutil.which(nvcc):
        print("skipped: no nvcc")
        return 77
    if not source.endswith(".cu"):
        return compile_for_host(nvcc, source, root)
    with tempfile.TemporaryDirectory() as folder:
        command = [nvcc, "-std=c++20", "-O3", f"-arch=sm_{architecture}", "-I", root, "-Xptxas", "-v", *WARNINGS, "-c", source, "-o",
                   os.path.join(folder, "out.o")]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
        return 1
    found = list(kernels(done.stderr))
    bad = 0
    print(f"{'kernel':18}{'width':>6}{'registers':>11}{'spilled':>9}")
    for name, width, registers, spilled, shared in sorted(found):
        wrong = spilled > (ALLOWED_SPILL_BYTES_AT_128 if width == 128 else 0) or shared > 0
        print(f"{name:18}{width:6}{registers:11}{spilled:9}{'  too many' if wrong else ''}")
        bad += wrong
    if not found:
        print(f"no kernel in what nvcc says of {source}:\n{done.stderr}")
    return 1 if bad or not found else 0


if __name__ == "__main__":
    sys.exit(main())
