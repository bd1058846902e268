#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables from the rows of `una bench uci` and `gap`: table.py ROWS.csv [--paired A B | --against A]

One line per group, set, gap and spec: means over splits, coverage pooled over test rows, and for gap sets the increase of the
mean epistemic std in percent (mean and standard deviation over splits; found = mean - sd > 0) and the AUROC. --paired A B
compares two specs split by split: difference of mean log-likelihood, its standard error, who is ahead. --against A does so for
every spec of the same model, set by set and over all pairs. A share of held-out rows stands behind the spec: "nlm --held 0.1".
Files of an older form (perf/study) name group, set and gap in columns of their own. Of rows that differ in their results version
alone, the latest count.
"""
import collections
import csv
import math
import re
import sys


def mean(values):
    return sum(values) / len(values)


def spread(values):
    m = mean(values)
    return math.sqrt(sum((v - m) ** 2 for v in values) / max(1, len(values) - 1))


def modern(r):
    """A row of `una bench` with the columns of the older form."""
    if "study" not in r:
        return r
    name, _, options = r["study"].partition("(")
    group = re.search(r"group=(\w+)", options)
    held = re.search(r"held=([\d.e-]+)", options)
    r["group"] = "gap" if name == "gap" else group.group(1) if group else "standard"
    r["set"], _, r["gap"] = re.sub("#[0-9a-f]{8}$", "", r["data"]).partition(" ")
    r["spec"] += f" --held {held.group(1)}" if held else ""
    return r


def latest(rows):
    newest = {}
    for r in rows:
        key = r["group"], r["set"], r["gap"], r["split"], r["spec"], r.get("seed")
        if key not in newest or int(r.get("results", 0)) > int(newest[key].get("results", 0)):
            newest[key] = r
    return list(newest.values())


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
        if v[0].get("log_lik_new"):
            line += f" new rows: ll {number('log_lik_new'):.3f} of {sum(int(r['rows_new']) for r in v)}"
        if key[0] == "gap":
            up = [100 * (float(r["gap_std_epistemic"]) / float(r["mean_std_epistemic"]) - 1) for r in v]
            found = "found" if mean(up) - spread(up) > 0 else "not found"
            line += f" increase {mean(up):.0f}+-{spread(up):.0f} % {found} auroc {number('gap_auroc'):.2f}"
        print(line)


def differences(rows, a, b):
    """Log-likelihood of b minus that of a, by set, over the splits that both have; gap sets are told apart by their gap."""
    cells = collections.defaultdict(dict)
    for r in rows:
        if r["spec"] in (a, b):
            cells[r["group"], r["set"], r["gap"], r["split"]][r["spec"]] = float(r["log_lik"])
    sets = collections.defaultdict(list)
    several = len({group for group, _, _, _ in cells}) > 1
    for (group, name, gap, _), pair in cells.items():
        if len(pair) == 2:
            sets[" ".join(filter(None, (several and group, name, gap)))].append(pair[b] - pair[a])
    return sets


def error(values):
    return spread(values) / math.sqrt(len(values))


def paired(rows, a, b):
    for name, d in sorted(differences(rows, a, b).items()):
        print(f"{name:18} n={len(d):2} log-likelihood of {b} minus {a}: {mean(d):+.4f} +- {error(d):.4f} "
              f"{'ahead' if mean(d) > 0 else 'BEHIND by more than 2 se' if mean(d) < -2 * error(d) else 'behind'}")


def against(rows, base):
    model = base.split("(")[0].split()[0]
    for spec in sorted({r["spec"] for r in rows}):
        if spec == base or spec.split("(")[0].split()[0] != model:
            continue
        sets = differences(rows, base, spec)
        each = "  ".join(f"{name} {mean(d):+.3f} +- {error(d):.3f}" for name, d in sorted(sets.items()))
        every = [v for d in sets.values() for v in d]
        if every:
            print(f"{spec:40} {each}  all {mean(every):+.3f} +- {error(every):.3f} (n={len(every)})")


def main(words):
    if len(words) not in (1, 3, 4) or (len(words) > 1 and words[1] != ("--against" if len(words) == 3 else "--paired")):
        sys.exit(__doc__.split("\n")[0])
    with open(words[0]) as file:
        table = [modern(r) for r in csv.DictReader(file)]
    if table and "study" in table[0]:
        table = latest(table)
    if len(words) == 3:
        against(table, words[2])
        return
    overview(table)
    if len(words) == 4:
        paired(table, words[2], words[3])


if __name__ == "__main__":
    main(sys.argv[1:])
