#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""gp by the nearest rows against gp by all rows, and how its time and memory grow.

    near.py BUILD/una [--quick]

Made-up data of 1, 3 and 8 inputs. With the same numbers (lengths, variances, noise) both answer 2,000 new rows after
4,000, and both draw functions at 500 others, from the same random numbers: the log-likelihoods may differ by .03 a row,
the covariances by 5 %. Then fits, updates and answers at more and more rows of 8 inputs.
One line per check, "ok" or "BAD" first; the exit code is the number of bad ones. --quick: a quarter of the rows.
"""
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import time

UNA, QUICK = sys.argv[1], "--quick" in sys.argv
FEWER = 4 if QUICK else 1
bad = 0


def report(good, what):
    global bad
    bad += not good
    print("ok " if good else "BAD", what, flush=True)


def truth(x):
    if len(x) == 1:
        return math.sin(3 * x[0]) + math.cos(7 * x[0]) / 2
    if len(x) == 3:
        return math.sin(3 * x[0]) * math.cos(2 * x[1]) + x[2] * x[1] / 2
    return math.sin(1.5 * x[0]) * math.cos(x[1]) + x[2] * x[3] / 2 + math.tanh(2 * x[4]) + 0.3 * math.sin(3 * x[5])


def table(path, rows, seed, inputs=8):
    chance = random.Random(seed)
    with open(path, "w") as file:
        file.write(",".join(f"x{d + 1}" for d in range(inputs)) + ",y\n")
        for _ in range(rows):
            x = [chance.uniform(-2, 2) for _ in range(inputs)]
            file.write(",".join("%.6g" % v for v in x) + ",%.6g\n" % (truth(x) + 0.1 * chance.gauss(0, 1)))
    return path


def una(*words):
    """Its output, seconds, and megabytes of memory at most."""
    start = time.monotonic()
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([UNA, *words], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            sys.exit(f"near.py: {' '.join(words)} failed")
        out.seek(0)
        return out.read().decode(), time.monotonic() - start, usage.ru_maxrss / 1024


def spec_of(model):
    return json.loads(una("info", model, "--json")[0])["spec"]


def with_neighbours(spec, count):
    """The same spec with another number of neighbours; the length of lists in it does not matter."""
    at = spec.index("neighbours=") + len("neighbours=")
    return spec[:at] + str(count) + spec[at:].lstrip("0123456789")


def log_lik(model, rows):
    return json.loads(una("score", model, rows, "--json")[0])["log_lik"]


def drawn(model, rows, count):
    """draws [count][rows]"""
    text = una("predict", model, rows, "--draws", str(count), "--digits", "17")[0].splitlines()
    cells = [[float(cell) for cell in line.split(",")] for line in text[1:]]
    first = text[0].split(",").index("draw_1")
    return [[row[first + s] for row in cells] for s in range(count)]


def covariance(draws):
    count, rows = len(draws), range(len(draws[0]))
    mean = [sum(d[i] for d in draws) / count for i in rows]
    columns = [[d[i] - mean[i] for d in draws] for i in rows]
    return [[sum(a * b for a, b in zip(columns[i], columns[j])) / count for j in range(i + 1)] for i in rows]


def against_exact(folder, inputs):
    rows, asked = 4000 // FEWER, 500 // FEWER
    train, new = table(f"{folder}/train.csv", rows, 1, inputs), table(f"{folder}/new.csv", 2000, 2, inputs)
    few = table(f"{folder}/few.csv", asked, 3, inputs)
    near, exact = f"{folder}/near.una", f"{folder}/exact.una"
    una("fit", train, "--target", "y", "--no-verdict", "--out", near,
        "--model", "gp(kernel=matern52, noise=constant, neighbours=128)")
    una("fit", train, "--target", "y", "--no-verdict", "--out", exact, "--model", with_neighbours(spec_of(near), 0))
    off = log_lik(near, new) - log_lik(exact, new)
    report(abs(off) < 0.03, f"{rows} rows of {inputs} inputs, 128 neighbours: log-likelihood off by {off:.4f} a row "
           "(goal: .03)")

    want, got = covariance(drawn(exact, few, 400)), covariance(drawn(near, few, 400))
    pairs = [(a, b) for one, two in zip(want, got) for a, b in zip(one, two)]
    share = math.sqrt(sum((a - b) ** 2 for a, b in pairs) / sum(a * a for a, _ in pairs))
    report(share < 0.05, f"{rows} rows of {inputs} inputs: covariance of draws at {asked} others off by "
           f"{100 * share:.2f} % (goal: 5)")
    _, took, _ = una("predict", near, few, "--draws", "100")
    report(took < 4, f"100 draws there in {took:.1f} s (goal: 4)")


def growth(folder):
    most, before = 100000 // FEWER, None
    new, more = table(f"{folder}/ask.csv", 5000, 4), table(f"{folder}/more.csv", 1000, 5)
    for rows in (most // 10, most // 3, most):
        train, model = table(f"{folder}/big.csv", rows, 6), f"{folder}/big.una"
        _, fit, memory = una("fit", train, "--target", "y", "--no-verdict", "--threads", "2", "--out", model,
                             "--model", "gp(kernel=matern52, search_rows=800)")
        _, ask, _ = una("predict", model, new, "--threads", "2", "--out", f"{folder}/answers.csv")
        _, update, _ = una("update", model, more, "--out", f"{folder}/updated.una")
        print(f"    {rows} rows: fit {fit:.1f} s, {memory:.0f} MB; 5000 answers {ask:.2f} s; update {update:.2f} s; file "
              f"{os.path.getsize(model) / 1e6:.1f} MB; log-likelihood {log_lik(model, new):.3f}", flush=True)
        if before:
            report(memory < 2 * before[1] * rows / before[0], "memory grows with the rows, not faster")
        before = (rows, memory)
    report(fit < 60, f"{most} rows of 8 inputs fitted in {fit:.1f} s (goal: 60)")


with tempfile.TemporaryDirectory() as folder:
    for inputs in (1, 3, 8):
        against_exact(folder, inputs)
    growth(folder)
sys.exit(bad)
