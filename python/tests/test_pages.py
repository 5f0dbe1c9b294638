"""What the commands print, and simulations, beside the command line."""
import json

import pytest

import hiersearch as hs

MESH = {"mesh": {"dp": 16, "tp": 4}, "messages": "tp:allreduce:16MiB*32,dp:reduce-scatter:256MiB"}
LINE = "node:4@100GB/s~1us,ib@12GB/s~3us"


def words_of(options):
    """Options as words of a command line."""
    words = []
    for name, value in options.items():
        if value is not None:
            said = [] if value is True else [f"{value}s"] if isinstance(value, float) else [",".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else
                                             ",".join(map(str, value)) if isinstance(value, list) else str(value)]
            words += ["--" + name.rstrip("_").replace("_", "-"), *said]
    return words


@pytest.mark.parametrize("system, options", [
    ("abci", {"np": 128}), ("abci", {"np": 128, "explain": "best"}), ("abci", {"np": "4:64", "format": "csv"}),
    ("dgx-h100-superpod", {"np": 64, "style": "nccl-tests", "size": ["1MiB", "8MiB"]}),
    ("8xH100, 8xNDR400, 32:2", {"np": 64, "size": "1MiB", "compare_with": "dgx-h100-superpod"}),
], ids=str)
def test_predict_page(program, system, options):
    """predict_page is what predict prints."""
    page = hs.predict_page(system, **options)
    assert page == program("predict", system, *words_of(options))
    assert isinstance(page, str) and page._repr_html_().startswith("<pre>")


@pytest.mark.parametrize("options", [
    MESH, {**MESH, "compute": 0.02, "overlap": True}, {**MESH, "format": "device-mesh"},
    {**MESH, "format": "srun", "hosts": [f"n{i}" for i in range(16)]}, {**MESH, "details": True},
], ids=str)
def test_place_page(program, options):
    """place_page is what place prints."""
    assert hs.place_page(LINE, **options) == program("place", LINE, *words_of(options))


def test_shard_page(program):
    """shard_page is what shard prints."""
    assert hs.shard_page(LINE, np=16, parameters="7B") == program("shard", LINE, "--np", "16", "--parameters", "7B")


def test_measured_pages(data, program):
    """fit_page and a job by what was measured are what the commands print."""
    results = [data / "golden/fit" / name for name in ("4x8x4.json", "8x4x2x2.json")]
    assert "effect on the answer" in hs.fit_page("abci", *results, for_=256, size="1MiB")
    measured, job = data / "golden/predict/job-measured.json", data / "golden/profile/job.json"
    assert hs.predict_page(None, measured, profile=job) == program("predict", measured, "--profile", job)
    log = data / "record/logs/nodes.txt"
    page = hs.fit_page("8xH100, 8xNDR400", log, force=True)
    assert any("18 times of NCCL's calls" in note for note in page.notes)
    assert page.startswith("8xH100, 8xNDR400: AllReduce, 16 processes on 2 full nodes")


def test_listed_pages(data, program, tmp_path):
    """systems_page, profile_page and formats_page are what the commands print."""
    assert hs.systems_page() == program("systems")
    assert hs.systems_page("abci", width=120) == program("systems", "abci", "--width", 120)
    assert hs.systems_page(parts=True, format="csv") == program("systems", "--parts", "--format", "csv")
    assert hs.systems_page(here=True) == program("systems", "--here")
    files = [data / "detect/topologies" / name for name in ("dgx-h100.txt", "dgx-h100-ibstat.txt", "topology.conf")]
    node = hs.System.from_files(*files)
    assert hs.systems_page(node) == program("systems", "--from", *files)
    node.named("mine").save(tmp_path / "mine.json")
    assert (tmp_path / "mine.json").read_text(encoding="utf-8") == program("systems", "--from", *files, "--name", "mine", "--json")
    job = data / "golden/profile/train.json"
    assert hs.profile_page(job, top=2) == hs.profile_page(hs.read_profile(job), top=2) == program("profile", "--read", job, "--top", 2)
    assert hs.formats_page(format="md") == program("export", "--list", "--format", "md")


def test_page_errors(data):
    """What is wrong raises the line of the command line."""
    with pytest.raises(hs.InvalidError, match="--explain: expected one process count and one size, found a sweep of --np"):
        hs.predict_page("abci", np=[64, 128], explain="best")
    with pytest.raises(hs.InvalidError, match="expected profiles of jobs, found .*null16.json"):
        hs.profile_page(data / "answer/data/null16.json")
    with pytest.raises(hs.InvalidError, match="--explain: its answer is no result"):
        hs.predict("abci", np=64, explain="best")


def test_simulation(tmp_path):
    """The files of a simulation have the plans with their predictions; without times there is nothing to show."""
    files = hs.simulation("abci", np=16, plans=["4x4", "2x8", "16"])
    assert sorted(files) == ["hostfile", "platform.xml", "result.json", "simulate.sh"]
    plans = [plan["plan"] for plan in json.loads(files["result.json"])["results"][0]["candidates"]]
    assert sorted(plans) == ["16", "2x8", "4x4"]
    files.save(tmp_path)
    with pytest.raises(hs.InvalidError, match="expected a result of simulate, with times"):
        hs.simulate_page(tmp_path / "result.json")


def test_documented(data, tmp_path):
    """What has a document is saved whole: a check and a profile, too, and through a link."""
    profile = hs.read_profile(data / "golden/profile/train.json")
    checked = hs.check(data / "record/logs/nodes.txt", machine="8xH100, 8xNDR400")
    (tmp_path / "link.json").symlink_to("target.json")
    for one in profile, checked, hs.System("abci"), hs.predict("abci", np=8):
        one.save(tmp_path / "link.json")
        assert (tmp_path / "target.json").read_text(encoding="utf-8") == one.to_json()
        assert one.document.to_dict() == json.loads(one.to_json())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "target.json"]
