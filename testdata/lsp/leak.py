#!/usr/bin/env python3
"""Measures the memory of `cnsched lsp` after 1,000 and after 10,000 edits: leak.py BINARY [EDITS]

Edits alternate between a change without findings, a mistake, text that is not valid YAML, and facts. The memory may grow
by a tenth. Exit codes: 0 it does not grow more, 1 it does.
"""
import pathlib
import shutil
import sys
import tempfile

from client import Client

HERE = pathlib.Path(__file__).resolve().parent
GROWTH = 1.1
# File, line, and a text that is inserted at its beginning and removed again.
EDITS = (("service.yaml", 0, "#"), ("service.yaml", 17, "  "), ("runtime.yaml", 9, "# "), ("service.yaml", 8, "["),
         ("seldon.yaml", 31, "x"), ("nodes.yaml", 8, "# "))


def main():
    edits = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "workspace")
        shutil.copytree(HERE / "workspace", folder)
        folder.joinpath(".git").mkdir()
        client, versions = Client(sys.argv[1], folder), {}
        for path, _, _ in EDITS:
            if path not in versions:
                versions[path] = 1
                client.open(path, (folder / path).read_text())
                client.wait(path, 1)
        sizes = {}
        for edit in range(edits):
            path, line, text = EDITS[edit // 2 % len(EDITS)]
            versions[path] += 1
            if edit % 2 == 0:
                client.insert(path, versions[path], line, 0, text)
            else:
                client.insert(path, versions[path], line, 0, "", len(text))
            client.wait(path, versions[path])
            client.log.clear()
            if edit + 1 in (edits // 10, edits):
                sizes[edit + 1] = client.resident()
        code = client.stop()
    early, late = sizes[edits // 10], sizes[edits]
    print(f"{early} KiB after {edits // 10} edits, {late} KiB after {edits}: x {late / early:.2f}; exit {code}")
    sys.exit(0 if late <= GROWTH * early and code == 0 else 1)


main()
