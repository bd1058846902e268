#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Is no link in the pages dead?  tools/check_links.py [FOLDER]      FOLDER: the root of a tree, by default this one

In every .md file: each relative link and picture exists, and each #anchor is a heading of its page. Every page of docs/
can be reached from docs/README.md, every picture of docs/ stands in a page, and every page of docs/ that a source, a
header or a script names is there. The last line is "N links, N dead"; dead ones are printed before it."""
import os
import re
import sys

home = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
root = os.path.normpath(sys.argv[1] if len(sys.argv) > 1 else home)
FENCE = re.compile(r"^ *```.*?^ *```$", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.M)
PAGE = re.compile(r"(?<![\w/.-])docs/[\w/]+\.(?:md|svg|png)\b")
NAMING = (".c", ".h", ".sh", ".py", ".txt", ".cmake", ".slurm", ".list", "Makefile")


def files():
    for folder, inner, names in os.walk(root):
        top = folder == root
        inner[:] = sorted(n for n in inner if not (n.startswith(".") and n != ".github")
                          and not (top and re.match(r"build|obj-|dist$", n)) and n != "corpus")
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def read(path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def anchors(text):
    """The names that GitHub gives to headings: lower case, no marks, blanks as hyphens, repeats counted."""
    seen = {}
    for heading in HEADING.findall(FENCE.sub("", text)):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)|<[^>]*>", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        count = seen.get(name, 0)
        seen[name] = count + 1
        yield f"{name}-{count}" if count else name


def main():
    everything = list(files())
    pages = {path: read(path) for path in everything if path.endswith(".md")}
    headings = {path: set(anchors(text)) for path, text in pages.items()}
    there = set(everything) | {os.path.dirname(path) for path in everything} | {""}
    links, dead, leads = 0, [], {}
    for page, text in pages.items():
        leads[page] = set()
        for target in LINK.findall(CODE.sub("", FENCE.sub("", text))):
            if re.match(r"[a-z]+:", target):
                continue
            links += 1
            path, _, anchor = target.partition("#")
            goal = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            goal = "" if goal == "." else goal
            if goal not in there:
                dead.append(f"{page}: '{target}' is not there")
            elif anchor and anchor not in headings.get(goal, ()):
                dead.append(f"{page}: '{target}': {goal} has no heading of this name")
            leads[page].add(goal)
    reached, todo = set(), ["docs/README.md"]
    while todo:
        page = todo.pop()
        if page in reached or page not in leads:
            continue
        reached.add(page)
        todo += leads[page]
    shown = set().union(*leads.values())
    for path in everything:
        if path.startswith("docs/") and path.endswith(".md") and path not in reached:
            dead.append(f"{path}: no link leads here from docs/README.md")
        if path.startswith("docs/") and path.endswith((".svg", ".png")) and path not in shown:
            dead.append(f"{path}: stands in no page")
        if path.endswith(NAMING) and not path.startswith("tests/"):
            for name in PAGE.findall(read(path)):
                links += 1
                if name not in there:
                    dead.append(f"{path}: names {name}, which is not there")
    print("\n".join(dead + [f"{links} links, {len(dead)} dead"]))
    return 1 if dead or not links else 0


sys.exit(main())
