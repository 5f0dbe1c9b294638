"""Calibrations, comparisons, profiles and exports beside the command line."""
import json
import math
import subprocess

import pytest
from conftest import PROGRAM, ROOT, plain

import hiersearch as hs

PARTS = "8xH100, 8xNDR400"
LOGS = sorted(path.name for path in (ROOT / "tests/record/logs").iterdir())
FORMATS = [one["name"] for one in hs.formats()]


@pytest.mark.parametrize("name", LOGS)
def test_fit_by_a_log(name, data):
    """fit by a log is the command line's, or fails with its line."""
    path = data / "record/logs" / name
    ran = subprocess.run([PROGRAM, "fit", PARTS, path, "--force"], capture_output=True, text=True, check=False)
    if ran.returncode:
        with pytest.raises(hs.HiersearchError) as raised:
            hs.fit(PARTS, path, force=True)
        assert f"hiersearch fit: {raised.value}" == ran.stderr.splitlines()[-1]
    else:
        fitted = hs.fit(PARTS, path, force=True)
        assert fitted.to_json() == ran.stdout
        assert hs.fit(PARTS, (str(path), path.read_text(encoding="utf-8")), force=True).to_json() == ran.stdout


def test_fit_by_results(data, program):
    """Results become the fits of a calibration, in SI units, and a pattern stands for the files that it names."""
    paths = sorted((data / "golden/fit").glob("[48]x*.json"))
    fitted = hs.fit("abci", data / "golden/fit/[48]x*.json", max_residual=30, name="mine")
    assert fitted.to_json() == program("fit", "abci", *paths, "--max-residual", 30, "--name", "mine")
    assert fitted.name == "mine" and fitted.notes
    for fit, said in zip(fitted.fits.layers, json.loads(fitted.to_json())["fits"]["layers"]):
        assert math.isclose(fit.latency_seconds, said["latency_us"] * 1e-6)
        assert math.isclose(fit.residual, said["residual_percent"] / 100)
    with pytest.raises(FileNotFoundError):
        hs.fit("abci", "no-such-log-*.txt")


def test_calibrations_compared(data):
    """changes has the figures that differ, in SI units, those of fits among them, and no others."""
    system, path = hs.System("abci"), data / "estimate/calibrated.json"
    assert system.changes("abci") == system.changes(system.copy()) == []
    faster = json.loads(system.to_json())
    faster["levels"][0]["latency_us"] /= 2
    old = system.levels[0].latency_seconds
    (row,) = system.changes(hs.System.parse(json.dumps(faster)))
    assert (row["of"], row["figure"]) == (f"level {system.levels[0].name}", "latency_seconds")
    assert math.isclose(row["before"], old) and math.isclose(row["after"], old / 2)
    fitted = json.loads(path.read_text(encoding="utf-8"))
    before = hs.System.parse(json.dumps(fitted))
    fitted["fits"]["layers"][0]["bandwidth_GBps"] = 20
    del fitted["fits"]["layers"][2]
    rows = before.changes(hs.System.parse(json.dumps(fitted)))
    found = {(row["of"], row["figure"]): (row["before"], row["after"]) for row in rows}
    assert len(found) == len(rows) and found.pop(("fit layer net 4:2", "bandwidth_bytes_per_second")) == (19e9, 20e9)
    low, high = found.pop(("fit layer net 4:2", "half_bandwidth_bytes"))
    assert math.isclose(high / low, 20 / 19, rel_tol=1e-6)  # latency times bandwidth
    assert found.keys() == {("fit layer node 1:4", name) for name in ("latency_seconds", "bandwidth_bytes_per_second", "half_bandwidth_bytes")}
    assert all(after is None for _, after in found.values())
    here = hs.fit(PARTS, data / "record/logs/nodes.txt", force=True)
    others = [row for row in hs.System(PARTS).changes(here) if not row["of"].startswith("constant ")]
    assert [(row["of"], row["figure"], row["before"]) for row in others] == [("system", "constants_residual", None)] and here.document.constants


def test_check(data, program):
    """check is the command line's, of logs and of results."""
    log = data / "record/logs/nodes.txt"
    result = data / "answer/data/null16.json"
    assert plain(hs.check(log, machine=PARTS).to_json()) == plain(program("check", PARTS, log, "--json", status=1))
    assert plain(hs.check(result).to_json()) == plain(program("check", result, "--json", status=2))
    rows = hs.check(log, machine=PARTS).document.rows
    assert len(rows) == 9 and all(row.expected_seconds > 0 for row in rows)
    with pytest.raises(FileNotFoundError, match="no-such-log.txt"):
        hs.check("no-such-log.txt")


def test_profile(data):
    """A profile has the calls of its file."""
    profile = hs.read_profile(data / "golden/profile/train.json")
    document = json.loads((data / "golden/profile/train.json").read_text(encoding="utf-8"))
    assert [(one.call, one.calls, one.seconds) for one in profile.calls] == [
        (one["call"], one["calls"], one["seconds"]) for one in document["calls"]]


def test_changes(data, program, tmp_path):
    """What became of a job's calls is what the command line says, in whichever run they took longer."""
    before = data / "golden/profile/train.json"
    after = tmp_path / "after.json"
    after.write_text(before.read_text(encoding="utf-8").replace('"seconds": 800.0', '"seconds": 400.0'), encoding="utf-8")
    changes = hs.read_profile(before).changes(hs.read_profile(after))
    assert changes == json.loads(program("profile", "--read", after, "--compare-with", before, "--json"))["changes"]
    assert changes[0]["faster"] == 2 and all(one["faster"] == 1 for one in changes[1:])
    assert hs.read_profile(before).changes(after) == changes
    page = program("profile", "--read", after, "--compare-with", before)
    assert hs.profile_page(after, compare_with=hs.read_profile(before)) == page
    with pytest.raises(TypeError):
        hs.read_profile(before).changes(5)


def test_jobs(data, program):
    """A whole job's answers are what the command line says."""
    node, counted = "node:2@100GB/s~0us,ib:2@1GB/s~0us", data / "golden/profile/job.json"
    placed = hs.place(node, mesh={"dp": 2, "tp": 2}, messages="tp:allreduce:1GB", samples=0)
    assert [one.order for one in placed.orders] == ["tp=2,dp=2", "dp=2,tp=2"] and placed.verdict.advice == "use"
    assert placed.orders[0].seconds == 0.01  # 2 (p - 1) / p n / bandwidth
    assert placed.verdict.gain == placed.orders[1].seconds / placed.orders[0].seconds
    assert list(placed.to_pandas()["order"]) == ["tp=2,dp=2", "dp=2,tp=2"] and "use tp=2,dp=2" in repr(placed)
    assert placed.to_json() == program("place", node, "--mesh", "dp=2,tp=2", "--messages", "tp:allreduce:1GB", "--samples", "0", "--json")
    sharded = hs.shard(node, np=4, parameters="1e9", memory="10GB")
    assert sharded.to_json() == program("shard", node, "--np", "4", "--parameters", "1e9", "--memory", "10GB", "--json")
    assert [one.shards for one in sharded.ways if one.fits] == [one for one in sharded.to_pandas()["shards"] if one > 1]
    assert repr(sharded).startswith(f"<Sharding: {sharded.verdict.advice} ")
    assert hs.predict_job(node, profile=counted).to_json() == program("predict", node, "--profile", counted, "--json")
    gains = hs.predict_measured(data / "golden/predict/job-measured.json", profile=counted)
    # 10 calls of 8000 bytes, halfway between 4000 and 16000, at which the library took 20 and 80 ms, a plan 10 and 60.
    first = gains.document.gains[0]
    assert first.gain_seconds_per_rank == pytest.approx(10 * first.library_seconds * (1 - math.sqrt(600) / 40))
    assert gains.document.advice == "use" and list(gains.to_pandas()["call"])[0] == first.call and "use" in repr(gains)
    with pytest.raises(hs.InvalidError, match="expected a result of measure"):
        hs.predict_measured(profile=counted)


def text_of(path):
    return path.read_bytes().decode(errors="surrogateescape")


@pytest.mark.parametrize("name", FORMATS)
def test_export(name, program, tmp_path):
    """export writes the command line's files, or fails with its line."""
    result = hs.predict("abci", np=128, size="1MiB:4MiB")
    result.save(tmp_path / "result.json")
    target = tmp_path / "files"
    target.mkdir()
    ran = subprocess.run([PROGRAM, "export", "result.json", "--to", name, "-o", target], capture_output=True, text=True,
                         check=False, cwd=tmp_path)
    if ran.returncode:
        with pytest.raises(hs.HiersearchError) as raised:
            hs.export(result, to=name)
        assert f"hiersearch export: {raised.value}\n".replace("result:", "result.json:") == ran.stderr
        return
    made = hs.export(("result.json", result.to_json()), to=name)
    assert made == {path.name: text_of(path) for path in target.iterdir()}
    assert made.notes == [line.split("hiersearch export: ")[1] for line in ran.stderr.splitlines()]
    assert [text_of(path) for path in made.save(tmp_path / "saved")] == list(made.values())


def test_pictures_of_the_library(program, tmp_path):
    """picture and report give what the command line writes, and systems and parts are checked alike."""
    result = hs.predict("abci", np=[128], size="1MiB")
    result.save(tmp_path / "result.json")
    made = hs.picture(tmp_path / "result.json", kind="layers", csv=True)
    assert str(made) == program("plot", tmp_path / "result.json", "--kind", "layers", "--csv")
    page = hs.report(tmp_path / "result.json")
    assert page.data.startswith(b"<!") and result.best.plan in str(page)
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.data
    job = ROOT / "tests/golden/profile/train.json"
    assert str(hs.picture(hs.read_profile(job), kind="calls", csv=True)) == program("plot", job, "--kind", "calls", "--csv")
    assert str(hs.report(job)) == program("report", job, "-o", "-")
    assert hs.System("abci").check() == json.loads(program("systems", "--check", "abci", "--json"))
    assert hs.parts() == json.loads(program("systems", "--parts", "--json"))


def test_measured_result(data):
    """What was measured comes first: seconds of its best plan, of its candidates, of its stages."""
    result = hs.read(data / "answer/data/null16.json")
    document = json.loads((data / "answer/data/null16.json").read_text(encoding="utf-8"))
    message = document["results"][0]
    best = next(plan for plan in message["candidates"] if plan["plan"] == message["best"])
    assert result.measured and result.best.seconds == best["measured"]["median_seconds"]
    assert result.messages[0].candidates[0].measured.median_seconds == message["candidates"][0]["measured"]["median_seconds"]
