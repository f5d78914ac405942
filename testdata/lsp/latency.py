#!/usr/bin/env python3
"""Measures how fast `cnsched lsp` answers in a folder: latency.py BINARY FOLDER [EDITS]

Prints a table: the median, 95 % and the maximum of the time from an edit to its diagnostics, and of hover and
completion after an edit, in milliseconds and as parts of the time of `cnsched lint` in the same folder. lint runs
before and after, because the load of the machine changes.
"""
import os
import random
import statistics
import subprocess
import sys
import time

from client import Client, manifests

FILES = 20
SEED = 1
GOAL_MILLISECONDS = 150  # at the median, among 2,000 manifests


def milliseconds(run):
    begin = time.perf_counter()
    run()
    return 1000 * (time.perf_counter() - begin)


def lint(binary, folder):
    return milliseconds(lambda: subprocess.run([binary, "lint", "--format", "json"], cwd=folder, check=False,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def measure(binary, folder, edits):
    chance, times = random.Random(SEED), {"diagnostics": [], "hover": [], "completion": []}
    client = Client(binary, folder)
    start = milliseconds(lambda: client.request("textDocument/diagnostic", {"textDocument": {"uri": "file:///none"}}))
    texts = [each for each in manifests(folder) if each[1].strip()]
    chosen = chance.sample(texts, min(FILES, len(texts)))
    for path, text in chosen:
        client.open(path, text)
        client.wait(path, 1)
        lines, version = text.split("\n"), 1
        for _ in range(max(1, edits // len(chosen) // 2)):
            line = chance.randrange(len(lines))
            end = len(lines[line].rstrip("\r").encode("utf-16-le")) // 2
            for inserted, removed in (("x", 0), ("", 1)):
                version += 1
                begin = time.perf_counter()
                client.insert(path, version, line, end, inserted, removed)
                client.wait(path, version)
                times["diagnostics"].append(1000 * (time.perf_counter() - begin))
                for name in ("hover", "completion"):
                    about = client.about(path, line, end // 2)
                    times[name].append(milliseconds(lambda: client.request("textDocument/" + name, about)))
    return start, times, client.resident(), client.stop()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[0])
    binary, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    edits = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    yardstick = [lint(binary, folder) for _ in range(3)]
    start, times, resident, code = measure(binary, folder, edits)
    yardstick = statistics.median(yardstick + [lint(binary, folder) for _ in range(3)])
    print(f"| of {edits} edits | median | 95 % | most | median / lint |\n|---|---|---|---|---|")
    for name, each in times.items():
        each.sort()
        middle, late = statistics.median(each), each[int(len(each) * 0.95)]
        print(f"| {name} | {middle:.1f} ms | {late:.1f} ms | {each[-1]:.1f} ms | {middle / yardstick:.3f} |")
    diagnostics = statistics.median(times["diagnostics"])
    print(f"\ndiagnostics: goal {GOAL_MILLISECONDS} ms {'met' if diagnostics <= GOAL_MILLISECONDS else 'missed'}")
    print(f"lint {yardstick:.0f} ms, first check {start:.0f} ms, memory {resident / 1024:.0f} MiB, exit {code}")


if __name__ == "__main__":
    main()
