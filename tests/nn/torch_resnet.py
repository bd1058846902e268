#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The residual network of src/nn/conv.h in PyTorch, for tests/nn/test_torch.c: the same weights, rows and targets.

    torch_resnet.py NUMBERS ANSWERS

NUMBERS: as test_torch.c writes them. ANSWERS: loss, what the heads say [rows, heads], then the gradient of every
parameter in the order of the numbers; all float64."""
import sys

import numpy
import torch
import torch.nn.functional as F


def main():
    numbers = numpy.fromfile(sys.argv[1])
    rows, height, width, channels, small, first, heads, stages = (int(n) for n in numbers[:8])
    blocks = [int(n) for n in numbers[8:8 + stages]]
    weight = numbers[8 + stages]
    rest = numbers[9 + stages:]
    parameters = []

    def take(*shape):
        nonlocal rest
        count = int(numpy.prod(shape))
        tensor = torch.tensor(rest[:count].reshape(shape), dtype=torch.float32, requires_grad=True)
        rest = rest[count:]
        parameters.append(tensor)
        return tensor

    # Parameters stand convolution by convolution: weights [k, k, in, out], then scale and shift.
    def convolution(ins, outs, kernel, stride):
        weights, norm = take(kernel, kernel, ins, outs), take(2, outs)
        def apply(x):
            z = F.conv2d(x, weights.permute(3, 2, 0, 1), stride=stride, padding=kernel // 2)
            return F.batch_norm(z, None, None, norm[0], norm[1], training=True, eps=1e-5)
        return apply

    stem = convolution(channels, first, 3 if small else 7, 1 if small else 2)
    body, ins, outs = [], first, first
    for stage, count in enumerate(blocks):
        for b in range(count):
            stride = 2 if stage > 0 and b == 0 else 1
            one, two = convolution(ins, outs, 3, stride), convolution(outs, outs, 3, 1)
            skip = None if ins == outs and stride == 1 else convolution(ins, outs, 1, stride)
            body.append((one, two, skip))
            ins = outs
        outs *= 2
    head = take(ins + 1, heads)

    count = rows * height * width * channels
    x = torch.tensor(rest[:count].reshape(rows, height, width, channels), dtype=torch.float32).permute(0, 3, 1, 2)
    target = torch.tensor(rest[count:count + rows], dtype=torch.float32)

    y = F.relu(stem(x))
    if not small:
        y = F.max_pool2d(y, 3, 2, 1)
    for one, two, skip in body:
        y = F.relu(two(F.relu(one(y))) + (y if skip is None else skip(y)))
    f = y.mean((2, 3)) @ head[:-1] + head[-1]
    loss = weight * ((target[:, None] - f) ** 2).sum()
    loss.backward()

    answers = [loss.detach().reshape(1), f.detach().reshape(-1)] + [p.grad.reshape(-1) for p in parameters]
    torch.cat(answers).double().numpy().tofile(sys.argv[2])


main()
