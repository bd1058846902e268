#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Likelihood against seconds, a panel for each set: knee.py [knee.csv [docs/methods/knee.svg]]

knee.csv has a line for each table and setting: means of log_lik (validation rows) and seconds. The picture is plain SVG.
"""
import csv
import math
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 560
PANEL_W, PANEL_H, LEFT, TOP, GAP_X, GAP_Y = 300, 170, 62, 96, 76, 72
FIRST, LAST = 0.5, 100                              # seconds
TICKS = (1, 3, 10, 30, 100)
MARKS = (("fast", "#0072b2", "circle"), ("auto, the default", "#d55e00", "square"),
         ("auto, 10 members of luna", "#009e73", "diamond"), ("best", "#cc79a7", "up"), ("luna alone", "#555555", "down"))


def mark(shape, x, y, colour):
    r = 5
    corners = {"square": ((-r, -r), (r, -r), (r, r), (-r, r)), "diamond": ((0, -r - 1), (r + 1, 0), (0, r + 1), (-r - 1, 0)),
               "up": ((0, -r - 1), (r + 1, r), (-r - 1, r)), "down": ((0, r + 1), (r + 1, -r), (-r - 1, -r))}
    if shape == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>'
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners[shape])
    return f'<polygon points="{points}" fill="{colour}"/>'


def text(x, y, words, how=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" {how}>{escape(words)}</text>'


def line(x1, y1, x2, y2, colour):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def round_step(span):
    """The round distance of three to six ticks."""
    power = 10 ** math.floor(math.log10(span / 3))
    return max(step for step in (power, 2 * power, 5 * power) if step <= span / 3)


def panel(name, rows, left, top):
    values = [float(r["log_lik"]) for r in rows]
    low, high = min(values), max(values)
    low, high = low - 0.12 * (high - low), high + 0.12 * (high - low)
    across = lambda s: left + PANEL_W * math.log(s / FIRST) / math.log(LAST / FIRST)
    up = lambda v: top + PANEL_H * (high - v) / (high - low)
    out = [text(left, top - 10, name, 'font-weight="bold"')]

    step = round_step(high - low)
    digits = max(0, -math.floor(math.log10(step)))
    for k in range(math.ceil(low / step), math.floor(high / step) + 1):
        out += [line(left, up(k * step), left + PANEL_W, up(k * step), "#e6e6e6"),
                text(left - 6, up(k * step) + 4, f"{k * step:.{digits}f}".replace("-", "\u2212"), 'text-anchor="end"')]
    for s in TICKS:
        out += [line(across(s), top + PANEL_H, across(s), top + PANEL_H + 4, "#444444"),
                text(across(s), top + PANEL_H + 18, str(s), 'text-anchor="middle"')]
    out += [line(left, top + PANEL_H, left + PANEL_W, top + PANEL_H, "#444444"), line(left, top, left, top + PANEL_H, "#444444")]
    for setting, colour, shape in MARKS:
        out += [mark(shape, across(float(r["seconds"])), up(float(r["log_lik"])), colour) for r in rows
                if r["setting"] == setting]
    return out


def legend():
    out = []
    for k, (setting, colour, shape) in enumerate(MARKS):
        x, y = (LEFT + 190 * k, 22) if k < 3 else (LEFT + 190 * (k - 3), 44)
        out += [mark(shape, x, y, colour), text(x + 12, y + 4, setting)]
    return out


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else "perf/study/knee.csv"
    goal = sys.argv[2] if len(sys.argv) > 2 else "docs/methods/knee.svg"
    with open(source, newline="") as file:
        rows = list(csv.DictReader(file))
    names = list(dict.fromkeys(r["set"] for r in rows))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12" fill="#222222">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>'] + legend()
    for k, name in enumerate(names):
        out += panel(name, [r for r in rows if r["set"] == name], LEFT + k % 2 * (PANEL_W + GAP_X),
                     TOP + k // 2 * (PANEL_H + GAP_Y))
    middle = TOP + PANEL_H + GAP_Y / 2
    out += [text(14, middle, "log-likelihood per row", f'text-anchor="middle" transform="rotate(-90 14 {middle:.1f})"'),
            text(LEFT + PANEL_W + GAP_X / 2, HEIGHT - 10, "seconds (one thread)", 'text-anchor="middle"'), "</svg>"]
    with open(goal, "w", encoding="utf-8") as file:
        file.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
