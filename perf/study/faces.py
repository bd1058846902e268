#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LUNA on faces in PyTorch, written apart from una: how its options for images were chosen, on men alone.

    perf/study/faces.py DATA/faces ROWS.csv [OPTION=VALUE,...]...          for instance lam=0.3,delta=10 lam=0.1,delta=3

Each argument is one training. Left out of it are men in whom no face was found ("face"), men of 60 and more ("old") and
men beside a second face ("two"); three quarters of the rest train, 4,000 others are asked. One line a training and
prior variance: mean absolute error at those like the trained, held-out log-likelihood by which the prior variance is chosen,
and for each group the AUROC of ignorance and by how many percent its mean is larger. A GPU is used where there is one.

Options: M heads, lam weight of their mean cos^2 times the rows, k directions, delta std of the step, probes (data,
between, beyond), sigma noise inside the objective, gamma penalty, epochs, rate, width, seed. lam=0, M=1 is nlm.
The diversity grows as 1/(1 + exp(10 - 20 u)); una's sigmoid is less steep."""
import csv
import gzip
import math
import sys
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH, SIDE, ASKED = 128, 32, 4000
PRIORS = (1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100)
USUAL = dict(M=25, epochs=10, rate=1e-3, lam=0.0, k=2, delta=0.1, probes="data", sigma=0.8, gamma=1.0, width=64, seed=0)
device = "cuda" if torch.cuda.is_available() else "cpu"


class Norm(nn.Module):
    """Batch normalisation whose statistics are those of the first `plain` rows."""
    plain = None

    def __init__(self, channels):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))
        self.register_buffer("mean", torch.zeros(channels))
        self.register_buffer("var", torch.ones(channels))

    def forward(self, x):
        mean, var = self.mean, self.var
        if self.training:
            rows = x[:Norm.plain]
            var, mean = torch.var_mean(rows, (0, 2, 3), unbiased=False)
            with torch.no_grad():
                count = rows.numel() / rows.shape[1]
                self.mean.lerp_(mean, 0.1)
                self.var.lerp_(var * count / (count - 1), 0.1)
        scale = self.scale * torch.rsqrt(var + 1e-5)
        return x * scale[None, :, None, None] + (self.shift - mean * scale)[None, :, None, None]


class Block(nn.Module):
    def __init__(self, ins, outs, stride):
        super().__init__()
        self.one, self.two = nn.Conv2d(ins, outs, 3, stride, 1, bias=False), nn.Conv2d(outs, outs, 3, 1, 1, bias=False)
        self.norm_one, self.norm_two = Norm(outs), Norm(outs)
        self.skip = nn.Identity()
        if stride > 1 or ins != outs:
            self.skip = nn.Sequential(nn.Conv2d(ins, outs, 1, stride, bias=False), Norm(outs))

    def forward(self, x):
        return F.relu(self.norm_two(self.two(F.relu(self.norm_one(self.one(x))))) + self.skip(x))


class Network(nn.Module):
    """ResNet-18 with the stem for ImageNet and M heads."""
    def __init__(self, heads, width):
        super().__init__()
        layers, ins = [nn.Conv2d(1, width, 7, 2, 3, bias=False), Norm(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)], width
        for stage in range(4):
            for block in range(2):
                layers.append(Block(ins, width << stage, 2 if stage and not block else 1))
                ins = width << stage
        self.body, self.head = nn.Sequential(*layers), nn.Linear(ins, heads)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out")

    def phi(self, x):
        return self.body(x).mean((2, 3))


def augmented(x, draw):
    """Every other one mirrored, all moved by at most two places."""
    n, places = len(x), torch.arange(SIDE, device=device)
    flip = torch.rand(n, 1, 1, 1, device=device, generator=draw) < 0.5
    x = torch.where(flip, x.flip(3), x)
    row, column = ((places + torch.randint(-2, 3, (n, 1), device=device, generator=draw)).clamp(0, SIDE - 1)
                   for _ in range(2))
    return x[torch.arange(n, device=device)[:, None, None], 0, row[:, :, None], column[:, None, :]][:, None]


def probes(x, c, rows, draw):
    """Where slopes are taken, these points moved along k unit directions, and by how much."""
    at = rows
    if c["probes"] != "data":
        one, other = (x[torch.randint(0, len(x), (BATCH,), device=device, generator=draw)] for _ in range(2))
        share = torch.rand(BATCH, 1, 1, 1, device=device, generator=draw)
        share = 3 * share - 1 if c["probes"] == "beyond" else share
        at = share * one + (1 - share) * other
    along = torch.randn(c["k"], 1, SIDE, SIDE, device=device, generator=draw)
    along = along / along.flatten(1).norm(dim=1)[:, None, None, None]
    by = torch.randn(BATCH, c["k"], device=device, generator=draw) * c["delta"]
    by = torch.where(by.abs() < 1e-3 * c["delta"], torch.full_like(by, 1e-3 * c["delta"]), by)
    return at, (at[:, None] + by[:, :, None, None, None] * along[None]).flatten(0, 1), by


def mean_cos2(net, at, moved, by):
    slopes = ((moved.view(*by.shape, -1) - at[:, None]) / by[:, :, None]).flatten(0, 1) @ net.head.weight.T
    gram = slopes.T @ slopes
    square = gram.diagonal().clamp_min(1e-20)
    heads = len(square)
    return ((gram ** 2 / (square[:, None] * square[None])).sum() - heads) / (heads * (heads - 1))


def train(c, x, y):
    torch.manual_seed(c["seed"])
    draw = torch.Generator(device=device).manual_seed(c["seed"])
    net = Network(c["M"], c["width"]).to(device)
    descent = torch.optim.Adam(net.parameters(), lr=c["rate"])
    batches, step, cos2 = len(y) // BATCH, 0, math.nan
    Norm.plain = BATCH
    for _ in range(c["epochs"]):
        order = torch.randperm(len(y), device=device, generator=draw)
        for b in range(batches):
            rows = order[b * BATCH:(b + 1) * BATCH]
            all_x, target = [augmented(x[rows], draw)], y[rows]
            if c["lam"] > 0:
                at, moved, by = probes(x, c, all_x[0], draw)
                all_x += [moved] if c["probes"] == "data" else [at, moved]
            phi = net.phi(torch.cat(all_x))
            loss = ((target[:, None] - net.head(phi[:BATCH])) ** 2).sum() / (2 * c["sigma"] ** 2 * c["M"])
            square = sum((p ** 2).sum() for p in net.body.parameters())
            heads = sum((p ** 2).sum() for p in net.head.parameters()) / c["M"]
            loss = loss + c["gamma"] * BATCH / len(y) * (square + heads)
            if c["lam"] > 0:
                own = phi[:BATCH] if c["probes"] == "data" else phi[BATCH:2 * BATCH]
                similar, u = mean_cos2(net, own, phi[-BATCH * c["k"]:], by), (step + 1) / (c["epochs"] * batches)
                loss, cos2 = loss + c["lam"] / (1 + math.exp(10 - 20 * u)) * BATCH * similar, similar.detach()
            for group in descent.param_groups:
                group["lr"] = c["rate"] * 0.5 * (1 + math.cos(math.pi * step / (c["epochs"] * batches)))
            descent.zero_grad(set_to_none=True)
            loss.backward()
            descent.step()
            step += 1
    return net, float(cos2)


@torch.no_grad()
def features(net, x):
    net.eval()
    phi = torch.cat([net.phi(some) for some in x.split(2048)])
    return torch.cat([phi, torch.ones(len(x), 1, device=device)], 1).double()


def auroc(a, b):
    rank = np.argsort(np.argsort(np.r_[a, b])) + 1
    return (rank[len(a):].sum() - len(b) * (len(b) + 1) / 2) / (len(a) * len(b))


def judge(net, x, y, like, outs, unit):
    """For each prior variance; the noise by the first quarter of those like the trained, the rest of them judged."""
    phi, own, y, target = features(net, x), features(net, like[0]), y.double(), like[1].double()
    others = {name: features(net, group) for name, group in outs.items()}
    gram, moment, held = phi.T @ phi, phi.T @ y, len(target) // 4
    for prior in PRIORS:
        noise = 1.0
        for _ in range(3):
            factor = torch.linalg.cholesky(gram / noise + torch.eye(len(gram), device=device).double() / prior)
            weights = torch.cholesky_solve((moment / noise)[:, None], factor)[:, 0]
            noise = float(((target[:held] - own[:held] @ weights) ** 2).mean())
        var = lambda f: torch.linalg.solve_triangular(factor, f.T, upper=False).square().sum(0)
        error, total = target - own @ weights, var(own) + noise
        known = var(own[held:]).sqrt().cpu().numpy()
        row = dict(prior_var=prior, mae=float(error[held:].abs().mean()) * unit,
                   log_lik=float((-0.5 * (2 * math.pi * total).log() - 0.5 * error ** 2 / total)[:held].mean()))
        for name, group in others.items():
            doubt = var(group).sqrt().cpu().numpy()
            row[name + "_auroc"], row[name + "_excess"] = auroc(known, doubt), 100 * (doubt.mean() / known.mean() - 1)
        yield row


def groups(folder):
    """Images and ages of those who train, of those like them, and of those left out."""
    with open(folder + "/wiki-faces32.csv") as file:
        rows = list(csv.DictReader(file))
    sex, age, face, second = (np.array([float(r[name]) for r in rows])
                              for name in ("sex", "age_thesis", "face_score", "second_face_score"))
    age, men = np.clip(age, 0, 100), sex == 1
    bytes_ = gzip.open(folder + "/wiki-faces32-images-idx3-ubyte.gz").read()
    images = torch.from_numpy(np.frombuffer(bytes_, np.uint8, offset=16).reshape(-1, 1, SIDE, SIDE).copy()).to(device)

    draw = np.random.default_rng(5)
    like = draw.permutation(np.nonzero(men & (face > 0) & (second == 0) & (age < 60))[0])
    out = {"face": men & (face == 0) & (age < 60), "old": men & (face > 0) & (second == 0) & (age >= 60),
           "two": men & (second > 0) & (age < 60)}
    trained, asked = like[:len(like) * 3 // 4], like[len(like) * 3 // 4:][:ASKED]
    pixels, ages = images[trained].float(), age[trained]
    seen = lambda rows: (images[rows].float() - pixels.mean()) / pixels.std()
    said = lambda rows: torch.tensor((age[rows] - ages.mean()) / ages.std(), dtype=torch.float32, device=device)
    outs = {name: seen(draw.permutation(np.nonzero(rows)[0])[:3000]) for name, rows in out.items()}
    return seen(trained), said(trained), (seen(asked), said(asked)), outs, ages.std()


def read_options(text):
    c = dict(USUAL)
    for item in text.split(","):
        name, value = item.split("=")
        if name not in USUAL:
            sys.exit("faces.py: there is no option '%s'; there are %s" % (name, ", ".join(USUAL)))
        c[name] = type(USUAL[name])(value)
    return c


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    x, y, like, outs, unit = groups(sys.argv[1])
    with open(sys.argv[2], "a", newline="") as file:
        out = csv.writer(file)
        for c in map(read_options, sys.argv[3:]):
            start = time.time()
            net, cos2 = train(c, x, y)
            seconds = time.time() - start
            for row in judge(net, x, y, like, outs, unit):
                if file.tell() == 0:
                    out.writerow([*c, "seconds", "mean_cos2", *row])
                out.writerow([*c.values(), "%.0f" % seconds, "%.5g" % cos2, *("%.5g" % v for v in row.values())])
            file.flush()


main()
