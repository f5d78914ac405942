#!/usr/bin/env python3
"""Compares what `cnsched lsp` reports with `cnsched lint --format json`: equal_to_lint.py BINARY FOLDER...

For each folder there are two sessions. In the first no file is open, in the second every file is opened. Both must
report lint's findings: rule, place, severity and message. A folder's files are copied, so that no .gitignore and no
configuration above it decides. Exit codes: 0 equal, 1 different.
"""
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from client import Client, manifests

SEVERITIES = {"error": 1, "warning": 2, "info": 3}
SHOWN = 5


def text_of(path):
    """As lint and editors read it."""
    return path.read_bytes().decode("utf-8-sig", errors="replace")


def linted(binary, folder):
    ran = subprocess.run([binary, "lint", "--format", "json"], cwd=folder, capture_output=True, check=False)
    found = collections.Counter()
    for finding in json.loads(ran.stdout)["findings"]:
        place = tuple(finding[name] for name in ("line", "column", "endLine", "endColumn"))
        found[(finding["file"].removeprefix("./"), *place, finding["rule"], SEVERITIES[finding["severity"]],
               finding["message"])] += 1
    return found


def served(client):
    found, lines = collections.Counter(), {}
    for path, published in client.published.items():
        for each in published["diagnostics"]:
            if path not in lines:
                text = text_of(pathlib.Path(client.folder, path))
                lines[path] = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
            place = []
            for end in ("start", "end"):
                position = each["range"][end]
                line = lines[path][position["line"]].encode("utf-16-le")
                before = line[: 2 * position["character"]].decode("utf-16-le")
                place += [position["line"] + 1, len(before) + 1]
            message = each["message"].split("\nhelp: ")[0]
            found[(path, *place, each["code"], each["severity"], message)] += 1
    return found


def compare(what, expected, seen):
    differences = [("lint", each) for each in (expected - seen)] + [("lsp", each) for each in (seen - expected)]
    for where, each in differences[:SHOWN]:
        print(f"{what}: only {where} reports {each}")
    if len(differences) > SHOWN:
        print(f"{what}: and {len(differences) - SHOWN} more differences")
    return not differences


def check(binary, source):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch, "folder")
        shutil.copytree(source, folder, symlinks=True)
        folder.joinpath(".git").mkdir(exist_ok=True)
        expected = linted(binary, folder)
        client, equal, opened = Client(binary, folder), True, 0
        for is_open in (False, True):
            if is_open:
                for path, text in manifests(folder):
                    client.open(path, text)
                    opened += 1
            client.request("textDocument/diagnostic", {"textDocument": {"uri": "file:///none"}})
            equal &= compare(f"{source}, {'open' if is_open else 'closed'}", expected, served(client))
        code = client.stop()
        verdict = "equal" if equal else "DIFFERENT"
        print(f"{source}: {opened} files, {expected.total()} findings, {verdict}, exit {code}")
        return equal and code == 0


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__.splitlines()[0])
    binary = pathlib.Path(sys.argv[1]).resolve()
    sys.exit(0 if all([check(binary, folder) for folder in sys.argv[2:]]) else 1)


main()
