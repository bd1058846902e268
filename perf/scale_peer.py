#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scikit-learn's HistGradientBoostingRegressor on the rows of 'una bench scale', and una beside it.

    scale_peer.py BUILD/perf/scale_rows DATA PEER.csv [--sets A,B] [--sizes 4000,all] [--seeds 3] [--group standard]
    scale_peer.py --against ROWS.csv PEER.csv          ROWS.csv: what 'una bench scale --export' wrote

The peer has its defaults and a Gaussian with the standard deviation of its out-of-fold errors (five folds). Test rows are dealt
into twenty parts as there, so differences are paired: rows and seeds are both samples (experiments/scale/scale_steps.c). PEER.csv
is added to: rows that are there are not made again. Debian: python3-sklearn.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np

PARTS = 20
SETS = "d1,d5,d20,kin8nm,power-plant,naval-propulsion,protein-structure"


def rows_of(program, data, name, group, seed, sizes):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows")
        said = subprocess.run([program, data, name, group, str(seed), sizes, path], check=True, capture_output=True,
                              text=True).stdout
        numbers = np.fromfile(path)
    train, test, inputs = (int(n) for n in numbers[:3])
    cells = (train + test) * inputs
    x = numbers[3:3 + cells].reshape(-1, inputs)
    y = numbers[3 + cells:]
    return [int(size) for size in said.split()], x[:train], y[:train], x[train:], y[train:]


def peer(x, y, ask, truth):
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.model_selection import cross_val_predict
    noise = np.std(y - cross_val_predict(HistGradientBoostingRegressor(random_state=0), x, y, cv=5))
    off = truth - HistGradientBoostingRegressor(random_state=0).fit(x, y).predict(ask)
    log_lik = -0.5 * (np.log(2 * np.pi * noise**2) + (off / noise)**2)
    return [log_lik.mean(), np.sqrt((off**2).mean())] + [log_lik[p::PARTS].mean() for p in range(PARTS)]


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path) as file:
        return {(r[0], int(r[1]), int(r[2])): [float(v) for v in r[3:]] for r in list(csv.reader(file))[1:]}


def run(asked):
    done = read(asked.files[2])
    with open(asked.files[2], "a") as file:
        out = csv.writer(file)
        if not done:
            out.writerow(["set", "rows", "seed", "log_lik", "rmse"] + [f"log_lik_{p:02}" for p in range(PARTS)])
        for name in asked.sets.split(","):
            for seed in range(asked.seeds):
                sizes, x, y, ask, truth = rows_of(asked.files[0], asked.files[1], name, asked.group, seed, asked.sizes)
                for rows in sizes:
                    if (name, rows, seed) in done:
                        continue
                    out.writerow([name, rows, seed] + peer(x[:rows], y[:rows], ask, truth))
                    file.flush()


def crossed_error(cell):
    """Of the mean of [seeds, parts], as una_scale_crossed."""
    seeds, parts = cell.shape
    mean, seed, part = cell.mean(), cell.mean(1, keepdims=True), cell.mean(0, keepdims=True)
    s = parts * ((seed - mean)**2).sum() / max(seeds - 1, 1)
    p = seeds * ((part - mean)**2).sum() / (parts - 1)
    rest = ((cell - seed - part + mean)**2).sum() / (max(seeds - 1, 1) * (parts - 1))
    return np.sqrt((max(s, rest) + max(p, rest) - rest) / (seeds * parts))


def against(asked):
    theirs = read(asked.files[0])
    ours = {}
    with open(asked.against) as file:
        for r in csv.DictReader(line for line in file if not line.startswith("#")):
            name, rows = r["data"].split("#")[0].rsplit(" ", 1)
            if not r["spec"].startswith("auto") or not r["log_lik"]:
                continue
            ours[name, int(rows), int(r["seed"])] = [float(r["log_lik"]), float(r["rmse"])] + [
                float(r[f"log_lik_{p:02}"]) for p in range(PARTS)]
    bad = 0
    for name, rows in sorted({key[:2] for key in theirs if key in ours}):
        seeds = [s for s in range(100) if (name, rows, s) in theirs and (name, rows, s) in ours]
        a, b = (np.array([of[name, rows, s] for s in seeds]) for of in (ours, theirs))
        gain, error = (a[:, 0] - b[:, 0]).mean(), crossed_error(a[:, 2:] - b[:, 2:])
        rmse = a[:, 1].mean() / b[:, 1].mean() - 1
        good = gain > -0.01 - 2 * error and rmse < 0.01
        bad += not good
        print("ok " if good else "BAD", f"{name}, {rows} rows, {len(seeds)} seeds: log-likelihood {gain:+.3f} (paired error "
              f"{error:.3f}), RMSE {100 * rmse:+.1f} %")
    sys.exit(min(bad, 1))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("files", nargs="+")
    arguments.add_argument("--against")
    arguments.add_argument("--sets", default=SETS)
    arguments.add_argument("--sizes", default="4000,all")
    arguments.add_argument("--seeds", type=int, default=3)
    arguments.add_argument("--group", default="standard")
    asked = arguments.parse_args()
    against(asked) if asked.against else run(asked)


main()
