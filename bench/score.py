#!/usr/bin/env python3
"""Predicted against measured times of plans, and what pruning by the containment rule costs.

    bench/score.py RESULT... [--predict SYSTEM] [--beam N] [--widen] [--plans] [--program FILE]

RESULT is a result of measure or simulate. A case is one message size of it. Of each case: the error of the predictions
(predicted / measured - 1: mean size, worst), Kendall's tau-b, whether the fastest measured plan is the predicted one, its
rank in the prediction, and the regret of the predicted one: its measured time over the shortest, - 1. "noise": the 95 %
intervals of both overlap. Predictions are those of the file; of the model on SYSTEM with --predict.

The rule, "the large optimum contains the small optimum" (Ueno and Yokota, CCGRID 2019, section V): plans for P processes
are made of the best N (--beam) for a divisor of P, by one more layer or by a last layer that grows (--widen: any layer).
"kept" is how many measured plans it makes, "rule" the regret of the fastest of these. Where files have the same case for
several process counts, the rule is applied to measured times alone, too.
"""
import argparse
import csv
import io
import itertools
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SAME = 1e-12  # relative: what another order of additions can make


# ---- plans ---------------------------------------------------------------------------------------
def sizes(plan):
    """(4, 8, 4) of 4x8r4/2."""
    return tuple(int(re.match(r"\d+", layer)[0]) for layer in plan.split("/")[0].split("x"))


def order(plan):
    """Of plans that take the same: fewer chunks, fewer layers, smaller sizes first, as the search has them."""
    chunks = int(plan.partition("/")[2] or 1)
    return chunks, len(sizes(plan)), sizes(plan), plan


def ranked(times):
    """Plans by time, those whose times differ by rounding alone in the order of plans; and the time that these share."""
    shared, level = {}, -math.inf
    for plan in sorted(times, key=times.get):
        if times[plan] - level > SAME * times[plan]:
            level = times[plan]
        shared[plan] = level
    return sorted(times, key=lambda plan: (shared[plan], order(plan))), shared


def kendall_tau(a, b):
    """Tau-b of two dicts with the same keys; NaN: one of them is constant."""
    pairs = [((a[x] > a[y]) - (a[x] < a[y]), (b[x] > b[y]) - (b[x] < b[y])) for x, y in itertools.combinations(a, 2)]
    both = math.sqrt(sum(p != 0 for p, _ in pairs)) * math.sqrt(sum(q != 0 for _, q in pairs))
    return sum(p * q for p, q in pairs) / both if both else math.nan


# ---- the containment rule ------------------------------------------------------------------------
def reaches(small, large, widen):
    """Whether steps of the rule lead from a split to a larger one."""
    return len(small) <= len(large) and all(
        b % a == 0 if widen or i == len(small) - 1 else a == b for i, (a, b) in enumerate(zip(small, large)))


# ---- a case --------------------------------------------------------------------------------------
class Case:
    """A message size of a measured file, with the scores of its predictions."""

    def __init__(self, path, result, message):
        self.file, self.np, self.bytes = path.name, result["np"], message["message_bytes"]
        self.alike = (self.bytes, message.get("dtype"), message.get("op"), result.get("backend"), result.get("collective"),
                      json.dumps(result.get("system")), result.get("mesh"), result.get("group"))
        self.result, self.message = result, message
        self.measured, self.ends = {}, {}
        for one in message.get("candidates", []):
            times = one.get("measured", {})
            if times.get("status") == "ok" and times.get("median_seconds", 0) > 0:
                self.measured[one["plan"]] = times["median_seconds"]
                self.ends[one["plan"]] = times.get("ci95_seconds")
        self.predicted = {one["plan"]: one["predicted_seconds"] for one in message.get("candidates", [])
                          if one["plan"] in self.measured and "predicted_seconds" in one}

    def price(self, program, system, *more):
        """Times of the plans that a search finds, by the model on a system."""
        words = [program, "predict", system, "--size", f"{self.bytes}B", "--top", "10000", "--samples", "0", "--format", "csv", "--quiet",
                 "--chunks", ",".join(map(str, sorted({order(plan)[0] for plan in self.measured}))),
                 "--dtype", self.message.get("dtype", "float32"), "--collective", self.result.get("collective", "allreduce"), *more]
        words += ["--algorithms", "all"] if any(re.search("[a-wyz]", plan) for plan in self.measured) else []
        words += ["--layout", self.result["layout"]] if "layout" in self.result else []
        words += ["--mesh", self.result["mesh"], "--group", self.result["group"]] if "mesh" in self.result else ["--np", str(self.np)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            print(f"{self.file}: {done.stderr.strip()}", file=sys.stderr)
            return {}
        return {row["plan"]: float(row["seconds"]) for row in csv.DictReader(io.StringIO(done.stdout))
                if row["rank"].isdigit() and row["plan"][0].isdigit()}  # not the flat plan beside them, nor the default call

    def regret(self, plan):
        return max(0, self.measured[plan] / self.measured[self.fastest] - 1)

    def in_noise(self, plan):
        a, b = self.ends[plan], self.ends[self.fastest]
        return plan == self.fastest or bool(a and b and a[0] <= b[1] and b[0] <= a[1])

    def score(self, made, every):
        """All figures; False: no measured plan is predicted. made, every: times of what the rule makes and of all plans, or None."""
        self.left_out = len(self.measured) - len(self.predicted)
        self.measured = {plan: seconds for plan, seconds in self.measured.items() if plan in self.predicted}
        if not self.measured:
            return False
        self.by_time, shared = ranked(self.measured)
        self.by_price, priced = ranked(self.predicted)
        self.fastest, self.chosen = self.by_time[0], self.by_price[0]
        self.errors = {plan: self.predicted[plan] / self.measured[plan] - 1 for plan in self.by_time}
        self.mean = sum(map(abs, self.errors.values())) / len(self.errors)
        self.worst = max(self.by_time, key=lambda plan: abs(self.errors[plan]))
        self.tau = kendall_tau(shared, priced) if len(shared) > 2 else math.nan
        self.found = "found" if self.chosen == self.fastest else "noise" if self.in_noise(self.chosen) else "no"
        self.rank = self.by_price.index(self.fastest) + 1
        self.kept = self.lost = None
        if made:
            self.kept = [plan for plan in self.by_time if plan in made]
            self.lost = min(made.values()) / min(every.values()) - 1
        return True


# ---- what is printed -----------------------------------------------------------------------------
def size(count):
    unit = next((i for i in (3, 2, 1) if count % 1024**i == 0), 0)
    return f"{count // 1024**unit}{('B', 'KiB', 'MiB', 'GiB')[unit]}"


def table(rows):
    """Text to the left, numbers to the right; NaN and None are -."""
    rows = [["-" if cell is None or cell == "nan" else str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) if i == 0 else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))))


def counted(count, noun):
    return f"{count} {noun}{'s' * (count != 1)}"


def percent(value, digits=2):
    return None if value is None else f"{100 * value:.{digits}f}"


def show_plans(case):
    print(f"\n{case.file}: {case.np} processes, {size(case.bytes)}" + f", {case.left_out} without a prediction" * bool(case.left_out))
    table([["plan", "measured ms", "predicted ms", "error %", "rank", "predicted rank"]] + [
        [plan, f"{1e3 * case.measured[plan]:.4g}", f"{1e3 * case.predicted[plan]:.4g}", f"{100 * case.errors[plan]:+.1f}", i + 1,
         case.by_price.index(plan) + 1] for i, plan in enumerate(case.by_time)])


def show_cases(cases):
    rows = [["file", "np", "size", "plans", "mean %", "worst %", "tau", "fastest", "predicted", "found", "rank", "regret %", "kept",
             "rule %"]]
    for one in cases:
        rows.append([one.file, one.np, size(one.bytes), len(one.measured), percent(one.mean, 1), f"{100 * one.errors[one.worst]:+.1f}",
                     f"{one.tau:.2f}", one.fastest, one.chosen, one.found, one.rank, percent(one.regret(one.chosen)),
                     None if one.kept is None else len(one.kept), percent(one.regret(one.kept[0])) if one.kept else None])
    table(rows)


def show_growths(cases, beam, widen):
    """The rule on measured times: each case from the largest smaller process count that divides its own."""
    rows = []
    for large in cases:
        found = [one for one in cases if one.alike == large.alike and 1 < one.np < large.np and large.np % one.np == 0]
        if not found:
            continue
        small, lost = max(found, key=lambda one: one.np), []
        for kept in small.by_time[:1], small.by_time[:beam]:
            reached = [plan for plan in large.by_time if any(reaches(sizes(one), sizes(plan), widen) for one in kept)]
            lost.append(f"{100 * large.regret(reached[0]):.2f}" if reached else "all")
        rows.append([size(large.bytes), f"{small.np} -> {large.np}", f"{small.fastest} -> {large.fastest}", *lost,
                     "yes" if len(small.by_time) <= beam else ""])
    if rows:
        print("\nThe rule on measured times: regret of the fastest that it makes")
        table([["size", "processes", "fastest", "of the fastest %", f"of the best {beam} %", "keeps all"], *rows])


def show_summary(cases):
    errors = [abs(error) for one in cases for error in one.errors.values()]
    taus = [one.tau for one in cases if not math.isnan(one.tau)]
    choices = [one for one in cases if len(one.measured) > 1]
    tops = [one for one in cases if len(one.measured) > 3]
    ruled = [one for one in choices if one.kept is not None]
    worst = max(cases, key=lambda one: abs(one.errors[one.worst]))
    print(f"\n{counted(len(cases), 'case')}, {counted(len(errors), 'plan')}")
    print(f"error   mean {percent(sum(errors) / len(errors), 1)} %, worst {100 * worst.errors[worst.worst]:+.1f} % ({worst.worst}: {worst.file})")
    if taus:
        print(f"order   Kendall's tau {sum(taus) / len(taus):.2f} in the mean of {counted(len(taus), 'case')}")
    if choices:
        regrets = [one.regret(one.chosen) for one in choices]
        print(f"winner  found in {sum(one.found == 'found' for one in choices)} of {len(choices)} cases, within noise in "
              f"{sum(one.found == 'noise' for one in choices)} more; among the first 3 in {sum(one.rank <= 3 for one in tops)} of {len(tops)} "
              "with more than 3 plans")
        print(f"regret  mean {percent(sum(regrets) / len(regrets))} %, worst {percent(max(regrets))} %")
    if ruled:
        regrets = [one.regret(one.kept[0]) for one in ruled if one.kept]
        print(f"rule    loses the model's optimum in {sum(one.lost > SAME for one in ruled)} of {len(ruled)} cases, worst "
              f"{percent(max(one.lost for one in ruled))} %; keeps the fastest measured plan in "
              f"{sum(one.fastest in one.kept for one in ruled)}" +
              (f"; regret of the fastest kept: mean {percent(sum(regrets) / len(regrets))} %, worst {percent(max(regrets))} %" if regrets else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=Path, metavar="RESULT")
    parser.add_argument("--program", default="build/hiersearch", metavar="FILE")
    parser.add_argument("--predict", metavar="SYSTEM")
    parser.add_argument("--beam", type=int, default=4, metavar="N")
    parser.add_argument("--widen", action="store_true")
    parser.add_argument("--plans", action="store_true")
    asked = parser.parse_args()
    rule, cases = ["--beam", str(asked.beam), *["--widen"] * asked.widen], []
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(asked.results):
            try:
                result = json.loads(path.read_text(encoding="utf-8"))
                found = [Case(path, result, message) for message in result["results"]]
            except (OSError, ValueError, KeyError, TypeError) as error:
                parser.error(f"{path}: expected a result of measure or simulate: {error!r}")
            system = asked.predict
            if not system and "system" in result:
                system = str(Path(folder) / f"{number}.json")
                Path(system).write_text(json.dumps(result["system"]), encoding="utf-8")
            for case in found:
                every = case.price(asked.program, system) if system and case.measured else None
                made = case.price(asked.program, system, "--search", "containment", *rule) if every else None
                if asked.predict:
                    case.predicted = {plan: every[plan] for plan in case.measured if plan in (every or {})}
                if case.score(made, every):
                    cases.append(case)
    if not cases:
        parser.error("no plan of these files is both measured and predicted; --predict SYSTEM predicts what was measured")
    show_cases(cases)
    for case in cases if asked.plans else []:
        show_plans(case)
    show_growths(cases, asked.beam, asked.widen)
    show_summary(cases)


if __name__ == "__main__":
    main()
