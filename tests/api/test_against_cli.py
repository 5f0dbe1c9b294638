#!/usr/bin/python3
"""The library beside the command line: the same documents, files and one-line errors. Prints TAP.

usage: tests/api/test_against_cli.py BUILD

The library is called through ctypes, by the types that are read from include/hiersearch.h.
"""
import ctypes
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
OK = 0
lib = ctypes.CDLL(str(BUILD / "libhiersearch.so.1"))
lib.hiersearch_error_new.restype = ctypes.c_void_p
for name in ("version", "error_text", "system_notes", "system_name", "result_notes", "inputs_notes", "exports_name",
             "exports_text", "exports_notes"):
    getattr(lib, "hiersearch_" + name).restype = ctypes.c_char_p
error = ctypes.c_void_p(lib.hiersearch_error_new())
failed = count = 0


def call(name, *arguments):
    """A function with an error last; text becomes bytes."""
    given = [a.encode() if isinstance(a, str) else a for a in arguments]
    return getattr(lib, "hiersearch_" + name)(*given, error)


def said():
    return lib.hiersearch_error_text(error).decode()


def made(name, *arguments):
    """A handle, or a text: what a function writes first."""
    out = ctypes.c_void_p()
    if call(name, ctypes.byref(out), *arguments) != OK:
        raise ValueError(said())
    return out


def text_of(name, *arguments):
    out = made(name, *arguments)
    text = ctypes.cast(out, ctypes.c_char_p).value.decode()
    lib.hiersearch_text_free(out)
    return text


def question(kind, options):
    asked = made("question_new", kind)
    for key, value in options.items():
        if call("question_set", asked, key, value) != OK:
            lib.hiersearch_question_free(asked)
            raise ValueError(said())
    return asked


def inputs_of(paths):
    inputs = made("inputs_new")
    for path in paths:
        if call("inputs_add_file", inputs, str(path)) != OK:
            lib.hiersearch_inputs_free(inputs)
            raise ValueError(said())
    return inputs


def program(*words, status=0):
    ran = subprocess.run([BUILD / "hiersearch", *map(str, words)], capture_output=True, text=True, check=False, cwd=ROOT)
    if ran.returncode != status:
        raise AssertionError(f"{words}: exit {ran.returncode}: {ran.stderr}")
    return ran


def plain(document):
    """Without what differs by nature: how it was asked, and when."""
    for key in ("command", "created"):
        document.pop(key, None)
    return document


def documents(text, options):
    """One, or of several process counts one in a line."""
    return [plain(json.loads(one)) for one in ([text] if "," not in options.get("np", "") else text.splitlines())]


def words_of(options):
    return [word for key, value in options.items() for word in (["--" + key] if value == "true" else ["--" + key, value])]


def check(sentence, got, wanted):
    global failed, count
    count += 1
    failed += got != wanted
    print(f"{'ok' if got == wanted else 'not ok'} {count} - {sentence}")
    if got != wanted:
        print(f"# got      {str(got)[:400]}\n# expected {str(wanted)[:400]}")


# ---- predict
PREDICTIONS = [
    ("abci", {"np": "128"}),
    ("abci", {"np": "96,128", "size": "64KiB:1MiB", "top": "2"}),
    ("dgx-h100-superpod", {"np": "64", "size": "25MB,1GiB", "dtype": "bf16"}),
    ("8xH100, 8xNDR400, 32:2", {"mesh": "tp=8,dp=32", "over": "dp", "collective": "reduce-scatter", "order": "permuted"}),
    ("nvlink:8@300GB/s~3us,ib@200GB/s~12us", {"np": "64", "chunks": "1,2,4"}),
    ("perlmutter", {"np": "256", "collective": "all-to-all", "size": "64MiB", "algorithms": "all", "machines": "0"}),
    ("tsubame3", {"np": "96", "search": "containment", "keep": "2", "widen": "true"}),
]
shipped = text_of("system_names").split()
for system_text, options in PREDICTIONS:
    system = made("system_find", system_text)
    asked = question("predict", options)
    ours = documents(text_of("predict_json", system, asked), options)
    theirs = documents(program("predict", system_text, *words_of(options), "--json").stdout, options)
    check(f"predict {system_text} {' '.join(words_of(options))} is the program's", ours, theirs)
    if len(ours) == 1:
        result = made("predict", system, asked)
        command = json.loads(text_of("result_json", result))["command"]
        again = subprocess.run(command.replace("hiersearch", str(BUILD / "hiersearch"), 1) + " --json", shell=True,
                               capture_output=True, text=True, check=True)
        check(f"its command asks the same: {command}", plain(json.loads(again.stdout)), theirs[0])
        lib.hiersearch_result_free(result)
    lib.hiersearch_question_free(asked)
    lib.hiersearch_system_free(system)

# ---- whole jobs: placed, in shards, as they were counted
COUNTED = str(ROOT / "tests/golden/profile/job.json")
JOBS = [
    ("place", "node:4@100GB/s~1us,ib@12GB/s~3us", {"mesh": "dp=16,tp=4", "messages": "tp:allreduce:16MiB*32,dp:reduce-scatter:256MiB"}),
    ("place", "8xH100, 8xNDR400, 32:2", {"mesh": "tp=8,pp=2,dp=4", "messages": "tp:allreduce:1MiB*8,tp+dp:allreduce:8KiB", "top": "2"}),
    ("place", "abci", {"mesh": "tp=4,dp=4", "messages": "tp:allreduce:64MiB", "algorithms": "all", "dtype": "bf16", "top": "1"}),
    ("place", "8xH100, 8xNDR400, 32:2", {"mesh": "tp=8,pp=2,dp=4", "dtype": "bf16", "model":
     "num-layers=8,hidden-size=1024,seq-length=1024,micro-batch-size=1,global-batch-size=16"}),
    ("shard", "8xH100, 8xNDR400, 32:2", {"np": "64", "parameters": "7e9", "dtype": "bf16", "memory": "40GB"}),
    ("shard", "abci", {"np": "16", "parameters": "350M", "units": "24", "optimizer-bytes": "6", "samples": "0"}),
    ("shard", "abci", {"np": "4", "parameters": "1T", "memory": "16GB", "order": "permuted"}),
    ("predict", "abci", {"profile": COUNTED}),
    ("predict", "perlmutter", {"profile": str(ROOT / "tests/golden/profile/nccl.json"), "algorithms": "all"}),
    ("predict", "node:4@10GB/s~0.5us,ib:4@2GB/s~5us,spine@1GB/s~20us;library=mpich",
     {"profile": str(ROOT / "tests/golden/profile/train.json")}),
]


def document_of(kind, system, options):
    """What the library has as a document of a question of a kind."""
    if kind == "predict":
        return text_of("predict_json", system, question(kind, options))
    return text_of(kind, None, system, question(kind, options))


for kind, system_text, options in JOBS:
    system = made("system_find", system_text)
    check(f"{kind} {system_text} {' '.join(words_of(options))} is the program's", document_of(kind, system, options),
          program(kind, system_text, *words_of(options), "--json").stdout)
    lib.hiersearch_system_free(system)

# ---- what is printed for people, or as tables: the page, and what is said of it
def shown(kind, options, system=None, paths=(), quiet=False):
    """Page and notes, or the error."""
    page, notes = ctypes.c_void_p(), ctypes.c_void_p()
    handle = made("system_find", system) if system else None
    try:
        inputs = inputs_of(paths) if paths else None
        before = b"".join(getattr(lib, f"hiersearch_{noun}_notes")(one) for noun, one in (("system", handle), ("inputs", inputs)) if one)
        asked = question(kind, options)
        if call("show", ctypes.byref(page), None if quiet else ctypes.byref(notes), asked, handle, inputs) != OK:
            raise ValueError(said())
    except ValueError as why:
        return str(why), None
    found = ctypes.string_at(page).decode(), "" if quiet else (before + ctypes.string_at(notes)).decode()
    for text in page, notes:
        lib.hiersearch_text_free(text)
    return found


def printed(kind, words):
    """The same of the program, where nobody's terminal is."""
    ran = subprocess.run([BUILD / "hiersearch", kind, *map(str, words)], capture_output=True, text=True, check=False,
                         env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}, cwd=ROOT)
    said_so = ran.stderr.replace(f"hiersearch {kind}: ", "")
    return (ran.stdout, said_so) if ran.returncode == 0 else (said_so.rstrip("\n"), None)


SPLIT = "node:4@100GB/s~1us,ib@12GB/s~3us"
MESH = {"mesh": "dp=16,tp=4", "messages": "tp:allreduce:16MiB*32,dp:reduce-scatter:256MiB"}
PAGES = [
    ("abci", {"np": "128"}), ("abci", {"np": "127", "size": "1MiB"}), ("tsubame3", {"np": "96", "search": "containment"}),
    ("8xH100, 8xNDR400, 32:2", {"np": "64", "size": "25MB", "format": "md"}),
    ("abci", {"np": "128", "explain": "best"}), ("abci", {"np": "128", "explain": "4x8x4/8"}), ("abci", {"np": "1", "explain": "best"}),
    ("abci", {"np": "128", "explain": "4x8x5"}), ("abci", {"np": "64:128", "explain": "best"}),
    ("abci", {"np": "128", "explain": "best", "format": "json"}), ("abci", {"np": "128", "explain": "best", "format": "csv"}),
    ("abci", {"np": "4:2048"}), ("abci", {"np": "4:64", "size": "1MiB:1GiB"}), ("abci", {"np": "96", "size": "1KiB:1MiB", "format": "csv"}),
    ("dgx-h100-superpod", {"np": "64", "as": "nccl-tests"}), ("dgx-h100-superpod", {"np": "64", "as": "nccl-tests", "format": "csv", "size": "1MiB:8MiB"}),
    ("abci", {"np": "64", "as": "hostfile"}), ("abci", {"np": "64", "as": "nccl"}),
    ("8xH100, 8xNDR400", {"np": "64", "size": "1MiB", "before": "dgx-h100-superpod"}), ("abci", {"np": "64", "before": "no-such"}),
    ("abci", {"profile": COUNTED}), ("perlmutter", {"profile": str(ROOT / "tests/golden/profile/nccl.json"), "format": "md"}),
    ("abci", {"np": "128", "width": "120"}), ("abci", {"np": "4:64", "width": "60", "color": "always"}), ("abci", {"np": "4", "width": "39"}),
    ("dgx1-v100", {"gpus": "0-3,6", "size": "64MiB"}), ("dgx1-v100", {"gpus": "5-0"}),
]
for system_text, options in PAGES:
    check(f"predict {system_text} {' '.join(words_of(options))} is shown as the program shows it",
          shown("predict", options, system_text), printed("predict", [system_text, *words_of(options)]))
HOSTS = ",".join(f"n{i}" for i in range(16))
for kind, options in [
    *(("place", MESH | more) for more in ({}, {"compute": "20ms"}, {"compute": "20ms", "overlap": "true"}, {"format": "csv"}, {"details": "true"})),
    *(("place", MESH | {"format": form}) for form in ("device-mesh", "hostfile", "megatron", "rankfile", "srun", "torchtitan", "nccl-tests")),
    *(("place", MESH | {"format": form, "hosts": HOSTS}) for form in ("hostfile", "rankfile", "srun")),
    ("place", {"mesh": "dp=4,tp=4", "messages": "tp:allreduce:16MiB", "format": "hostfile", "hosts": "a,b"}),
    ("shard", {"np": "64", "parameters": "7e9", "dtype": "bf16", "memory": "40GB"}),
    ("shard", {"np": "64", "parameters": "7e9", "details": "true", "format": "md"}),
]:
    check(f"{kind} {' '.join(words_of(options))} is shown as the program shows it", shown(kind, options, SPLIT),
          printed(kind, [SPLIT, *words_of(options)]))
JOB_RESULT = ROOT / "tests/golden/predict/job-measured.json"
check("of JSON it is hiersearch_predict_json's", documents(shown("predict", {"np": "16", "format": "json"}, "abci")[0], {}),
      documents(text_of("predict_json", made("system_find", "abci"), question("predict", {"np": "16"})), {}))
check("so is a job by what was measured", shown("predict", {"profile": COUNTED}, paths=[JOB_RESULT]),
      printed("predict", [JOB_RESULT, "--profile", COUNTED]))
TRAIN = ROOT / "tests/golden/profile/train.json"
FITTED = [ROOT / "tests/golden/fit" / name for name in ("4x8x4.json", "8x4x2x2.json")]
LOG = sorted((ROOT / "tests/record/logs").glob("*.txt"))[0]
for paths, system_text, options in (
        (FITTED, "abci", {}), (FITTED[:1], None, {"plans": "all"}), (FITTED, "abci", {"plans": "worst", "noise": "true"}),
        (FITTED, None, {"format": "csv"}), (FITTED, None, {"plans": "some"}), ([LOG], "8xH100, 8xNDR400", {}), ([LOG], None, {}),
        ([TRAIN, TRAIN], None, {}), ([TRAIN, TRAIN], None, {"format": "csv"}), ([TRAIN, TRAIN], None, {"plans": "all"}),
        ([TRAIN, JOB_RESULT], None, {}), ([JOB_RESULT, TRAIN], None, {}), ([TRAIN, TRAIN], "abci", {})):
    words = [*paths, *(["--predict", system_text] if system_text else []), *words_of(options)]
    check(f"compare {' '.join(str(word) for word in words)} is shown as the program shows it",
          shown("compare", options, system_text, paths), printed("compare", words))
with tempfile.TemporaryDirectory() as folder:
    for paths, system_text, options in (FITTED, "abci", {}), (FITTED, "abci", {"for": "256", "size": "1MiB"}), ([LOG], "8xH100, 8xNDR400", {}), \
            (FITTED, "abci", {"size": "1MiB:2MiB"}), ([TRAIN], "abci", {}):
        # What the program calls by its file the library calls by its name.
        target = pathlib.Path(folder, "fitted.json")
        wanted = printed("fit", [system_text, *paths, "--name", "fitted", "-o", target, *words_of(options)])
        check(f"fit {system_text} {' '.join(words_of(options))} is shown as the program shows it",
              shown("fit", options | {"name": "fitted"}, system_text, paths),
              (wanted[0].replace(str(target), "fitted"), wanted[1]))
for kind, options, system_text, paths in (("predict", {"np": "127"}, "abci", []), ("predict", MESH | {"as": "torchtitan"}, SPLIT, []),
                                          ("predict", {"np": "64", "size": "1MiB", "before": "abci"}, "8xH100, 8xNDR400", []),
                                          ("compare", {}, "8xH100, 8xNDR400", [LOG]), ("compare", {}, None, [TRAIN, TRAIN]),
                                          ("fit", {"name": "fitted"}, "abci", FITTED)):
    check(f"who wants no notes of {kind} {' '.join(words_of(options))} gets the same page",
          shown(kind, options, system_text, paths, quiet=True)[0], shown(kind, options, system_text, paths)[0])
for system_text, options in (
        (None, {}), (None, {"names": "true"}), (None, {"format": "csv"}), (None, {"parts": "true"}), (None, {"parts": "true", "format": "md"}),
        (None, {"check": "true"}), (None, {"here": "true"}), (None, {"here": "true", "name": "mine"}), (None, {"width": "120"}),
        ("abci", {}), ("summit", {"format": "csv"}), ("dgx1-v100", {"text": "true"}), ("abci-fitted", {"text": "true"}),
        ("abci", {"name": "mine", "format": "json"}), ("abci", {"check": "true"}), ("abci", {"color": "always", "width": "60"}),
        (None, {"text": "true"}), ("abci", {"names": "true"}), ("abci", {"parts": "true"}), ("abci", {"here": "true"}), ("abci", {"name": "No"}),
        (None, {"name": "mine"}), ("abci", {"name": "mine", "text": "true"}), (None, {"names": "true", "format": "csv"})):
    words = [*([system_text] if system_text else []), *words_of(options)]
    check(f"systems {' '.join(words)} is shown as the program shows it", shown("systems", options, system_text), printed("systems", words))
check("what cannot be true is shown as the program shows it", shown("systems", {"check": "true"}, "nvlink:8@9000GB/s,ib@25GB/s~9us")[0],
      program("systems", "--check", "nvlink:8@9000GB/s,ib@25GB/s~9us", status=1).stdout)
for paths, options in ((["dgx-h100.txt", "dgx-h100-ibstat.txt", "topology.conf"], {}), (["ac922.xml"], {"name": "mine", "format": "json"}),
                       (["gb200.txt"], {"text": "true"}), (["hwloc.xml", "ibstatus.txt"], {"format": "csv"})):
    paths = [str(ROOT / "tests/detect/topologies" / path) for path in paths]
    node = made("system_from_files", (ctypes.c_char_p * len(paths))(*map(str.encode, paths)), ctypes.c_size_t(len(paths)))
    for handle in node, made("system_copy", node):
        check(f"systems --from {' '.join(paths)} {' '.join(words_of(options))} is shown as the program shows it",
              text_of("show", None, question("systems", options), handle, None), printed("systems", ["--from", *paths, *words_of(options)])[0])
for options in {}, {"top": "2"}, {"format": "csv"}, {"top": "0"}:
    check(f"profile {' '.join(words_of(options))} is shown as the program shows it", shown("profile", options, paths=[TRAIN]),
          printed("profile", ["--read", TRAIN, *words_of(options)]))
check("a result is no profile", shown("profile", {}, paths=[JOB_RESULT])[0], f"profile: expected the profile of one job, found {JOB_RESULT}")
for options in {}, {"format": "csv"}, {"size": "1MiB"}:
    check(f"export --list {' '.join(words_of(options))} is shown as the program shows it", shown("export", {"list": "true", **options}),
          printed("export", ["--list", *words_of(options)]))
check("what a kind does not take is an error", shown("export", {}, "abci")[0], "export: expected --list; what is exported hiersearch_export has")
check("and so is what it lacks", [shown(kind, {}, system)[0] for kind, system in (("compare", "abci"), ("fit", "abci"), ("predict", None))],
      ["compare: expected inputs, which are compared", "fit: expected a system, and inputs",
       "predict: expected a system, or the results that measured a job's calls"])

# ---- simulations: the files of the library, run by hand, are what the program makes of the same plans
def simulated(system_text, options, folder):
    files = made("simulation", made("system_find", system_text), question("simulate", options))
    length = ctypes.c_size_t()
    for i in range(lib.hiersearch_exports_count(files)):
        text = lib.hiersearch_exports_text(files, ctypes.c_size_t(i), ctypes.byref(length))
        pathlib.Path(folder, lib.hiersearch_exports_name(files, ctypes.c_size_t(i)).decode()).write_bytes(text)
    subprocess.run(["sh", "simulate.sh"], cwd=folder, check=True, capture_output=True,
                   env={"PATH": f"{BUILD}:/usr/local/bin:/usr/bin:/bin", "TMPDIR": folder})
    return pathlib.Path(folder, "result.json")


def untimed(text):
    """Without when, how asked and how long it ran."""
    document = plain(json.loads(text))
    document.pop("finished", None)
    return document


for system_text, options, words in (("abci", {"np": "16", "plans": "4x4,2x8,16"}, ["--np", "16", "4x4", "2x8", "16"]),
                                    ("8xH100, 8xNDR400, 32:2", {"np": "16", "top": "2", "size": "1MiB", "chunks": "1,2"},
                                     ["--np", "16", "--top", "2", "--size", "1MiB", "--chunks", "1,2"])):
    if not (BUILD / "hiersearch-simulate").exists():
        break
    with tempfile.TemporaryDirectory() as folder:
        path = simulated(system_text, options, folder)
        check(f"simulate {system_text} {' '.join(words)} is the program's", untimed(path.read_text()),
              untimed(program("simulate", system_text, *words, "--json").stdout))
        table, notes = printed("simulate", [system_text, *words])
        name = json.loads(path.read_text())["system"]["name"]
        mine = shown("simulate", {}, paths=[path])
        check("and so is what is shown of it", mine, (table.replace(f"{system_text}:", f"{name}:", 1), notes))
for options, words in (({"np": "16", "plans": "4x5"}, ["--np", "16", "4x5"]), ({"np": "16", "plans": "4x4,4x4"}, ["--np", "16", "4x4", "4x4"]),
                       ({}, []), ({"np": "16", "all": "true", "top": "3"}, ["--np", "16", "--all", "--top", "3"])):
    try:
        made("simulation", made("system_find", "abci"), question("simulate", options))
        mine = "no error"
    except ValueError as why:
        mine = str(why)
    check(f"simulate {' '.join(words)} fails with the program's words", mine, printed("simulate", ["abci", *words])[0])
check("what was measured is not shown as simulated", shown("simulate", {}, paths=[JOB_RESULT])[0].split(": ")[1],
      "expected a result of simulate, with times")

# ---- errors: one line, the same
WRONG = [
    (["predict", "abci", "--np", "0"], ("abci", {"np": "0"})),
    (["predict", "abci", "--np", "12x"], ("abci", {"np": "12x"})),
    (["predict", "abci"], ("abci", {})),
    (["predict", "abci", "--np", "8", "--collective", "allreduc"], ("abci", {"np": "8", "collective": "allreduc"})),
    (["predict", "abci", "--np", "8", "--search", "latice"], ("abci", {"np": "8", "search": "latice"})),
    (["predict", "abci", "--np", "8", "--top", "0"], ("abci", {"np": "8", "top": "0"})),
    (["predict", "abci", "--np", "8", "--keep", "2"], ("abci", {"np": "8", "keep": "2"})),
    (["predict", "abci", "--np", "8", "--order", "permuted"], ("abci", {"np": "8", "order": "permuted"})),
    (["predict", "abci", "--mesh", "tp=8,dp=2"], ("abci", {"mesh": "tp=8,dp=2"})),
    (["predict", "abci", "--np", "8", "--mesh", "tp=8,dp=2", "--over", "dp"],
     ("abci", {"np": "8", "mesh": "tp=8,dp=2", "over": "dp"})),
    (["predict", "abci", "--np", "8", "--size", "-1"], ("abci", {"np": "8", "size": "-1"})),
    (["predict", "abcii", "--np", "8"], ("abcii", {"np": "8"})),
    (["predict", "a@b", "--np", "8"], ("a@b", {"np": "8"})),
    (["predict", "./no-such.json", "--np", "8"], ("./no-such.json", {"np": "8"})),
    *((["predict", "abci", *words_of(options)], ("abci", options)) for options in (
        {"profile": COUNTED, "np": "4"}, {"profile": COUNTED, "budget": "1s"}, {"profile": "no-such.json"},
        {"profile": str(ROOT / "tests/golden/predict/job-measured.json")})),
    *((["place", "abci", *words_of(options)], ("abci", options)) for options in (
        {"mesh": "tp=4,dp=4"}, {"messages": "tp:allreduce:1MiB"}, {"mesh": "tp=4", "messages": "dq:allreduce:1MiB"},
        {"mesh": "tp=4", "messages": "no-such.txt"}, {"mesh": "tp=4", "model": "num-layers=4"})),
    *((["shard", "abci", *words_of(options)], ("abci", options)) for options in (
        {"np": "16"}, {"np": "16", "parameters": "1X"}, {"np": "4:16", "parameters": "1B"},
        {"np": "16", "parameters": "1B", "optimizer-bytes": "12.5"})),
]
for words, (system_text, options) in WRONG:
    try:
        system = made("system_find", system_text)
        document_of(words[0], system, options)
        mine = "no error"
    except ValueError as why:
        mine = str(why)
    check(f"{' '.join(words)} fails with the program's words", f"hiersearch {words[0]}: " + mine + "\n",
          program(*words, status=2).stderr)
try:
    question("predict", {"collectiv": "allreduce"})
except ValueError as why:
    check("an option that there is not has the program's words", str(why),
          program("predict", "abci", "--collectiv", "x", status=2).stderr.removeprefix("hiersearch predict: ").strip())

# ---- systems
check("the systems are the program's", json.loads(text_of("systems_json")), json.loads(program("systems", "--json").stdout))
check("and so are their names", text_of("system_names"), program("systems", "--names").stdout)
for name in shipped[:3]:
    system = made("system_find", name)
    check(f"{name} is the program's", text_of("system_json", system), program("systems", name, "--json").stdout)
    lib.hiersearch_system_free(system)
check("the parts are the program's", text_of("parts_json"), program("systems", "--parts", "--json").stdout)
for text, wrong in ("abci", 0), ("nvlink:8@9000GB/s,ib@25GB/s~9us", 1):
    system = made("system_find", text)
    check(f"what cannot be true of {text} is the program's", text_of("system_check", system),
          program("systems", "--check", text, "--json", status=wrong).stdout)
    lib.hiersearch_system_free(system)
topology = sorted((ROOT / "tests/detect").glob("**/*.txt"))
for path in topology:
    ran = subprocess.run([BUILD / "hiersearch", "systems", "--from", path, "--json"], capture_output=True, text=True, check=False)
    paths = (ctypes.c_char_p * 1)(str(path).encode())
    try:
        system = made("system_from_files", paths, ctypes.c_size_t(1))
        mine = text_of("system_json", system)
    except ValueError as why:
        mine = f"hiersearch systems: {why}\n"
    check(f"the machine of {path.name} is the program's", mine, ran.stdout or ran.stderr)

# ---- fit, compare, export
with tempfile.TemporaryDirectory() as folder:
    for log in sorted((ROOT / "tests/record/logs").iterdir()):
        system = made("system_find", "8xH100, 8xNDR400")
        ran = subprocess.run([BUILD / "hiersearch", "fit", "8xH100, 8xNDR400", log], capture_output=True, text=True, check=False)
        try:
            fitted = made("fit", system, inputs_of([log]), None)
            check(f"fit by {log.name} is the program's", text_of("system_json", fitted), ran.stdout)
        except ValueError as why:
            check(f"fit by {log.name} fails as the program", f"hiersearch fit: {why}", ran.stderr.splitlines()[-1])
        ran = subprocess.run([BUILD / "hiersearch", "compare", log, "--predict", "8xH100, 8xNDR400", "--json"],
                             capture_output=True, text=True, check=False)
        try:
            compared = json.loads(text_of("compare", None, inputs_of([log]), system, None))
            check(f"compare of {log.name} is the program's", plain(compared), plain(json.loads(ran.stdout)))
        except ValueError as why:
            check(f"compare of {log.name} fails as the program", f"hiersearch compare: {why}", ran.stderr.splitlines()[-1])
        lib.hiersearch_system_free(system)

    results = [ROOT / "tests/golden/fit" / name for name in ("4x8x4.json", "8x4x2x2.json")]
    system = made("system_find", "abci")
    fitted = made("fit", system, inputs_of(results), question("fit", {"max-residual": "30", "name": "mine"}))
    ran = program("fit", "abci", *results, "--max-residual", "30", "--name", "mine")
    check("fit by results is the program's", text_of("system_json", fitted), ran.stdout)
    check("with the same notes", lib.hiersearch_system_notes(fitted).decode(),
          "".join(line.removeprefix("hiersearch fit: ") + "\n" for line in ran.stderr.splitlines()))
    compared = json.loads(text_of("compare", None, inputs_of(results), system, question("compare", {"keep": "2"})))
    theirs = json.loads(program("compare", *results, "--predict", "abci", "--keep", "2", "--json").stdout)
    check("compare of results is the program's", plain(compared), plain(theirs))

    # A job by what was measured.
    measured = ROOT / str(ROOT / "tests/golden/predict/job-measured.json")
    for job, options in (("job", {}), ("train", {}), ("job", {"np": "4"})):
        asked = {"profile": str(ROOT / f"tests/golden/profile/{job}.json"), **options}
        ran = subprocess.run([BUILD / "hiersearch", "predict", measured, *words_of(asked), "--json"], capture_output=True,
                             text=True, check=False, cwd=ROOT)
        try:
            gains = text_of("predict_measured", inputs_of([measured]), question("predict", asked))
        except ValueError as why:
            gains = f"hiersearch predict: {why}\n"
        check(f"predict of {job} by results is the program's {options}", gains, ran.stdout or ran.stderr)

    # Two profiles: a job, the same with half the time in one kind of calls, another one; as files, and as texts.
    profiles = ROOT / "tests/golden/profile"
    half = pathlib.Path(folder, "half.json")
    half.write_text(profiles.joinpath("train.json").read_text().replace('"seconds": 800.0', '"seconds": 400.0'))
    for paths, options in (([profiles / "train.json", half], {}), ([half, profiles / "train.json"], {}), ([half], {}),
                           ([half, profiles / "job.json"], {}), ([half, half], {"keep": "2"}), ([half, half, half], {}),
                           ([half, half], {"size": "1MiB"})):
        ran = subprocess.run([BUILD / "hiersearch", "compare", *paths, *words_of(options), "--json"], capture_output=True,
                             text=True, check=False)
        asked = question("compare", options)
        try:
            compared = text_of("compare", None, inputs_of(paths), None, asked)
        except ValueError as why:
            compared = f"hiersearch compare: {why}\n"
        check(f"compare of profiles {[path.stem for path in paths]} {options} is the program's", compared, ran.stdout or ran.stderr)
    texts = made("inputs_new")
    for path in profiles / "train.json", half:
        call("inputs_add_text", texts, str(path), path.read_text())
    check("and so it is of their texts", text_of("compare", None, texts, None, None),
          program("compare", profiles / "train.json", half, "--json").stdout)

    prediction = pathlib.Path(folder, "prediction.json")
    program("predict", "abci", "--np", "128", "--size", "1MiB:4MiB", "-o", prediction)
    # ---- plot, report
    def drawn(name, kind, options, paths):
        """Bytes, and what is said of them, or the error."""
        out, length, notes = ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_void_p()
        sized = (ctypes.byref(length),) if name == "plot" else ()
        inputs = inputs_of(paths)
        if call(name, ctypes.byref(out), *sized, ctypes.byref(notes), inputs, question(kind, options)) != OK:
            return said(), None
        taken = ctypes.string_at(out, length.value) if sized else ctypes.string_at(out)
        lines = ctypes.string_at(notes).decode()
        for text in out, notes:
            lib.hiersearch_text_free(text)
        lib.hiersearch_inputs_free(inputs)
        return taken, lines

    sweep = pathlib.Path(folder, "64.json")
    program("predict", "abci", "--np", "64", "--size", "1MiB:4MiB", "-o", sweep)
    profile = ROOT / COUNTED
    asked = [({"as": kind, **how}, [prediction, sweep] if kind == "scaling" else [prediction])
             for kind in ("scaling", "layers", "bandwidth", "gain", "system")
             for how in ({"csv": "true"}, {"type": "svg"})]
    asked += [({"as": "layers", "type": "png", "plan": "128"}, [prediction]), ({"as": "accuracy", "csv": "true"}, [prediction]),
              ({"as": "layers", "size": "3MiB", "csv": "true"}, [prediction]), ({"as": "calls", "csv": "true"}, [profile])]
    for options, paths in asked:
        target = pathlib.Path(folder, "picture")
        target.unlink(missing_ok=True)
        ran = subprocess.run([BUILD / "hiersearch", "plot", *paths, *words_of(options), "-o", target], capture_output=True,
                             text=True, check=False)
        own = options | {"profile": str(profile)} if paths == [profile] else options
        picture, notes = drawn("plot", "plot", own, [] if paths == [profile] else paths)
        wanted = (target.read_bytes(), "".join(line.removeprefix("hiersearch plot: ") + "\n" for line in ran.stderr.splitlines())) \
            if ran.returncode == 0 else (ran.stderr.removeprefix("hiersearch plot: ").rstrip("\n"), None)
        check(f"plot {' '.join(words_of(options))} is the program's", (picture, notes), wanted)
        if paths == [profile]:
            check("so it is of the profile as the one input", drawn("plot", "plot", options, paths), wanted)
            check("not beside another one", drawn("plot", "plot", options, paths * 2)[0], f"{profile} is the profile of a job: expected no {profile} beside it")
    for options, paths in ({}, [prediction]), ({"size": "1MiB"}, [prediction, sweep]), ({"size": "3MiB"}, [sweep]), ({}, [profile]):
        ran = subprocess.run([BUILD / "hiersearch", "report", *paths, *words_of(options), "-o", "-"], capture_output=True,
                             check=False)
        own = options | {"profile": str(profile)} if paths == [profile] else options
        page, notes = drawn("report", "report", own, [] if paths == [profile] else paths)
        wanted = ran.stdout if ran.returncode == 0 else ran.stderr.decode().removeprefix("hiersearch report: ").rstrip("\n")
        check(f"report {' '.join(words_of(options))} is the program's", page, wanted)
        check("so it is of all that is an input", drawn("report", "report", options, paths)[0], wanted)

    formats = json.loads(text_of("formats_json"))
    check("the formats are the program's", [f["name"] for f in formats],
          [line.split(",")[0] for line in program("export", "--list", "--format", "csv").stdout.splitlines()[1:]])
    for name in (f["name"] for f in formats):
        inputs = inputs_of([prediction])
        target = pathlib.Path(folder, name)
        target.mkdir()
        ran = subprocess.run([BUILD / "hiersearch", "export", prediction, "--to", name, "-o", target], capture_output=True,
                             text=True, check=False)
        try:
            exports = made("export", inputs, question("export", {"to": name}))
        except ValueError as why:
            check(f"export --to {name} fails as the program", f"hiersearch export: {why}\n", ran.stderr)
            continue
        files, length = {}, ctypes.c_size_t()
        for i in range(lib.hiersearch_exports_count(exports)):
            raw = lib.hiersearch_exports_text
            raw.restype = ctypes.c_void_p
            at = raw(exports, ctypes.c_size_t(i), ctypes.byref(length))
            files[lib.hiersearch_exports_name(exports, ctypes.c_size_t(i)).decode()] = ctypes.string_at(at, length.value)
        check(f"export --to {name} writes the program's files", files, {p.name: p.read_bytes() for p in target.iterdir()})
        check("with the same notes", lib.hiersearch_exports_notes(exports).decode(),
              "".join(line.removeprefix("hiersearch export: ") + "\n" for line in ran.stderr.splitlines()))
        lib.hiersearch_exports_free(exports)
print(f"1..{count}")
sys.exit(failed > 0)
