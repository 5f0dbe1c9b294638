"""What is seen: tables of pandas, HTML, pictures of matplotlib."""
import html.parser
import math

import pytest

import hiersearch as hs

pandas = pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")


@pytest.fixture
def everything(data):
    """One of each object."""
    return {
        "one": hs.predict("abci", np=128, size="128MiB"),
        "sizes": hs.predict("dgx-h100", np=64, size="64KiB:1GiB"),
        "measured": hs.read(data / "answer/data/null16.json"),
        "checked": hs.check(data / "record/logs/nodes.txt", machine="8xH100, 8xNDR400"),
        "profile": hs.read_profile(data / "golden/profile/train.json"),
        "system": hs.System("abci"),
    }


class Cells(html.parser.HTMLParser):
    """Cells of tables, and whether what is opened is closed."""

    def __init__(self, text):
        super().__init__()
        self.open, self.cells = [], []
        self.feed(text)
        assert not self.open, f"left open: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "td":
            self.cells.append(data)


def test_frames(everything):
    """Tables have a row per plan and message, with the numbers of the result."""
    frame = everything["sizes"].to_pandas()
    plans = [(message.message_bytes, plan.plan, plan.predicted_seconds) for message in everything["sizes"].messages
             for plan in message.candidates]
    assert list(frame[["message_bytes", "plan", "seconds"]].itertuples(index=False, name=None)) == plans
    assert frame.groupby("message_bytes")["best"].sum().eq(1).all()
    measured = everything["measured"].to_pandas()
    known = measured.dropna(subset=["measured_seconds"])
    assert len(known) and (known["seconds"] == known["measured_seconds"]).all()
    checked = everything["checked"].to_pandas()
    assert list(checked["seconds"]) == [row.seconds for row in everything["checked"].document.rows]
    assert list(everything["profile"].to_pandas()["seconds"]) == [call.seconds for call in everything["profile"].calls]
    assert list(everything["system"].to_pandas()["name"]) == [level.name for level in everything["system"].levels]


def test_html(everything):
    """Notebooks get tables whose tags are closed, with the best plan in them."""
    for name, thing in everything.items():
        assert Cells(thing._repr_html_()).cells, name
    cells = Cells(everything["one"]._repr_html_()).cells
    assert cells[0] == everything["one"].best.plan
    sizes = everything["sizes"]
    assert [(row[1], row[2]) for row in zip(*[iter(Cells(sizes._repr_html_()).cells)] * 7)] == [
        (message.verdict.advice, message.best) for message in sizes.messages]
    assert "&lt;b&gt;" in hs.System.parse(everything["system"].to_json().replace('"abci"', '"a-b"').replace(
        everything["system"].document.title, "<b>"))._repr_html_()


def test_pictures(everything, tmp_path):
    """Pictures show the result's own numbers, and can be drawn."""
    for name in ("one", "sizes", "measured", "checked", "profile"):
        ax = everything[name].plot()
        ax.figure.savefig(tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000
    one = everything["one"]
    ax = one.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [plan.plan for plan in one.candidates]
    widths = [0.0] * len(one.candidates)
    for bar in ax.patches:
        widths[round(bar.get_y() + bar.get_height() / 2)] += bar.get_width() * 1e-3
    assert all(math.isclose(width, plan.predicted_seconds, rel_tol=1e-9) for width, plan in zip(widths, one.candidates))
    line = next(line for line in everything["sizes"].plot().lines if line.get_label() == "best plan")
    assert [(x, y) for x, y in zip(line.get_xdata(), line.get_ydata())] == [
        (everything["sizes"].best_of(i).bytes, everything["sizes"].best_of(i).seconds) for i in range(len(everything["sizes"]))]
    rows = everything["checked"].document.rows
    measured = next(line for line in everything["checked"].plot().lines if line.get_label() == "allreduce, measured")
    assert sorted(measured.get_ydata()) == sorted(row.seconds for row in rows)
    matplotlib.pyplot.close("all")


@pytest.mark.parametrize("value, text", [(2**20, "1 MiB"), (25e6, "25 MB"), (1000, "1 kB"), (1536, "1536 B"), (9600, "9600 B"),
                                         (335544320000, "312.5 GiB"), (0, "0 B"), (65536, "64 KiB"), (3 * 2**40, "3 TiB")])
def test_sizes(value, text):
    """Sizes are written as people write them."""
    from hiersearch._show import size

    assert size(value) == text
