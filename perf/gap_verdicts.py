# SPDX-License-Identifier: MIT
# Are the verdicts of `una gap` right where the truth is known?
#   python3 perf/gap_verdicts.py [--una build/una] [--model SPEC] [SEED...]
# Seeds are 20 to 29 unless others are named; the rules were chosen on 100 to 139.
# 300 rows: y = sin(3 wave) + 0.7 slope + 1.5 exp(-(bump / 0.45)^2) + 0.15 noise, inputs even in [-2, 2]. A hole matters
# along wave and along bump, all of which lies in the hole; it does not along slope, a straight line, nothing, which y
# does not depend on, and twin, which is slope but for a little noise. A verdict is right if it says so.
import argparse
import json
import math
import os
import random
import subprocess
import tempfile

MATTERS = {"wave": True, "bump": True, "slope": False, "nothing": False, "twin": False}
SAYS = {"rightly": True, "too_little": True, "unnoticed": True, "too_careful": False, "harmless": False}


def make(path, seed, rows=300):
    r = random.Random(seed)
    with open(path, "w") as f:
        f.write("wave,slope,nothing,twin,bump,y\n")
        for _ in range(rows):
            wave, slope, nothing, bump = [r.uniform(-2, 2) for _ in range(4)]
            twin = slope + 0.1 * r.gauss(0, 1)
            y = math.sin(3 * wave) + 0.7 * slope + 1.5 * math.exp(-(bump / 0.45) ** 2) + 0.15 * r.gauss(0, 1)
            f.write(",".join("%.5f" % v for v in (wave, slope, nothing, twin, bump, y)) + "\n")


def main():
    words = argparse.ArgumentParser()
    words.add_argument("--una", default="build/una")
    words.add_argument("--model")
    words.add_argument("seeds", nargs="*", type=int, default=range(20, 30))
    asked = words.parse_args()
    right = dict.fromkeys(MATTERS, 0)
    for seed in asked.seeds:
        with tempfile.TemporaryDirectory() as place:
            path = os.path.join(place, "data.csv")
            make(path, seed)
            command = [asked.una, "gap", path, "--target", "y", "--json", "--pairs", "0", "--seed", str(seed)]
            if asked.model:
                command += ["--model", asked.model]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        for hole in json.loads(out)["columns"]:
            good = SAYS.get(hole["kind"]) == MATTERS[hole["name"]]
            right[hole["name"]] += good
            print("%4d  %-8s %-12s %s  wider %3.0f %%  ignorance x %.2f  error x %.2f  in band %3.0f %%" %
                  (seed, hole["name"], hole["kind"], "    " if good else "WRONG", 100 * hole["wider"], hole["spread"],
                   hole["error"], 100 * hole["coverage_inside"]), flush=True)
    for name, count in right.items():
        print("%-8s %s: right in %d of %d" % (name, "matters" if MATTERS[name] else "does not matter", count,
                                               len(asked.seeds)))


if __name__ == "__main__":
    main()
