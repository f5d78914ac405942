"""What mkdocs.yml cannot say: pages from outside docs/, pages that the binary $CNSCHED prints, and links that work on
GitHub as well as on the site.

docs/ is read as it is. A link in it is a path in the repository, so every link is resolved there and then becomes a link
to the page of the site, or to the file in the repository, or, while the repository has no address, plain text.
"""

import json
import logging
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.structure.files import File

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tools/man"))
import config_keys  # noqa: E402

log = logging.getLogger("mkdocs.hooks.cnsched")
assets = root / "tools/site/assets"
# Pages from outside docs/, by their path in the repository.
outside = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
home, keys = "index.md", "configuration/keys.md"


def cnsched(*arguments):
    return subprocess.run([os.environ["CNSCHED"], *arguments], check=True, capture_output=True, text=True).stdout


rules = {rule["id"]: rule for rule in json.loads(cnsched("rules", "--format", "json"))["rules"]}


def page_of(rule):
    return f"rules/{rule}/index.md"


# Pages and files of the site

def on_config(config):
    section = next(entry["Rules"] for entry in config.nav if "Rules" in entry)
    groups = {}
    for rule in rules.values():
        groups.setdefault(rule["group"], []).append({rule["id"]: page_of(rule["id"])})
    section += [{group: pages} for group, pages in groups.items()]


def on_files(files, config):
    def add(name, content):
        files.append(File.generated(config, name, content=content))

    add(home, home_page())
    add(keys, keys_page())
    for source, name in outside.items():
        add(name, (root / source).read_text())
    for rule in rules:
        add(page_of(rule), cnsched("explain", "--format", "markdown", rule))
    for asset in sorted(assets.iterdir()):
        files.append(File.generated(config, f"assets/{asset.name}", abs_src_path=str(asset)))
    for file in files.documentation_pages():
        # Every page is a directory, also without a server, for which the offline plugin disables directory URLs.
        name = posixpath.splitext(file.dest_uri)[0]
        file.dest_uri = file.dest_uri if posixpath.basename(name) == "index" else f"{name}/index.html"


def home_page():
    """The introduction of README.md, up to its second heading, and where to go from there."""
    readme = (root / "README.md").read_text()
    introduction = relinked(readme[:readme.index("\n## ")], lambda path: posixpath.relpath(path, "docs"))
    introduction = introduction.replace('="docs/', '="')  # pictures in HTML
    return introduction + (root / "tools/site/home.md").read_text()


def keys_page():
    schema = json.loads(cnsched("config", "--schema"))
    introduction = ("# Keys of the configuration\n\n"
                    "Every key of [`.cnsched.yaml`](../configuration.md), from `cnsched config --schema`. A key that is "
                    "missing or empty sets nothing: no file is excluded, rules have the severities of the "
                    "[table](../rules.md), and a fact about the cluster is unknown unless manifests or `--cluster` files "
                    "show it.\n")
    return "\n".join([introduction, *config_keys.keys(schema)])


# The text of a page

def on_pre_page(page, config, files):
    if page.canonical_url:
        page.canonical_url = page.canonical_url.removesuffix("index.html")


def on_page_markdown(markdown, page, config, files):
    name = page.file.src_uri
    source = next((path for path, site in outside.items() if site == name), f"docs/{name}")
    folder = posixpath.dirname(source)
    here = posixpath.dirname(name)
    text = re.sub(r"^<!--.*?-->\n", "", markdown, flags=re.M)
    text = relinked(text, lambda path: site_link(posixpath.normpath(posixpath.join(folder, path)), here))
    text = outside_blocks(text, lambda prose: rules_linked(prose, name, here))
    if name == "configuration.md":
        text += f"\n## All keys\n\n[Keys of the configuration]({keys}) lists each with its type, default and meaning.\n"
    rule = rules.get(posixpath.basename(here)) if name.startswith("rules/") else None
    if rule is not None:
        page.meta["description"] = f"{rule['id']}: {rule['summary']}"
    return lists_separated(text)


def site_link(path, here):
    """The link from a page in the folder `here` to a file of the repository; None: there is none."""
    if path in outside:
        return posixpath.relpath(outside[path], here or ".")
    if path == "README.md":
        return posixpath.relpath(home, here or ".")
    if path.startswith("docs/"):
        return posixpath.relpath(path[len("docs/"):], here or ".")
    if not (root / path).exists():
        log.warning("a page links to '%s', which is not in the repository", path)
    repository = os.environ["CNSCHED_REPOSITORY"]
    return f"{repository}/blob/HEAD/{path}" if repository else None


def relinked(markdown, target_of):
    """Replaces the targets of links to files."""
    def replaced(match):
        text, target, anchor = match["text"], match["target"], match["anchor"] or ""
        if not target or urlsplit(target).scheme:
            return match[0]
        new = target_of(target)
        return text[text.index("[") + 1:-1] if new is None else f"{text}({new}{anchor})"

    link = re.compile(r"(?P<text>!?\[[^][]*\])\((?P<target>[^()#\s]*)(?P<anchor>#[^()\s]*)?\)")
    return outside_blocks(markdown, lambda prose: link.sub(replaced, prose))


def rules_linked(prose, name, here):
    """Links the ids of rules in backquotes to their pages."""
    def linked(match):
        rule = match[1]
        if rule not in rules or page_of(rule) == name:
            return match[0]
        return f"[`{rule}`]({posixpath.relpath(page_of(rule), here or '.')})"

    lines = prose.split("\n")
    return "\n".join(line if line.startswith("#") else re.sub(r"(?<!\[)`([a-z-]+)`(?!\])", linked, line)
                     for line in lines)


def outside_blocks(markdown, change):
    """Changes what is outside fenced blocks."""
    parts = re.split(r"(^ *```.*?^ *```$)", markdown, flags=re.M | re.S)
    return "".join(part if i % 2 else change(part) for i, part in enumerate(parts))


def lists_separated(markdown):
    """Puts the empty line before a list that Python's Markdown needs and GitHub's does not."""
    def separated(prose):
        result, in_list = [], False
        for line in prose.split("\n"):
            is_item = re.match(r"(?:[-*]|\d+\.) ", line) is not None
            if is_item and not in_list and result and result[-1].strip():
                result.append("")
            in_list = is_item or (in_list and (line.startswith("  ") or not line.strip()))
            result.append(line)
        return "\n".join(result)

    return outside_blocks(markdown, separated)
