"""Makes the manual pages in man/ from their texts, man/PAGE.md, and from what the program prints.

A text is Markdown: the title "# NAME - SUMMARY", a description, and sections. Between the two the page of a command has
its commands and flags, from `--help`, cnsched.yaml(5) the keys, from `config --schema`, and cnsched-rules(7) the rules,
as SARIF has them."""

import argparse
import difflib
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import config_keys
import roff

MAN = Path(__file__).resolve().parents[2] / "man"
# Headings of `--help` without flags.
NOT_FLAGS = {"Commands", "Examples", "Exit codes"}


class Pages:
    def __init__(self, binary):
        self.binary = binary
        version = json.loads(self.run("version", "--json"))
        self.date, self.source = version["date"], f"cnsched {version['version']}"

    def run(self, *arguments):
        return subprocess.run([self.binary, *arguments], check=True, capture_output=True, text=True, input="").stdout

    def all(self):
        """The text of each page by its name, "cnsched-lint.1"."""
        commands = list(self.commands_from("cnsched"))
        pages = {page_of(command): self.command_page(command, commands) for command in commands}
        pages["cnsched.yaml.5"] = self.page("cnsched.yaml.5", synopsis="\n## Synopsis\n\n`.cnsched.yaml`\n",
                                            inserted=self.keys())
        pages["cnsched-rules.7"] = self.page("cnsched-rules.7", inserted="\n".join(self.rules()))
        return pages

    def page(self, page, synopsis="", inserted="", see_also=""):
        name, section = page.rsplit(".", 1)
        title, text = (MAN / f"{page}.md").read_text().split("\n\n", 1)
        description, *sections = re.split("^(?=## )", text, flags=re.M)
        markdown = "\n".join([f"## Name\n\n{title[2:]}\n{synopsis}\n## Description\n\n{description}{inserted}",
                              *sections, see_also]).replace("## Exit codes", "## Exit status")
        return (f'.\\" Made by tools/man from man/{page}.md and the program.\n' +
                roff.page(name, section, self.date, self.source, markdown))

    def command_page(self, command, commands):
        usage, rows = self.help_of(command)
        see_also = [f"`{name}`({section})" for name, section in
                    (page_of(each).rsplit(".", 1) for each in commands if each != command)]
        return self.page(page_of(command),
                         synopsis=f"\n## Synopsis\n\n`{command}` *{usage.removeprefix(command).strip()}*\n",
                         inserted="\n".join(commands_and_flags(command, rows)),
                         see_also=f"## See also\n\n{', '.join(see_also)}, `cnsched.yaml`(5), `cnsched-rules`(7)\n")

    @functools.cache
    def help_of(self, command):
        """The usage of a command, and the rows below each heading of its help."""
        blocks = self.run(*command.split()[1:], "--help").split("\n\n")
        usage = next(block for block in blocks if block.startswith("Usage: "))
        rows = {block[:block.index(":\n")]: rows_of(block) for block in blocks if re.match(r"[\w ]+:\n", block)}
        return usage.split("\n")[0].removeprefix("Usage: "), rows

    def commands_from(self, command):
        """The command and all below it, "cnsched generate pin"."""
        yield command
        for name, _ in self.help_of(command)[1].get("Commands", []):
            yield from self.commands_from(f"{command} {name}")

    def keys(self):
        keys = "\n".join(config_keys.keys(json.loads(self.run("config", "--schema"))))
        return "\n## Keys\n\n" + re.sub("^##", "###", keys, flags=re.M)

    def rules(self):
        group = None
        log = json.loads(self.run("lint", "-", "--no-config", "--quiet", "--format", "sarif"))
        pages = {rule["id"]: rule["help"]["markdown"] for rule in log["runs"][0]["tool"]["driver"]["rules"]}
        for rule in json.loads(self.run("rules", "--format", "json", "--no-config"))["rules"]:
            if rule["group"] != group:
                group = rule["group"]
                yield f"\n## {group}\n"
            fix = f", {rule['fix']} fix" if rule["fix"] else ""
            yield f"### {rule['id']} ({rule['severity']}{fix})\n"
            yield re.sub(r"^\*\*(.+)\*\*$", r"**\1:**", pages[rule["id"]], flags=re.M)


def page_of(command):
    return command.replace(" ", "-") + ".1"


def rows_of(block):
    """What is left and what is right of the column of descriptions, which may begin on the next line."""
    rows = re.findall(r"^  (\S.*?)(?:  +|\n +)(\S.*(?:\n {28}.*)*)", block, re.M)
    return [(left, " ".join(right.split())) for left, right in rows]


def commands_and_flags(command, rows):
    if "Commands" in rows:
        yield "\n## Commands\n"
        for name, summary in rows["Commands"]:
            yield f"- `{page_of(f'{command} {name}')[:-2]}`(1): {summary}"
    yield "\n## Options\n"
    for heading, flags in rows.items():
        if heading in NOT_FLAGS:
            continue
        if heading not in ("Arguments", "Options"):
            yield f"\n### {heading}\n"
        for left, text in flags:
            names = re.findall(r"(?<!\S)-[^\s,]+", left)
            value = re.sub(r"^.*(-\S+ ?|, )", "", left)
            tag = ", ".join(f"`{name}`" for name in names) + (f" *{value}*" if value else "")
            yield f"- {tag.strip()}: " + re.sub(r"[*<\\]", r"\\\g<0>", text)


def main():
    parser = argparse.ArgumentParser(prog="python3 tools/man", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="only show how the pages differ, then exit 1 (CNSCHED_BLESS=1 writes them all the same)")
    parser.add_argument("binary", metavar="CNSCHED")
    options = parser.parse_args()
    only_check = options.check and os.environ.get("CNSCHED_BLESS") != "1"
    pages = Pages(options.binary).all()
    strays = [path for path in MAN.iterdir() if path.name.removesuffix(".md") not in pages]
    for path in strays:
        print(f"{path}: there is no such command")
    differ = bool(strays)
    for name, text in pages.items():
        path = MAN / name
        old = path.read_text() if path.exists() else ""
        if old == text:
            continue
        if only_check:
            differ = True
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), text.splitlines(True), str(path), "tools/man"))
        else:
            path.write_text(text)
            print(f"wrote {path}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
