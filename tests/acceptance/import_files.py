# SPDX-License-Identifier: Apache-2.0
"""Every scene file under ../shared/data/{broken,gltf,obj-odd} through `simulacra scene FILE --json`, as a process.

Each is imported (exit 0) or refused (exit 2 and one line besides warnings), as tests/golden/import_outcomes_*.tsv
say; never by a signal, in more than 20 s or with more than 4 GiB. The README's table names the valid files that are
refused: every refused file of gltf and obj-odd is in that table or in the list of invalid files below.
"""
import csv
import fnmatch
import json
import os
import re
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import support

SECONDS = 20
GIBIBYTES = 4
FOLDERS = ("broken", "gltf", "obj-odd")
ENDINGS = (".gltf", ".glb", ".obj", ".xml")

# Files that are wrong by their own name, or by the specification, with the place where it says so.
INVALID = """
broken/*
gltf/khronos-v1/*
gltf/magnum-gltf/*invalid*
gltf/magnum-gltf/*-oob.gltf
gltf/magnum-gltf/error.gltf
gltf/magnum-gltf/version-*.gltf
obj-odd/*/*invalid*
obj-odd/*/empty.obj
obj-odd/trimesh/emptyIO/obj_empty.obj
obj-odd/assimp/number_formats.obj
obj-odd/tinyobjloader/issue-140-zero-face-idx.obj
""".split()


def scene_files(data):
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(data, top)):
            for name in names:
                if name.lower().endswith(ENDINGS):
                    yield os.path.relpath(os.path.join(folder, name), data)


def expected_outcomes():
    """file -> imported or refused, of all tables."""
    outcomes = {}
    golden = os.path.join(support.ROOT, "tests", "golden")
    for name in sorted(os.listdir(golden)):
        if name.startswith("import_outcomes_") and name.endswith(".tsv"):
            with open(os.path.join(golden, name), encoding="utf-8") as file:
                for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                    outcomes[row["file"]] = row["outcome"]
    return outcomes


def run_one(program, data, file):
    """(exit code or -signal, stdout, stderr, seconds, peak memory in GiB of the process and its children)."""
    start = time.time()
    process = subprocess.Popen([program, "scene", os.path.join(data, file), "--json"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    timer = threading.Timer(2 * SECONDS, process.kill)
    timer.start()
    streams = {}
    readers = [threading.Thread(target=lambda n=n, s=s: streams.__setitem__(n, s.read()))
               for n, s in (("out", process.stdout), ("err", process.stderr))]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    timer.cancel()
    process.stdout.close()
    process.stderr.close()
    text = {name: data.decode("utf-8", "replace") for name, data in streams.items()}
    return process.returncode, text["out"], text["err"], time.time() - start, usage.ru_maxrss / 2**20


def judge(file, result, expected):
    """What is wrong with it, as a list of sentences."""
    code, out, err, seconds, memory = result
    lines = [line for line in err.splitlines() if not line.startswith("warning: ")]
    wrong = []
    if seconds > SECONDS:
        wrong.append(f"took {seconds:.1f} s")
    if memory > GIBIBYTES:
        wrong.append(f"used {memory:.2f} GiB")
    if code not in (0, 2):
        return wrong + [f"ended by signal {-code}" if code < 0 else f"exit code {code}: {err.strip()[-600:]}"]
    if code == 2 and (len(lines) != 1 or not lines[0].startswith("simulacra: ")):
        wrong.append(f"refused with {len(lines)} lines: {lines[:4]}")
    if code == 2 and os.path.basename(file) not in err and not lines[0].isascii():
        wrong.append(f"the refusal does not name the file: {lines[0]}")
    if code == 0:
        try:
            json.loads(out)
        except ValueError as error:
            wrong.append(f"its output is no JSON: {error}")
        if lines:
            wrong.append(f"imported, but says: {lines[:4]}")
    outcome = "imported" if code == 0 else "refused"
    if expected is not None and expected != outcome:
        wrong.append(f"was {outcome}, the table of outcomes says {expected}")
    return wrong


def readme_patterns():
    """The file patterns of the README's table of valid files that are refused."""
    with open(os.path.join(support.ROOT, "README.md"), encoding="utf-8") as file:
        text = file.read()
    section = re.search(r"^### Valid files that are refused\n(.*?)(?=^#|\Z)", text, re.M | re.S)
    if not section:
        support.fail("README.md has no section 'Valid files that are refused'")
    rows = [line for line in section.group(1).splitlines() if line.startswith("| `")]
    return [pattern for row in rows for pattern in re.findall(r"`([^`]+)`", row.split("|")[1])]


def check_readme(refused):
    wrong = []
    listed = readme_patterns()
    for pattern in listed:
        if not fnmatch.filter(refused, pattern):
            wrong.append(f"README.md lists {pattern}, but no such file is refused")
    for file in refused:
        if not any(fnmatch.fnmatchcase(file, p) for p in INVALID + listed):
            wrong.append(f"{file} is refused and stands neither in README.md nor among the invalid files")
    return wrong


options = support.arguments(__doc__, ("--jobs", {"type": int, "default": 2}))
data = support.need_shared("data")
outcomes = expected_outcomes()
files = sorted(scene_files(data))
with ThreadPoolExecutor(options.jobs) as pool:
    results = dict(zip(files, pool.map(lambda f: run_one(options.program, data, f), files)))
# On a busy machine a file can take long through no fault of its own: those are tried once more, alone.
for file in files:
    if results[file][3] > SECONDS:
        results[file] = run_one(options.program, data, file)
wrong = [f"{file}: {text}" for file in files for text in judge(file, results[file], outcomes.get(file))]
refused = [file for file in files if results[file][0] == 2]
wrong += check_readme(refused)
slowest = max(files, key=lambda f: results[f][3])
largest = max(files, key=lambda f: results[f][4])
print(f"{len(files)} files: {len(files) - len(refused)} imported, {len(refused)} refused, "
      f"{sum(f in outcomes for f in files)} of them in the tables of outcomes")
print(f"slowest {slowest}: {results[slowest][3]:.2f} s; largest {largest}: {results[largest][4]:.2f} GiB")
for text in wrong:
    print("FAILED:", text)
sys.exit(1 if wrong else 0)
