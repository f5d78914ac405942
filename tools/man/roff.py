"""Markdown to the macros of man(7), for groff and mandoc."""

import re
import textwrap

# Two blanks begin each further line of an item.
BLOCK = re.compile(r"""^(?P<level>\#+)\ (?P<heading>.+)$
                      |^```\w*\n(?P<fenced>[\s\S]*?)^```$
                      |(?P<indented>(?:^\ {4}.*\n|^\n(?=\ {4}))+)
                      |^-\ (?P<item>.+(?:\n\ \ \S.*)*)
                      |^(?P<paragraph>\S.*(?:\n(?!-\ |\#|```)\S.*)*)""", re.M | re.X)
INLINE = re.compile(r"`(?P<code>[^`]*)`|\*\*(?P<bold>.+?)\*\*|\*(?P<italic>.+?)\*"
                    r"|<(?P<link>https?:[^>]*)>|\\(?P<char>.)")
# What an item is about: code and emphasis before the first colon.
TAG = re.compile(r"((?:`[^`]*`|\*[^*]*\*|\(\d\)|[, ])+)(?:: *([\s\S]*))?$")
ESCAPES = {"\\": r"\(rs", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti"}


def escaped(text):
    """Without markup of roff. Hyphens do not break literal words."""
    return "".join(ESCAPES.get(character, character) for character in text)


def argument(text):
    """An argument of a macro."""
    return '"' + escaped(text).replace('"', r"\(dq") + '"'


def line(text):
    """A line that begins no request."""
    return rf"\&{text}" if text.startswith(".") else text


def inline(text):
    """The text in one line, code and strong text in bold."""
    text = " ".join(text.split())
    result, end = "", 0
    for match in INLINE.finditer(text):
        result += escaped(text[end:match.start()])
        end = match.end()
        bold = match["code"] if match["bold"] is None else match["bold"]
        if bold is not None:
            result += rf"\fB{escaped(bold)}\fR"
        elif match["italic"] is not None:
            result += rf"\fI{escaped(match['italic'])}\fR"
        else:
            result += escaped(match["link"] or match["char"])
    return result + escaped(text[end:])


def filled(text):
    return map(line, textwrap.wrap(inline(text), 72, break_long_words=False, break_on_hyphens=False))


def verbatim(text):
    lines = textwrap.dedent(text).strip("\n").split("\n")
    return [".RS 4", ".nf", *(line(escaped(each)) or ".sp" for each in lines), ".fi", ".RE"]


def item(text):
    tag, about = TAG.match(text).groups() if TAG.match(text) else (None, text)
    head = [r".IP \(bu 2"] if tag is None else [".TP", line(inline(tag))]
    return [*head, *filled(about or "")]


def lines_of(markdown):
    after_heading = True
    for block in BLOCK.finditer(markdown):
        if block["heading"]:
            yield (f".SH {argument(block['heading'].upper())}" if len(block["level"]) == 2
                   else f".SS {argument(block['heading'])}")
        elif block["item"]:
            yield from item(block["item"])
        else:
            if not after_heading:
                yield ".PP"
            code = block["fenced"] or block["indented"]
            yield from verbatim(code) if code else filled(block["paragraph"])
        after_heading = bool(block["heading"])


def page(name, section, date, source, markdown):
    """A page with these sections, at headings of the second level."""
    title = f'.TH {argument(name.upper())} {section} "{date}" {argument(source)} "cnsched manual"'
    return "\n".join([title, *lines_of(markdown)]) + "\n"
