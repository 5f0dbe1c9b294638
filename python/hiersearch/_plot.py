"""Pictures by matplotlib."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from . import _show

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .measured import Checked, Profile
    from .results import Result

# Okabe and Ito: told apart by those who do not see all colors, and in grey.
COLORS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000"]
BEST, LIBRARY, FLAT = COLORS[0], COLORS[5], "#7f7f7f"


def _axes(ax: Optional["Axes"], width: float, height: float) -> "Axes":
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(width, height), layout="constrained")[1]


def _scale(largest: float) -> tuple[float, str]:
    return next(((scale, unit) for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")) if largest >= scale), (1e-9, "ns"))


def _title(result: "Result", message: Any = None) -> str:
    document = result.document
    on = f"{_show.machine(document)}: " if document.system else ""
    of = f", {_show.size(message.message_bytes)}" if message else ""
    return f"{on}{document.np} processes, {_show.collective(document)}{of}"


def plans(result: "Result", number: int, ax: Optional["Axes"]) -> "Axes":
    """A bar per plan, the best above, of its layers' parts from the inside out; a line is its range, a mark what was
    measured, and across all of them what the library's default call takes."""
    message = result.messages[number]
    shown = [plan for plan in message.candidates if _show.time_of(plan) is not None]
    ax = _axes(ax, 7.5, 1.7 + 0.42 * len(shown))
    scale, unit = _scale(max((_show.time_of(plan) or 0 for plan in shown), default=1.0))
    layers = max((len(plan.layers) for plan in shown), default=0)
    for row, plan in enumerate(shown):
        left = 0.0
        for i, layer in enumerate(plan.layers):
            ax.barh(row, layer.seconds / scale, left=left, color=COLORS[i % len(COLORS)], edgecolor="white", height=0.7)
            left += layer.seconds / scale
        if not plan.layers:
            known = plan.measured is not None and plan.measured.median_seconds is not None
            ax.barh(row, (_show.time_of(plan) or 0) / scale, color="#bfbfbf" if known else "none", edgecolor=FLAT, height=0.7)
        _whisker(ax, row, plan, scale)
    for _, seconds, style in _own(message):
        ax.axvline(seconds / scale, color=LIBRARY, linestyle=style)
    ax.set_yticks(range(len(shown)), [plan.plan for plan in shown])
    for label, plan in zip(ax.get_yticklabels(), shown):
        label.set_fontweight("bold" if plan.plan == message.best else "normal")
    ax.invert_yaxis()
    ax.set_xlim(left=0)
    ax.set_xlabel(f"time ({unit})")
    ax.set_title(f"{_title(result, message)}\n{_show.advice(message)}", fontsize="medium", loc="left")
    _key(ax, layers, message)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def _own(message: Any) -> list[tuple[str, float, Any]]:
    """The library's default call: what it is called, seconds, style of its line."""
    found: list[tuple[str, float, Any]] = []
    if message.default:
        found.append((f"{message.default.name}'s default", message.default.seconds, "--"))
    found += [("the library's default, measured", one.measured.median_seconds, "-") for one in message.baselines
              if one.measured.median_seconds is not None]
    return found


def _whisker(ax: "Axes", row: int, plan: Any, scale: float) -> None:
    """The range of a plan's time, and what was measured."""
    time, between = _show.time_of(plan) or 0.0, _show.range_of(plan)
    if between:
        off = [[max(time - between[0], 0) / scale], [max(between[1] - time, 0) / scale]]
        ax.errorbar([time / scale], [row], xerr=off, color="black", capsize=3, linewidth=1)
    if plan.measured and plan.measured.median_seconds is not None:
        ax.plot([plan.measured.median_seconds / scale], [row], "D", color="black", markersize=5)


def _key(ax: "Axes", layers: int, message: Any) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [Patch(color=COLORS[i % len(COLORS)], label=f"layer {i + 1}") for i in range(layers)]
    handles += [Line2D([], [], color=LIBRARY, linestyle=style, label=name) for name, _, style in _own(message)]
    if any(plan.measured for plan in message.candidates):
        handles.append(Line2D([], [], color="black", marker="D", linestyle="", label="measured"))
    if handles:
        ax.legend(handles=handles, fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))


def sizes(result: "Result", ax: Optional["Axes"]) -> "Axes":
    """Times over sizes: the best plan with its range, named where it changes; the library's default call, or the flat plan."""
    ax = _axes(ax, 7.5, 4.5)
    found = [(message, _show.best_of(message)) for message in result.messages]
    at = [(message, best) for message, best in found if best is not None and _show.time_of(best) is not None]
    x = [message.message_bytes for message, _ in at]
    y = [_show.time_of(best) or 0.0 for _, best in at]
    ranges = [_show.range_of(best) or (time, time) for (_, best), time in zip(at, y)]
    ax.fill_between(x, [low for low, _ in ranges], [high for _, high in ranges], color=BEST, alpha=0.2, linewidth=0)
    ax.plot(x, y, "o-", color=BEST, markersize=4, label="best plan")
    before = None
    for (message, best), time in zip(at, y):
        if best.plan != before:
            ax.annotate(best.plan, (message.message_bytes, time), textcoords="offset points", xytext=(4, -12), fontsize="small")
        before = best.plan
    flat = [(message.message_bytes, message.flat_seconds) for message in result.messages if message.flat_seconds]
    own = [(message.message_bytes, message.default) for message in result.messages if message.default]
    if own:
        ax.plot([size for size, _ in own], [call.seconds for _, call in own], color=LIBRARY, linestyle="--", label=f"{own[0][1].name}'s default")
    elif flat:
        ax.plot(*zip(*flat), color=FLAT, linestyle=":", label="flat plan")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    _readable(ax)
    ax.set_xlabel("message per process")
    ax.set_ylabel("time")
    ax.set_title(_title(result), fontsize="medium", loc="left")
    ax.legend(frameon=False)
    ax.grid(True, which="major", alpha=0.3)
    return ax


def _readable(ax: "Axes") -> None:
    """Axes with units: 64 KiB, 1 ms."""
    ax.xaxis.set_major_formatter(lambda value, _: _show.size(value))
    ax.yaxis.set_major_formatter(lambda value, _: _show.seconds(value))


def checked(found: "Checked", ax: Optional["Axes"]) -> "Axes":
    """Measured times over sizes, beside what the machine takes, with its 90 % range."""
    ax = _axes(ax, 7.5, 4.5)
    rows = sorted(found.document.rows, key=lambda row: row.bytes)
    if not rows:
        raise ValueError("there is nothing to draw: no log has a time")
    for call in sorted({row.call for row in rows}):
        known = [row for row in rows if row.call == call and row.expected_seconds]
        ax.fill_between([row.bytes for row in known], [row.expected_low_seconds or 0 for row in known],
                        [row.expected_high_seconds or 0 for row in known], color=BEST, alpha=0.25)
        ax.plot([row.bytes for row in known], [row.expected_seconds or 0 for row in known], color=BEST, label=f"{call}, expected")
        ours = [row for row in rows if row.call == call]
        ax.plot([row.bytes for row in ours], [row.seconds for row in ours], "o", color=LIBRARY, markersize=5, label=f"{call}, measured")
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    _readable(ax)
    ax.set_xlabel("message")
    ax.set_ylabel("time")
    ax.set_title(found.verdict, fontsize="medium", loc="left")
    ax.legend(frameon=False)
    return ax


def profile(found: "Profile", ax: Optional["Axes"]) -> "Axes":
    """The ten kinds of call that take longest: what a rank spends in them on the mean, and which part of the job that is."""
    document = found.document
    calls = sorted(found.calls, key=lambda call: -call.seconds)[:10]
    ax = _axes(ax, 7.5, 1.2 + 0.4 * len(calls))
    scale, unit = _scale(max((call.seconds / document.ranks for call in calls), default=1.0))
    bars = ax.barh(range(len(calls)), [call.seconds / document.ranks / scale for call in calls], color=BEST)
    ax.bar_label(bars, [_show.share(call.seconds, document) for call in calls], padding=3, fontsize="small")
    names = [f"{call.call}, {_show.size(call.bytes / call.calls)}, {call.groups} x {call.group_ranks}" for call in calls]
    ax.set_yticks(range(len(calls)), names)
    ax.invert_yaxis()
    ax.set_xlabel(f"time of a rank in such calls ({unit})")
    ax.set_title(f"{document.ranks} ranks, {_show.seconds(document.seconds)} in all", fontsize="medium", loc="left")
    ax.spines[["top", "right"]].set_visible(False)
    return ax
