#!/usr/bin/env python3
"""Prints what a terminal shows of Neovim with findings in a manifest: neovim_screen.py CONFIGURATION MANIFEST

Uses tmux. The cursor is at the last error, whose text is in a window. Colors are the codes that
testdata/terminal_picture.h reads.
"""
import os
import re
import subprocess
import sys
import time

COLUMNS, ROWS = 100, 34
WAITS = 300  # tenths of a second
# Only colors that a picture has.
COLORS = ("highlight clear SignColumn | highlight DiagnosticError ctermfg=9 | highlight DiagnosticWarn ctermfg=11 |"
          " highlight Identifier ctermfg=14 cterm=NONE | highlight NormalFloat ctermbg=NONE |"
          " highlight LineNr ctermfg=NONE")
OPTIONS = "number signcolumn=yes laststatus=0 noruler noshowcmd background=dark"


def tmux(*arguments):
    return subprocess.run(["tmux", "-L", f"cnsched-{os.getpid()}", "-f", "/dev/null", *arguments],
                          check=True, capture_output=True, text=True).stdout


def screen_with(*words):
    """The screen when it shows the words and does not change any more."""
    before = None
    for _ in range(WAITS):
        screen = tmux("capture-pane", "-e", "-p")
        if screen == before and all(word in screen for word in words):
            return screen
        before = screen
        time.sleep(0.1)
    sys.exit(f"Neovim does not show {words}:\n{before}")


def with_few_codes(screen):
    """Only bold and bright colors, each after a reset."""
    bold, color = False, ""
    result = "\x1b[0m"  # so that the blanks behind it are not trimmed
    for text, codes in re.findall(r"([^\x1b]*)(?:\x1b\[([\d;]*)m)?", screen):
        result += text
        numbers = codes.split(";") if codes else []
        before = (bold, color)
        while numbers:
            number = numbers.pop(0) or "0"
            if number in ("38", "48"):  # one of 256 colors
                index = numbers[1]
                del numbers[:2]
                if number == "38":
                    color = f"9{int(index) % 8}" if int(index) < 16 else ""
            elif number == "0":
                bold, color = False, ""
            elif number in ("1", "22"):
                bold = number == "1"
            elif number == "39":
                color = ""
            elif re.fullmatch("[39][0-7]", number):
                color = "9" + number[1]
        if before != (bold, color):
            result += "\x1b[0m" + "\x1b[1m" * bold + f"\x1b[{color}m" * bool(color)
    lines = [re.sub(r"\s+((\x1b\[\d+m)*)$", r"\1", line) for line in result.rstrip().split("\n")]
    return "\n".join(lines) + "\n"


def main():
    configuration, manifest = sys.argv[1:]
    try:
        tmux("new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS), "nvim", "-u", "NONE", "-i", "NONE", "-n",
             "--cmd", f"filetype on | syntax on | set {OPTIONS}", "--cmd", f"source {configuration}", "-c", COLORS,
             manifest)
        screen_with("Knative rejects", "is above its limit", "the pod tolerates")
        tmux("send-keys", ":lua vim.diagnostic.goto_prev({ severity = 1 })", "Enter")
        sys.stdout.write(with_few_codes(screen_with("Diagnostics:")))
    finally:
        subprocess.run(["tmux", "-L", f"cnsched-{os.getpid()}", "kill-server"], check=False, capture_output=True)


main()
