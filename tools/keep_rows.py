#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of an experiment as results/ keeps them: numbers with five digits, and the spec instead of all options,
but for rows under the thesis's protocol, whose options say what its search has chosen.

    tools/keep_rows.py FOLDER/NAME.csv > results/NAME.csv

Five digits draw the same figures and judge the same claims, in a third of the bytes."""
import csv
import sys

TEXTS = {"study", "data", "spec", "kernels", "commit", "options"}
EXACT = {"split", "seed", "results"}


def cell(name, value):
    if name in TEXTS:
        return '"' + value.replace('"', '""') + '"'
    return value if name in EXACT or value == "nan" else "%.5g" % float(value)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        print(",".join(names))
        for row in rows:
            if "preset=thesis" not in row[names.index("study")]:
                row[names.index("options")] = row[names.index("spec")]
            print(",".join(cell(name, value) for name, value in zip(names, row)))


main()
