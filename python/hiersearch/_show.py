"""What notebooks show: figures as people write them, and tables in HTML."""
from __future__ import annotations

import math
import re
from html import escape
from typing import TYPE_CHECKING, Optional, Sequence

if TYPE_CHECKING:
    from .measured import Checked, Profile
    from .records import Candidate, Message, ProfileDocument, ResultDocument
    from .results import Result

_STYLE = "text-align: right; padding: 0.15em 0.7em"
_LEFT = "text-align: left; padding: 0.15em 0.7em"
LONGEST = 40  # rows of a table in a notebook


def seconds(value: Optional[float]) -> str:
    """ "57.7 us"; "" where there is none."""
    if value is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if abs(value) >= scale:
            return f"{value / scale:.4g} {unit}"
    return f"{value / 1e-9:.4g} ns" if value else "0 s"


def size(count: Optional[float]) -> str:
    """ "1 MiB", "25 MB", whichever is whole; else with four digits."""
    if count is None:
        return ""
    scales = [(base**power, f"{letter}{end}") for power, letter in ((4, "T"), (3, "G"), (2, "M"), (1, "k"))
              for base, end in ((1024, "iB"), (1000, "B"))] + [(1, "B")]
    whole = [(scale, unit) for scale, unit in scales if count % scale == 0 and count // scale < 10000]
    rough = [(scale, unit) for scale, unit in scales if count >= scale and unit.endswith("iB")]
    scale, unit = (whole if count and whole else rough or [(1, "B")])[0]
    return f"{count / scale:.4g} {unit.replace('ki', 'Ki')}"


def bytes_per_second(value: Optional[float]) -> str:
    """ "18.6 GB/s"."""
    return "" if value is None else f"{value / 1e9:.4g} GB/s"


def count(number: int, noun: str) -> str:
    """ "1 size", "17 sizes"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def percent(value: Optional[float]) -> str:
    return "" if value is None else f"{100 * value:+.1f} %"


def table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = (),
          bold: Sequence[int] = ()) -> str:
    """A table in HTML: the first column to the left, rows of `bold` set off, notes below."""
    def line(cells: Sequence[str], tag: str, strong: bool) -> str:
        weight = "; font-weight: bold" if strong else ""
        styles = [_LEFT, *[_STYLE] * (len(cells) - 1)]
        return "<tr>" + "".join(f'<{tag} style="{style}{weight}">{escape(cell)}</{tag}>'
                                for style, cell in zip(styles, cells)) + "</tr>"

    shown = [line(row, "td", i in bold) for i, row in enumerate(rows[:LONGEST])]
    more = [f"{len(rows) - LONGEST} more rows: to_pandas() has them all"] if len(rows) > LONGEST else []
    below = "".join(f'<div style="color: gray; font-size: small">{escape(note)}</div>' for note in [*more, *notes])
    return (f"<div><div><b>{escape(title)}</b></div><table><thead>{line(heads, 'th', False)}</thead>"
            f"<tbody>{''.join(shown)}</tbody></table>{below}</div>")


# ---- results -------------------------------------------------------------------------------------
def collective(document: "ResultDocument") -> str:
    """ "reduce-scatter over dp of tp=8,dp=64"."""
    over = f" over {document.group} of {document.mesh}" if document.group else ""
    return f"{document.collective or 'allreduce'}{over}"


def machine(document: "ResultDocument") -> str:
    """Its name, or the line of parts that it was given as; "" where none is known."""
    system = document.system
    return "" if system is None else system.name if system.name != "text" else system.parts or "a line of text"


def time_of(plan: "Candidate") -> Optional[float]:
    """Measured where it was, else predicted."""
    measured = plan.measured.median_seconds if plan.measured else None
    return plan.predicted_seconds if measured is None else measured


def range_of(plan: "Candidate") -> Optional[tuple[float, float]]:
    """95 % of the median where it was measured; of a prediction 95 % by a calibration, else 90 % of the samples."""
    if plan.measured and plan.measured.median_seconds is not None:
        found = plan.measured.ci95_seconds
    elif plan.predicted_ci95_seconds:
        found = plan.predicted_ci95_seconds
    elif plan.predicted_low_seconds is not None and plan.predicted_high_seconds is not None:
        found = [plan.predicted_low_seconds, plan.predicted_high_seconds]
    else:
        found = []
    return (found[0], found[1]) if len(found) == 2 else None


def _range(plan: "Candidate") -> str:
    found = range_of(plan)
    return f"{seconds(found[0])} to {seconds(found[1])}" if found else ""


def best_of(message: "Message") -> Optional["Candidate"]:
    return next((plan for plan in message.candidates if plan.plan == message.best), None)


def gain(value: Optional[float]) -> str:
    """ "1.95x", as the program writes it."""
    return "" if value is None else f"{value:.{2 if value < 9.995 else 1 if value < 99.95 else 0}f}x"


def _gain(message: "Message") -> str:
    verdict = message.verdict
    if verdict is None:
        return ""
    sampled = verdict.gain_low is not None and verdict.gain_low != verdict.gain_high
    return gain(verdict.gain) + (f" ({gain(verdict.gain_low)} to {gain(verdict.gain_high)})" if sampled else "")


def layers(plan: str) -> int:
    """How many layers it has; 0: the library's default call."""
    return 0 if plan == "default" else plan.count("x") + 1


def advice(message: "Message") -> str:
    """What to do about this message, as the program says it."""
    verdict, best = message.verdict, best_of(message)
    if best is None:
        return "no plan is known to be best"
    if verdict is None or best.measured is not None:
        return f"best plan {best.plan}"
    if verdict.advice == "default":
        return f"Keep {message.default.name if message.default else 'the library'}'s default"
    flat = str(math.prod(int(size) for size in re.findall(r"[0-9]+", verdict.plan.split("/")[0])))
    reference = f"{message.default.name}'s default" if message.default else f"the flat plan {flat}"
    if verdict.advice == "undecided":
        return f"Cannot tell whether {verdict.plan} is faster than {reference}"
    if message.default is None and verdict.plan == flat:
        return f"Use the flat plan, {flat}"
    return f"Use {verdict.plan}" + (f", {gain(verdict.gain)} faster than {reference}" if verdict.gain >= 1 else "")


def result_table(result: "Result") -> str:
    document, messages = result.document, result.messages
    on = f"{machine(document)}: " if document.system else ""
    kind = "measured" if result.measured else "predicted"
    title = f"{on}{document.np} processes, {collective(document)}, {kind}"
    notes = result.notes
    if len(messages) == 1:
        message = messages[0]
        best = best_of(message)
        fastest = time_of(best) if best else None
        rows = [[plan.plan, seconds(time_of(plan)), _range(plan), _ratio(time_of(plan), fastest),
                 str(layers(plan.plan) or "")] for plan in message.candidates]
        bold = [i for i, plan in enumerate(message.candidates) if plan.plan == message.best]
        return table(f"{title}, {size(message.message_bytes)}: {advice(message)}",
                     ["plan", "time", "range", "of the best's", "layers"], rows, notes, bold)
    rows = []
    for message in messages:
        best = best_of(message)
        usual = message.default.seconds if message.default else message.flat_seconds
        rows.append([size(message.message_bytes), message.verdict.advice if message.verdict else "", message.best or "",
                     seconds(time_of(best)) if best else "", _range(best) if best else "", seconds(usual), _gain(message)])
    against = f"{messages[0].default.name}'s default" if messages[0].default else "flat plan"
    return table(title, ["size", "advice", "best plan", "time", "range", against, "gain (90 % range)"], rows, notes)


def _ratio(value: Optional[float], base: Optional[float]) -> str:
    return f"{value / base:.3f}x" if value is not None and base else ""


# ---- what was measured ---------------------------------------------------------------------------
def checked_table(found: "Checked") -> str:
    rows = [[row.file, row.call, str(row.np), size(row.bytes), seconds(row.seconds), seconds(row.expected_seconds),
             seconds(row.expected_low_seconds), seconds(row.expected_high_seconds), "low" if row.low else ""] for row in found.document.rows]
    title = found.verdict + (f": {found.document.reason}" if found.document.reason else "")
    return table(title, ["file", "call", "processes", "size", "measured", "expected", "from", "to", ""], rows, found.notes)


def profile_table(profile: "Profile") -> str:
    document = profile.document
    rows = [[call.call, f"{call.groups} x {call.group_ranks}", str(call.calls), size(call.bytes / call.calls),
             seconds(call.seconds / call.calls), share(call.seconds, document)]
            for call in sorted(profile.calls, key=lambda call: -call.seconds)]
    title = f"{document.ranks} ranks, {document.library}, {seconds(document.seconds)}"
    return table(title, ["call", "groups (ranks)", "calls", "mean size", "per call", "share of run time"], rows)


def share(spent: float, document: "ProfileDocument") -> str:
    """Of the job, on the mean of its ranks."""
    whole = document.seconds * document.ranks
    return f"{100 * spent / whole:.1f} %" if whole else ""
