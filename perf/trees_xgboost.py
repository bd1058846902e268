#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The trainer of trees against XGBoost's, at equal settings, one thread each, in the same run.

    trees_xgboost.py BUILD/perf/trees TABLE.csv... [--trees 200] [--depth 6] [--rate 0.1] [--seeds 3]

Targets are the last columns, standardised; a fifth of the rows is predicted. One line per table: seconds and error of both,
the loss in log-likelihood per row at a constant noise of the error's size, log(error of una / error of XGBoost), and the ratio
of the seconds. Debian: python3-xgboost, python3-numpy.
"""
import argparse
import os
import subprocess
import tempfile
import time

import numpy as np
import xgboost

arguments = argparse.ArgumentParser()
arguments.add_argument("program")
arguments.add_argument("tables", nargs="+")
arguments.add_argument("--trees", type=int, default=200)
arguments.add_argument("--depth", type=int, default=6)
arguments.add_argument("--rate", type=float, default=0.1)
arguments.add_argument("--seeds", type=int, default=3)
asked = arguments.parse_args()


def una(train, test, y_train, y_test, path):
    with open(path, "wb") as file:
        for numbers in ([len(train), len(test), train.shape[1]], train, test, y_train, y_test):
            file.write(np.ascontiguousarray(numbers, float).tobytes())
    out = subprocess.run([asked.program, path, str(asked.trees), str(asked.depth), str(asked.rate)], check=True,
                         capture_output=True, text=True).stdout.split()
    return float(out[0]) + float(out[1]), float(out[2])


def peer(train, test, y_train, y_test):
    start = time.perf_counter()
    settings = {"tree_method": "hist", "max_depth": asked.depth, "eta": asked.rate, "base_score": float(y_train.mean()),
                "nthread": 1}
    model = xgboost.train(settings, xgboost.DMatrix(train, y_train), asked.trees)
    seconds = time.perf_counter() - start
    return seconds, float(np.sqrt(np.mean((model.predict(xgboost.DMatrix(test)) - y_test) ** 2)))


print(f"{'table':<24}{'rows':>7}{'una s':>8}{'xgb s':>8}{'una rmse':>10}{'xgb rmse':>10}{'loss':>8}{'time':>7}")
for path in asked.tables:
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    rows = []
    for seed in range(asked.seeds):
        order = np.random.default_rng(seed).permutation(len(table))[:9000]
        x, y = table[order, :-1], table[order, -1]
        y = (y - y.mean()) / y.std()
        cut = len(order) // 5 * 4
        with tempfile.TemporaryDirectory() as folder:
            rows.append(una(x[:cut], x[cut:], y[:cut], y[cut:], os.path.join(folder, "table.bin")) +
                        peer(x[:cut], x[cut:], y[:cut], y[cut:]))
    a, e, b, f = np.mean(rows, 0)
    loss = np.mean([np.log(r[1] / r[3]) for r in rows])
    print(f"{os.path.basename(path)[:23]:<24}{cut:>7}{a:>8.2f}{b:>8.2f}{e:>10.5f}{f:>10.5f}{loss:>8.4f}{a / b:>7.2f}")
