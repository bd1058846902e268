#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts what a command prints now below it in a page: write_block.py PAGE COMMAND WANT GOT

WANT is what stands there. A line "..." stays, and with it as many lines before and after it as there were; a page with two of
them, or with "..." inside a line, is left to a person: exit status 1.
"""
import sys

page, command, want, got = sys.argv[1:]
old = open(want, encoding="utf-8").read()
new = open(got, encoding="utf-8").read().splitlines()
lines = old.splitlines()
rests = [i for i, line in enumerate(lines) if line.strip() == "..."]
if len(rests) > 1 or any("..." in line for i, line in enumerate(lines) if i not in rests):
    sys.exit(1)
if rests:
    before, after = rests[0], len(lines) - rests[0] - 1
    new = new[:before] + [lines[before]] + (new[-after:] if after else [])
text = open(page, encoding="utf-8").read()
place = f"$ {command}\n{old}"
if text.count(place) != 1:
    sys.exit(1)
with open(page, "w", encoding="utf-8") as file:
    file.write(text.replace(place, f"$ {command}\n" + "".join(line + "\n" for line in new)))
