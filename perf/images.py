#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast a ResNet-18 (ImageNet stem, 32 x 32 grey, batch 128, Adam) trains, here and in PyTorch, and what LUNA costs.

    perf/images.py [--rounds 3] [--steps 40] [--threads 2] [--una build/una] [--python /usr/bin/python3]

Turn by turn, so that a busy minute does not fall on one of them alone; of each the best round counts. una's time is that
of `una fit` with 10 + STEPS steps less that with 10: reading the file, holding out and the head at the end are in both.
PyTorch's is that of STEPS steps after 10, images in memory. It must be there for the python that is named (Debian:
python3-torch); without it, una's own figures are printed alone."""
import argparse
import os
import random
import subprocess
import sys
import tempfile
import time

BATCH, FIRST, IMAGES, SIDE = 128, 10, 2048, 32
COMMON = "body=resnet18, rate=0.001, batch=%d" % BATCH
LUNA = "luna(%s, members=1, heads=25, directions=2, perturbation_std=10, train_noise_std=1, kept=last, " % COMMON
CASES = {
    "plain": "nn(%s, members=1, " % COMMON,
    "luna, probes=data": LUNA + "probes=data, ",
    "luna, probes=between": LUNA + "probes=between, ",
}


def make_images(folder):
    draw = random.Random(1)
    with open(folder + "/t.csv", "w") as csv:
        csv.write("index,y\n")
        for i in range(IMAGES):
            csv.write("%d,%.4f\n" % (i, draw.gauss(0, 1)))
    with open(folder + "/images.idx", "wb") as idx:
        for number in (0x803, IMAGES, SIDE, SIDE):
            idx.write(number.to_bytes(4, "big"))
        idx.write(draw.randbytes(IMAGES * SIDE * SIDE))


def fit(una, folder, spec, steps, threads):
    start = time.perf_counter()
    subprocess.run([una, "fit", "t.csv", "--target", "y", "--images", "images.idx", "--index", "index",
                    "--model", "%ssteps=%d)" % (spec, steps), "--threads", str(threads), "--out", "m.una", "--quiet"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def peer(steps, threads):
    """Prints seconds of so many steps of PyTorch."""
    import torch
    import torch.nn as nn
    import torch.nn.functional as F
    torch.set_num_threads(threads)
    torch.manual_seed(1)

    class Block(nn.Module):
        def __init__(self, ins, outs, stride):
            super().__init__()
            self.one, self.two = nn.Conv2d(ins, outs, 3, stride, 1, bias=False), nn.Conv2d(outs, outs, 3, 1, 1, bias=False)
            self.norm_one, self.norm_two = nn.BatchNorm2d(outs), nn.BatchNorm2d(outs)
            self.skip = None
            if stride > 1 or ins != outs:
                self.skip = nn.Sequential(nn.Conv2d(ins, outs, 1, stride, bias=False), nn.BatchNorm2d(outs))

        def forward(self, x):
            y = self.norm_two(self.two(F.relu(self.norm_one(self.one(x)))))
            return F.relu(y + (x if self.skip is None else self.skip(x)))

    layers = [nn.Conv2d(1, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    ins = 64
    for stage in range(4):
        for block in range(2):
            layers.append(Block(ins, 64 << stage, 2 if stage and not block else 1))
            ins = 64 << stage
    net = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(ins, 1))
    x, y = torch.randn(IMAGES, 1, SIDE, SIDE), torch.randn(IMAGES, 1)
    descent = torch.optim.Adam(net.parameters(), lr=1e-3)

    def step(k):
        rows = torch.randint(0, IMAGES, (BATCH,))
        descent.zero_grad()
        F.mse_loss(net(x[rows]), y[rows]).backward()
        descent.step()

    for k in range(FIRST):
        step(k)
    start = time.perf_counter()
    for k in range(steps):
        step(k)
    print(torch.__version__, time.perf_counter() - start)


def ask_peer(python, steps, threads):
    done = subprocess.run([python, os.path.abspath(__file__), "--peer", "--steps", str(steps), "--threads",
                           str(threads)], capture_output=True, text=True)
    if done.returncode != 0:
        return None, None
    version, seconds = done.stdout.split()
    return version, float(seconds)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--steps", type=int, default=40)
    asked.add_argument("--threads", type=int, default=2)
    asked.add_argument("--una", default=here + "/../build/una")
    asked.add_argument("--python", default="/usr/bin/python3")
    asked.add_argument("--peer", action="store_true", help=argparse.SUPPRESS)
    a = asked.parse_args()
    if a.peer:
        return peer(a.steps, a.threads)

    una, best, version = os.path.abspath(a.una), {}, None
    with tempfile.TemporaryDirectory() as folder:
        make_images(folder)
        for _ in range(a.rounds):
            for name, spec in CASES.items():
                less = fit(una, folder, spec, FIRST, a.threads)
                seconds = fit(una, folder, spec, FIRST + a.steps, a.threads) - less
                best[name] = min(seconds, best.get(name, seconds))
            version, seconds = ask_peer(a.python, a.steps, a.threads)
            if version:
                best["torch"] = min(seconds, best.get("torch", seconds))

    print("load of the machine: %s; %d threads, batch %d" % (open("/proc/loadavg").read().split()[0], a.threads, BATCH))
    for name, seconds in best.items():
        title = "PyTorch %s, plain" % version if name == "torch" else "una, " + name
        print("%-28s %7.0f images/s  %7.1f ms a step  %5.2f times una's plain step" % (
            title, BATCH * a.steps / seconds, 1e3 * seconds / a.steps, seconds / best["plain"]))


sys.exit(main())
