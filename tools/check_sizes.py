#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Are files and functions of a size that can be read? Prints what is too large, and exits 1.

  - a file of src/, cli/ or experiments/ has at most 700 lines;
  - a function of src/committee/, the default algorithm, has at most six parameters, and its main file 250 lines;
  - of all functions of src/ fewer than 25 have eight parameters or more.
"""
import os
import re
import subprocess
import sys

MOST_LINES, MOST_MAIN_LINES, MOST_PARAMETERS, MANY, MOST_WITH_MANY = 700, 250, 6, 8, 24
DEFINITION = re.compile(r"^(?!#)[a-zA-Z][\w \*]*?[ \*](?:REAL\()?(\w+)\)?\(([^;{}]*?)\)\s*\n\{", re.M)


def parameters(text):
    """How many a list has: commas outside of brackets, and one."""
    depth, count = 0, 1
    for letter in text:
        depth += letter in "([" and 1 or letter in ")]" and -1 or 0
        count += letter == "," and depth == 0
    return count


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "src", "cli", "experiments"],
                            capture_output=True, text=True, check=True).stdout.split()
    bad, many = [], []
    for name in listed:
        if not name.endswith((".c", ".h")) or "/tests/" in name or not os.path.exists(name):
            continue
        with open(name, encoding="utf-8") as file:
            text = file.read()
        lines = text.count("\n")
        most = MOST_MAIN_LINES if name == "src/committee/committee.c" else MOST_LINES
        if lines > most:
            bad.append(f"{name}: {lines} lines, more than {most}")
        for found in DEFINITION.finditer(re.sub(r"/\*.*?\*/", "", text, flags=re.S)):
            count = parameters(found.group(2))
            if name.startswith("src/committee/") and count > MOST_PARAMETERS:
                bad.append(f"{name}: {found.group(1)} has {count} parameters, more than {MOST_PARAMETERS}")
            if name.startswith("src/") and count >= MANY:
                many.append(f"{name}: {found.group(1)} has {count} parameters")
    if len(many) > MOST_WITH_MANY:
        bad += many + [f"{len(many)} functions have {MANY} parameters or more; {MOST_WITH_MANY} may"]
    for line in bad:
        print(line)
    if not bad:
        print(f"sizes: all in order, {len(many)} functions with {MANY} parameters or more")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
