# SPDX-License-Identifier: Apache-2.0
"""Helpers of the measuring scripts: repeats in turns, medians with their spread, tables in Markdown."""
import datetime
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


class Missing(Exception):
    """Something that a table needs is not there; the message says what to do."""


def need(path, hint):
    if not os.path.exists(path):
        raise Missing(f"{path}: not there; {hint}")
    return path


def seconds_of(command):
    """Runs a program; its wall and CPU seconds and what it printed."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise Missing(f"{' '.join(map(str, command))}\n  ended with {done.returncode}: {done.stderr.strip()[-1500:]}")
    return {"seconds": wall, "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
            "output": done.stdout}


def run_json(command):
    """The JSON objects that a program prints, one a line."""
    return [json.loads(line) for line in seconds_of(command)["output"].splitlines() if line.startswith("{")]


def in_turns(repeats, **contestants):
    """Each repeat calls every contestant once, so that a busy spell of the machine meets all of them."""
    results = {name: [] for name in contestants}
    for r in range(repeats):
        for name, call in contestants.items():
            print(f"  repeat {r + 1} of {repeats}: {name}", file=sys.stderr, flush=True)
            results[name].append(call(r))
    return results


def spread(values, digits=3):
    """'median (smallest..largest)' with so many significant digits."""
    def short(x):
        return f"{x:.{digits}g}" if abs(x) < 10 ** digits else f"{x:.0f}"
    values = list(values)
    return f"{short(statistics.median(values))} ({short(min(values))}..{short(max(values))})"


def ratios(above, below):
    """Of the same repeat: what slowed one slowed the other."""
    return [a / b for a, b in zip(above, below)]


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def circumstances():
    """Date, commit and machine, as a line."""
    def output(*command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        return done.stdout.strip() if done.returncode == 0 else "unknown"
    model = next((line.split(":")[1].strip() for line in output("lscpu").splitlines() if line.startswith("Model name")),
                 platform.processor())
    changed = " with changes" if output("git", "status", "--porcelain", "--untracked-files=no", "render", "dataset") else ""
    load = ", ".join(f"{x:.1f}" for x in os.getloadavg())
    return (f"{datetime.date.today()}, commit {output('git', 'rev-parse', '--short', 'HEAD')}{changed}, "
            f"{os.cpu_count()} x {model}, load average {load}")
