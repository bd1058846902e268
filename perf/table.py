#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables from the rows of build/perf/uci: table.py ROWS.csv [--paired A B]

One line per group, set, gap and spec: means over splits, coverage pooled over test rows, and for gap sets the increase of the
mean epistemic std in percent (mean and standard deviation over splits; found = mean - sd > 0) and the AUROC. --paired A B
compares two specs split by split: difference of mean log-likelihood, its standard error, who is ahead.
"""
import collections
import csv
import math
import sys


def mean(values):
    return sum(values) / len(values)


def spread(values):
    m = mean(values)
    return math.sqrt(sum((v - m) ** 2 for v in values) / max(1, len(values) - 1))


def overview(rows):
    cells = collections.defaultdict(list)
    for r in rows:
        cells[r["group"], r["set"], r["gap"], r["spec"]].append(r)
    for key in sorted(cells):
        v = cells[key]
        n = sum(int(r["rows"]) for r in v)
        covered = sum(float(r["coverage_95"]) * int(r["rows"]) for r in v) / n
        number = lambda name: mean([float(r[name]) for r in v])
        line = (f"{key[0]:8} {key[1]:18} {key[2]:8.8} {key[3]:44} n={len(v):2} rmse {number('rmse'):.4g} ll {number('log_lik'):.3f} "
                f"cov95 {covered:.3f} cos2 {number('mean_cos2'):.3g} sec {number('seconds'):.1f}")
        if key[0] == "gap":
            up = [100 * (float(r["gap_std_epistemic"]) / float(r["mean_std_epistemic"]) - 1) for r in v]
            found = "found" if mean(up) - spread(up) > 0 else "not found"
            line += f" increase {mean(up):.0f}+-{spread(up):.0f} % {found} auroc {number('gap_auroc'):.2f}"
        print(line)


def paired(rows, a, b):
    cells = collections.defaultdict(dict)
    for r in rows:
        if r["group"] == "standard" and r["spec"] in (a, b):
            cells[r["set"], r["split"]][r["spec"]] = float(r["log_lik"])
    sets = collections.defaultdict(list)
    for (name, _), pair in cells.items():
        if len(pair) == 2:
            sets[name].append(pair[b] - pair[a])
    for name in sorted(sets):
        d = sets[name]
        error = spread(d) / math.sqrt(len(d))
        print(f"{name:18} n={len(d):2} log-likelihood of {b} minus {a}: {mean(d):+.4f} +- {error:.4f} "
              f"{'ahead' if mean(d) > 0 else 'BEHIND by more than 2 se' if mean(d) < -2 * error else 'behind'}")


if __name__ == "__main__":
    table = list(csv.DictReader(open(sys.argv[1])))
    overview(table)
    if len(sys.argv) == 5 and sys.argv[2] == "--paired":
        paired(table, sys.argv[3], sys.argv[4])
