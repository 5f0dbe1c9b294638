#!/usr/bin/env python3
"""Table II of Ueno and Yokota (CCGRID 2019) beside the plain model's predictions.

Measured times are rebuilt from the published bus bandwidth of each layer,
t_i = 2 (p_i - 1) / p_i * m_i / busbw_i with m_i = 128 MiB / (p_1 ... p_(i-1)).
Usage: bench/table2.py [path of the hiersearch program]
"""
import json
import subprocess
import sys

MESSAGE_BYTES = 134217728
BUSBW_MBPS = {  # innermost layer first, 1 MB = 1e6 bytes
    "128": [11547.97],
    "4x32": [83446.91, 4348.85],
    "4x4x8": [85237.64, 4229.91, 4121.85],
    "4x8x4": [85956.47, 4648.48, 3766.94],
    "4x16x2": [81777.71, 4140.13, 2375.11],
    "4x4x4x2": [81196.07, 4188.34, 3417.55, 3285.54],
    "4x8x2x2": [83191.72, 4640.75, 2705.13, 3063.70],
    "8x16": [11343.85, 4463.43],
    "8x4x4": [11239.52, 4551.33, 4011.04],
    "8x4x2x2": [11362.74, 4366.68, 2978.18, 3195.68],
}


def measured_seconds(split, busbw):
    seconds, entering = 0.0, MESSAGE_BYTES
    for size, rate in zip(map(int, split.split("x")), busbw):
        seconds += 2 * (size - 1) / size * entering / (rate * 1e6)
        entering /= size
    return seconds


def predicted_seconds(program):
    """Every split of 128 as `predict` prices it with the published ABCI parameters."""
    out = subprocess.run([program, "predict", "abci", "--np", "128", "--size", "128MiB", "--top", "64",
                          "--samples", "0", "--json"], check=True, capture_output=True, text=True).stdout
    return {c["plan"]: c["predicted_seconds"] for c in json.loads(out)["results"][0]["candidates"]}


def ranks(times):
    order = sorted(times, key=times.get)
    return {split: order.index(split) + 1 for split in times}


def kendall_tau(a, b):
    splits = list(a)
    pairs = [(a[x] - a[y]) * (b[x] - b[y]) for i, x in enumerate(splits) for y in splits[i + 1:]]
    return sum((p > 0) - (p < 0) for p in pairs) / len(pairs)


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/hiersearch"
    measured = {s: measured_seconds(s, b) for s, b in BUSBW_MBPS.items()}
    every = predicted_seconds(program)
    predicted = {s: every[s] for s in measured}
    rank_m, rank_p = ranks(measured), ranks(predicted)
    print("ABCI, 128 GPUs, 128 MiB: plain model with the published parameters (nothing fitted)")
    print(f"{'split':10} {'measured ms':>12} {'predicted ms':>13} {'error':>8} {'rank':>5} {'predicted rank':>15}")
    for split in sorted(measured, key=measured.get):
        error = predicted[split] / measured[split] - 1
        print(f"{split:10} {measured[split] * 1e3:12.2f} {predicted[split] * 1e3:13.2f} {error:+8.1%} "
              f"{rank_m[split]:5} {rank_p[split]:15}")
    errors = [abs(predicted[s] / measured[s] - 1) for s in measured]
    best_m, best_p = min(measured, key=measured.get), min(predicted, key=predicted.get)
    print(f"mean error {sum(errors) / len(errors):.1%}, worst {max(errors):.1%}, "
          f"Kendall's tau {kendall_tau(measured, predicted):.2f}")
    print(f"measured winner {best_m}, predicted winner {best_p}"
          f" (regret {measured[best_p] / measured[best_m] - 1:.1%})")


if __name__ == "__main__":
    main()
