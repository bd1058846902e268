#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Do the pages point at things that exist?  tools/check_links.py [FOLDER]     FOLDER: the root of a tree, else this one

Links: in every .md file each relative link and picture exists, and each #anchor is a heading of its page. Every page
of docs/ can be reached from docs/README.md, every picture of docs/ stands in a page, and every page of docs/ that a
source, a header or a script names is there.

Names: what a page has between backticks is there. An identifier with an underscore (but no number at its end, as in
names of columns) stands in a source, a header, a test or a script; a file exists at the root, in src/ or in include/;
and `name` in `file.c` is a name of that file. In a table's column "Function" or "Where" names of one word are
functions, or pointers to some, in a room of src/ of which the section names a file. What a page makes itself, in a
fenced block, need not be there.

The last line is "N links, N names, N dead"; dead ones are printed before it."""
import functools
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
WORD = re.compile(r"\w+")
IDENTIFIER = re.compile(r"(?<![\w./-])[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+(?![\w<>*./-])")
CALLED = re.compile(r"\b(\w+)\)?\s*\(")
ROOM = re.compile(r"`(?:src/)?([a-z]+)/\w+\.[ch]`")
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
SOURCE = re.compile(r"(?<![\w./-])(?:[\w.-]+/)+[\w.-]+\.(?:c|h|sh|py|list|cmake)\b")
WHOSE = re.compile(r"((?:`\w+`(?:,| and)\s)*`\w+`)\sin\s`((?:\w+/)+\w+\.[ch])`")
# Identifiers of examples and formulas: a column of a table, a number in place of a name.
EXAMPLES = {"mean_strength", "std_strength", "prior_log_lik_N", "prior_centre_N", "NAME_one", "S_jj"}


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


def known_words(everything):
    """Every word of the sources, and the names of targets, which are those of their files."""
    words = set()
    for path in everything:
        stem = os.path.splitext(os.path.basename(path))[0]
        words |= {stem, "perf_" + stem}
        is_source = path.endswith(NAMING + (".json", ".in")) or re.match(r"tools/\w+$", path)
        if is_source and not path.endswith(".list"):
            words |= set(WORD.findall(read(path)))
    return words


def place_of(path, everything):
    """Where a file is that a page names: from the root, in src/ or in include/; or None."""
    return next((p for p in (path, "src/" + path, "include/" + path) if p in everything), None)


@functools.lru_cache(maxsize=None)
def functions_of(room):
    """What is called, defined or pointed to in a folder of src/, outside comments and texts."""
    names, folder = set(), os.path.join(root, "src", room)
    for file in os.listdir(folder) if os.path.isdir(folder) else []:
        if file.endswith((".c", ".h")):
            names |= set(CALLED.findall(COMMENT.sub(" ", read(os.path.join("src", room, file)))))
    return names


def names_in_columns(text):
    """The names between backticks in columns "Function" and "Where" of tables, but no paths or expressions."""
    column = None
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split(" | ")] if line.startswith("|") else []
        titles = [i for i, cell in enumerate(cells) if cell.strip("| ") in ("Function", "Where")]
        if not cells:
            column = None
        elif column is None:
            column = titles[0] if titles else -1
        elif 0 <= column < len(cells):
            yield from re.findall(r"`([A-Za-z_]\w*)`", cells[column])


def dead_names(page, text, everything, words):
    """How many names there are between the backticks of a page, and sentences about those that are not there."""
    made = set(WORD.findall(" ".join(FENCE.findall(text))))
    laid = set(SOURCE.findall(" ".join(re.findall(r"(?:.+\n)+\n?(?=```)", text))))
    folders = {path.split("/")[0] for path in everything} | {
        path.split("/")[1] for path in everything if path.startswith("src/")}
    plain = FENCE.sub("", text)
    count, dead = 0, []
    for code in CODE.findall(plain):
        for name in IDENTIFIER.findall(code):
            count += 1
            if name not in words | made | EXAMPLES and not re.search(r"_\d+$", name):
                dead.append(f"{page}: names {name}, which no source has")
        for path in SOURCE.findall(code):
            count += 1
            if (path.split("/")[0] in folders and "NAME" not in path and path not in laid
                    and not path.startswith("build") and not place_of(path, everything)):
                dead.append(f"{page}: names {path}, which is not there")
    for section in re.split(r"^## ", plain, flags=re.M):
        called = set().union(made, *(functions_of(room) for room in ROOM.findall(section)))
        for name in names_in_columns(section):
            count += 1
            if "_" not in name and name not in called:
                dead.append(f"{page}: names {name} in a table, which is no function of the rooms named there")
    for names, path in WHOSE.findall(plain):
        place = place_of(path, everything)
        for name in re.findall(r"\w+", names.replace(" and ", " ")):
            count += 1
            if place and not re.search(rf"\b{name}\b", read(place)):
                dead.append(f"{page}: names {name} in {path}, which has no such name")
    return count, dead


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
    names, words, in_tree = 0, known_words(everything), frozenset(everything)
    for page, text in pages.items():
        count, wrong = dead_names(page, text, in_tree, words)
        names += count
        dead += wrong
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
    print("\n".join(dead + [f"{links} links, {names} names, {len(dead)} dead"]))
    return 1 if dead or not links else 0


sys.exit(main())
