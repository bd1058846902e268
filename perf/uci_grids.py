#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the grids of uci lose that --preset thesis leaves out (experiments/published/protocol.c), by the whole grids of the thesis,
which were trained once on five splits of boston and concrete: perf/uci_grids.csv has the best validation
log-likelihood of every training, over its prior variances.

    perf/uci_grids.py"""
import collections
import csv
import os

KEPT = {
    "luna": lambda o: o["perturbation_std"] == "0.01" and o["diversity"] in ("1e-07", "1"),
    "bbvi": lambda o: o["weight_var"] in ("1", "50"),
    "sngp": lambda o: o.get("bound", "1") in ("1", "5"),
}


def main():
    whole, kept = collections.defaultdict(list), collections.defaultdict(list)
    with open(os.path.join(os.path.dirname(__file__), "uci_grids.csv"), newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["kind"], row["set"], row["split"]
            options = dict(text.split("=") for text in row["options"].split())
            whole[key].append(float(row["best_valid_log_lik"]))
            if KEPT[row["kind"]](options):
                kept[key].append(float(row["best_valid_log_lik"]))
    most = 0
    for kind, name in sorted({key[:2] for key in whole}):
        losses = [max(whole[key]) - max(kept[key]) for key in whole if key[:2] == (kind, name)]
        sizes = {(len(kept[key]), len(whole[key])) for key in whole if key[:2] == (kind, name)}
        print("%-5s %-9s %s trainings, %d splits: loss mean %.5f, most %.5f" % (
            kind, name, " ".join("%d of %d" % s for s in sizes), len(losses), sum(losses) / len(losses), max(losses)))
        most = max(most, *losses)
    print("most of all: %.4f nats" % most)


main()
