#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Least and median block of a peer program that prints its median alone.

    peer_blocks.py PEER.py [ARGUMENT ...]

Runs the peer as if called by itself, and notes every reading that it takes of time.perf_counter. Two readings in a row
are one of its timed blocks, of which it has five, of a fifth of --steps each. Prints what the peer prints, then a line of
JSON: microseconds a step in the least and in the median block, and how many blocks there were.
"""
import json
import runpy
import sys
import time

BLOCKS = 5


def readings_of(peer):
    clock, readings = time.perf_counter, []

    def noted():
        at = clock()
        if sys._getframe(1).f_code.co_filename == peer:      # libraries read the clock too
            readings.append(at)
        return at

    time.perf_counter = noted
    try:
        runpy.run_path(peer, run_name="__main__")
    finally:
        time.perf_counter = clock
    return readings


def main():
    sys.argv = sys.argv[1:]
    if not sys.argv or "--steps" not in sys.argv[:-1]:
        sys.exit("peer_blocks.py: name a peer program and give it --steps N.")
    steps = int(sys.argv[sys.argv.index("--steps") + 1]) // BLOCKS
    readings = readings_of(sys.argv[0])
    if len(readings) != 2 * BLOCKS:
        sys.exit(f"peer_blocks.py: {sys.argv[0]} read its clock {len(readings)} times, not twice in each of {BLOCKS} "
                 "blocks: its blocks are not known.")
    blocks = sorted((end - start) / steps * 1e6 for start, end in zip(readings[::2], readings[1::2]))
    median = blocks[len(blocks) // 2]
    print(json.dumps({"us_least": round(blocks[0], 2), "us_median": round(median, 2), "blocks": len(blocks)}))


main()
