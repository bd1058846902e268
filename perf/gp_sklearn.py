#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gp against scikit-learn's GaussianProcessRegressor, on the same machine in the same run.

    gp_sklearn.py BUILD/perf/gp FOLDER_OF_CSV [--quick] [--markdown]

FOLDER has boston.csv, concrete.csv, yacht.csv, energy.csv (target last; missing files are left out). Inputs and target are
standardised with the population std. Install libopenblas0-pthread first: with the reference BLAS scikit-learn is several times
slower than it need be. One line per check, "ok" or "BAD" first, or with --markdown a table; the exit code is the number of bad
ones.
"""
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern, WhiteKernel

warnings.filterwarnings("ignore")
markdown = "--markdown" in sys.argv
bad = 0


def report(good, what, measured, goal):
    global bad
    bad += not good
    if markdown:
        print(f"| {what} | {measured} | {goal} | {'met' if good else 'MISSED'} |", flush=True)
    else:
        print("ok " if good else "BAD", f"{what}: {measured} (goal: {goal})", flush=True)


def read(path):
    with open(path) as file:
        rows = list(csv.reader(file))
    try:
        [float(cell) for cell in rows[0]]
    except ValueError:
        rows = rows[1:]
    data = np.array([[float(cell) for cell in row] for row in rows])
    data = data[:, data.std(0) > 1e-12]
    x, y = data[:, :-1], data[:, -1]
    return (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()


def write(path, table, target):
    names = [f"x{d + 1}" for d in range(table.shape[1] - target)] + ["y"] * target
    with open(path, "w") as file:
        file.write(",".join(names) + "\n")
        for row in table:
            file.write(",".join(repr(float(cell)) for cell in row) + "\n")


class Ours:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder

    def __call__(self, x, y, stars, spec, repeats=1):
        train, ask = os.path.join(self.folder, "train.csv"), os.path.join(self.folder, "stars.csv")
        write(train, np.column_stack([x, y]), 1)
        write(ask, stars, 0)
        out = subprocess.run([self.program, train, ask, spec, str(repeats)], check=True, capture_output=True, text=True).stdout
        return json.loads(out)


def theirs(kernel, noise, x, y, optimise):
    return GaussianProcessRegressor(kernel + WhiteKernel(noise), alpha=0, optimizer="fmin_l_bfgs_b" if optimise else None).fit(x, y)


def worst(a, b):
    a, b = np.asarray(a), np.asarray(b)
    return float(np.max(np.abs(a - b) / np.maximum(np.abs(b), 1e-3 * np.max(np.abs(b)))))


def agreement(ours, name, x, y):
    rng = np.random.default_rng(0)
    stars = x[rng.permutation(len(x))[:100]] + 0.3 * rng.normal(size=(100, x.shape[1]))
    lengths = np.round(np.linspace(0.8, 3, x.shape[1]), 3)
    text = ", ".join(str(l) for l in lengths)
    for kernel, spec in ((RBF(lengths), f"rbf(var=1.3, length=[{text}])"), (Matern(2.0, nu=1.5), "matern32(var=1.3, length=2)"),
                         (Matern(2.0, nu=2.5), "matern52(var=1.3, length=2)")):
        g = theirs(ConstantKernel(1.3) * kernel, 0.05, x, y, False)
        mean, std = g.predict(stars, return_std=True)
        std = np.sqrt(std**2 - 0.05)
        o = ours(x, y, stars, f"gp(kernel={spec}, noise_std={np.sqrt(0.05)!r}, optimise=no, units=standardised)")
        difference = (worst(o["mean"], mean), worst(o["std"], std), worst([o["log_evidence"]], [g.log_marginal_likelihood_value_]))
        report(max(difference) < 1e-8, f"{name}, {spec.split('(')[0]}, settings given: relative differences",
               f"mean {difference[0]:.1e}, std {difference[1]:.1e}, log evidence {difference[2]:.1e}", "below 1e-8")


def optimum(ours, name, x, y):
    for lengths, ard in ((np.ones(x.shape[1]), "yes"), (1.0, "no")):
        g = theirs(ConstantKernel(1.0) * RBF(lengths), 0.1, x, y, True)
        o = ours(x, y, x[:5], f"gp(ard={ard}, noise=constant, search_rows=0, units=standardised)")
        gain = o["log_evidence"] - g.log_marginal_likelihood_value_
        report(gain > -1e-3, f"{name}, ard={ard}, optimised: log evidence",
               f"{o['log_evidence']:.4f} against {g.log_marginal_likelihood_value_:.4f}", "not below by 0.001")


def timed(call, repeats):
    best = np.inf
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


def faster(what, ours, other, goal):
    report(other / ours >= goal, what, f"{ours:.3f} s against {other:.3f} s: {other / ours:.1f} times", f"{goal} times")


def speed(ours, x, y, repeats):
    x, y = x[:1000, :8], y[:1000]
    stars = np.random.default_rng(1).normal(size=(10000, x.shape[1]))
    for lengths, ard, goal, usual in ((np.ones(x.shape[1]), "yes", 5, 10), (1.0, "no", 2.5, None)):
        o = ours(x, y, stars, f"gp(ard={ard}, noise=constant, search_rows=0, units=standardised)", repeats)
        seconds, g = timed(lambda: theirs(ConstantKernel(1.0) * RBF(lengths), 0.1, x, y, True), repeats)
        size = f"fit {len(x)} x {x.shape[1]}"
        faster(f"{size}, ard={ard}, to the largest evidence ({o['evaluations']} evaluations)", o["fit_seconds"], seconds, goal)
        if usual:
            o = ours(x, y, stars, "gp", repeats)
            faster(f"{size}, all defaults, with the shape of the noise", o["fit_seconds"], seconds, usual)
    seconds, _ = timed(lambda: g.predict(stars, return_std=True), 3 * repeats)         # as often as ours
    faster("predict 10,000 with std", o["predict_seconds"], seconds, 2)
    seconds, _ = timed(lambda: g.predict(stars), 3 * repeats)
    faster("predict 10,000, mean", o["mean_seconds"], seconds, 5)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    quick, large = "--quick" in sys.argv, None
    if markdown:
        print("| check | una against scikit-learn | goal | |\n|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        ours = Ours(sys.argv[1], folder)
        for name in ("boston", "concrete", "yacht", "energy"):
            path = os.path.join(sys.argv[2], name + ".csv")
            if not os.path.exists(path):
                print(f"| {name} | | | left out: not there |" if markdown else f"left out: {path} is not there")
                continue
            x, y = read(path)
            agreement(ours, name, x, y)
            if not quick:
                optimum(ours, name, x, y)
            if name == "concrete":
                large = x, y
        if large:
            speed(ours, *large, 1 if quick else 3)
    sys.exit(bad)


main()
