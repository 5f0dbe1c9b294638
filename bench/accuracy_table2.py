#!/usr/bin/env python3
"""Table II of Ueno and Yokota (CCGRID 2019), each split predicted from the layers of the nine others.

For each of the ten published splits of 128 GPUs: `hiersearch fit abci` on result files with the measured layers of the nine others, then
`hiersearch predict` of the one left out with the fitted system. Nothing of a split is used to predict it; one system file serves all splits.
Beside it the plain model with the published parameters, and the in-sample fit (all ten splits used), which is no test.
usage: bench/accuracy_table2.py [PROGRAM]     PROGRAM: build/hiersearch by default
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from score import kendall_tau

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


def layer_times(split, busbw):
    """[(size, stride, seconds of its phases together)], innermost first: 2 (p_i - 1) / p_i * m_i / busbw_i, m_i = 128 MiB / (p_1 ... p_(i-1))."""
    times, stride = [], 1
    for size, rate in zip(map(int, split.split("x")), busbw):
        times.append((size, stride, 2 * (size - 1) / size * MESSAGE_BYTES / stride / (rate * 1e6)))
        stride *= size
    return times


def result_file(folder, split):
    """One published split as a result of `measure`: reduce-scatter and allgather each half of their published sum."""
    layers = layer_times(split, BUSBW_MBPS[split])
    times = [seconds for _, _, seconds in layers]
    stages = ([(f"reduce-scatter:{stride}:{size}", t / 2) for size, stride, t in layers[:-1]]
              + [(f"allreduce:{stride}:{size}", t) for size, stride, t in layers[-1:]]
              + [(f"allgather:{stride}:{size}", t / 2) for size, stride, t in reversed(layers[:-1])])
    measured = {
        "status": "ok", "median_seconds": sum(times), "samples_seconds": [sum(times)], "wrong_elements": 0,
        "stages": [{"stage": stage, "seconds": seconds} for stage, seconds in stages],
    }
    result = {
        "format": "hiersearch.result/2", "command": "Table II of Ueno and Yokota, CCGRID 2019", "created": "2019-05-14T00:00:00Z",
        "complete": True, "np": 128, "backend": "nccl", "versions": {},
        "results": [{"message_bytes": MESSAGE_BYTES, "dtype": "float32", "op": "sum", "best": split,
                     "search": {"strategy": "table", "splits": 64, "looked_at": 1, "pruned": []}, "baselines": [],
                     "candidates": [{"plan": split, "measured": measured}]}],
    }
    path = Path(folder) / f"{split}.json"
    path.write_text(json.dumps(result), encoding="utf-8")
    return path


def fitted(program, folder, files):
    system = Path(folder) / "fitted.json"
    subprocess.run([program, "fit", "abci", *files, "--quiet", "-o", system], stdout=subprocess.DEVNULL, check=True)
    return predicted_seconds(program, system)


def predicted_seconds(program, system):
    """Every split of 128."""
    out = subprocess.run([program, "predict", system, "--np", "128", "--size", "128MiB", "--top", "64", "--samples", "0",
                          "--json"],
                         check=True, capture_output=True, text=True).stdout
    return {c["plan"]: c["predicted_seconds"] for c in json.loads(out)["results"][0]["candidates"]}


def percent(value, reference):
    return 100 * (value / reference - 1)


def summary(name, measured, predicted):
    errors = [abs(percent(predicted[s], measured[s])) for s in measured]
    tau = kendall_tau(measured, {s: predicted[s] for s in measured})
    winner = min(measured, key=lambda s: predicted[s])
    regret = percent(measured[winner], min(measured.values()))
    print(f"{name:44} {sum(errors) / len(errors):6.2f} {max(errors):7.2f} {tau:6.2f}   {winner:8} {regret:6.2f}")


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else "build/hiersearch"
    measured = {split: sum(seconds for *_, seconds in layer_times(split, busbw)) for split, busbw in BUSBW_MBPS.items()}
    plain = predicted_seconds(program, "abci")
    with tempfile.TemporaryDirectory() as folder:
        files = {split: result_file(folder, split) for split in measured}
        left_out = {split: fitted(program, folder, [f for s, f in files.items() if s != split])[split] for split in measured}
        in_sample = fitted(program, folder, list(files.values()))
    print(f"{'split':10} {'measured ms':>11} {'left out ms':>11} {'error %':>8} {'plain ms':>9} {'error %':>8}")
    for split in sorted(measured, key=measured.get):
        print(f"{split:10} {1e3 * measured[split]:11.2f} {1e3 * left_out[split]:11.2f} {percent(left_out[split], measured[split]):+8.2f}"
              f" {1e3 * plain[split]:9.2f} {percent(plain[split], measured[split]):+8.2f}")
    print(f"\n{'10 published splits of 128 GPUs':44} {'mean %':>6} {'worst %':>7} {'tau':>6}   {'winner':8} {'regret %':>6}")
    summary("plain model, published parameters", measured, plain)
    summary("fitted on the nine others, one left out", measured, left_out)
    summary("fitted on all ten (in sample, no test)", measured, in_sample)
    print("target                                         3.00    8.00   0.80   4x8x4")
    others = [s for s in in_sample if s not in measured]
    best = min(in_sample, key=in_sample.get)
    print(f"\nof all 64 splits the fitted system ranks first: {best} ({1e3 * in_sample[best]:.2f} ms); {len(others)} splits were not published")


if __name__ == "__main__":
    main()
