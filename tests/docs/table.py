"""What tests/docs/test_documents.py needs to know about the commands of the documents. An excuse is a row here or it is none."""
import os
import re
import shutil
from pathlib import Path

MPI = "openmpi" if "openmpi" in os.environ.get("MPICC", "") else "mpich"
MPI_OPTIONS = "--oversubscribe" if MPI == "openmpi" else ""
MPI_SETTINGS = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if MPI == "openmpi" else {}

# ---- files that must be there before a document's first command: (document, script) ---------------
# A measured result for results that a reader has by then: made by the null backend, kept in the tree.
RESULTS = """mkdir -p results configs
cp "$SRC/tests/answer/data/null16.json" results/here.json
for name in here.json result.json abci.json; do cp results/here.json $name; done
"""
FILES = (
    (r"^(docs/(result|export|export-frameworks|quickstart|limits|plots|measure|gpu)\.md|.*--help|README\.md)$",
     RESULTS),
    (r"^(README|docs/check)\.md$", '''row() { printf 'bytes,seconds,np,nodes,call\\n%s\\n' "$1"; }
row 1073741824,0.030229,16,2,allgather > all_gather.csv
row 8589934592,0.040628,8,1,allreduce > all_reduce.csv
row 8589934592,0.0310,8,1,allreduce > last_month.csv
row 268435456,0.0010737,8,1,allreduce > small.csv
cp "$SRC/tests/record/logs/info-gdr.txt" with_lines.log'''),
    (r"^check --help$", '''row() { printf 'bytes,seconds,np,nodes,call\\n%s\\n' "$1"; }
row 1073741824,0.0105,16,2,allgather > a100_all_gather.log
row 1073741824,0.0047,16,2,allreduce > all_reduce.log
row 1073741824,0.0029,16,2,allgather > all_gather.log
hiersearch predict 8xH100 --np 8 --size 1GiB -q -o measured.json > out
/usr/bin/python3 "$SRC/tests/docs/play_measurement.py" measured.json ncclAllReduce
cp all_reduce.log last_month.log
cp "$SRC/tests/record/logs/info-ring.txt" nccl_debug.log'''),
    # Sizes of Qwen3-30B-A3B.
    (r"^(docs/job\.md|shard --help)$", """cat > config.json <<'END'
{"decoder_sparse_step": 1, "head_dim": 128, "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144, "mlp_only_layers": [],
 "moe_intermediate_size": 768, "num_attention_heads": 32, "num_experts": 128, "num_experts_per_tok": 8, "num_hidden_layers": 48,
 "num_key_value_heads": 4, "tie_word_embeddings": false, "vocab_size": 151936}
END"""),
    # A best plan that a library of two layers can stand for.
    (r"^docs/export\.md$", "hiersearch predict abci --np 16 --size 64MiB -q -o result.json > out"),
    (r"^predict --help$", 'cp "$SRC/tests/estimate/calibrated.json" here.json'),
    (r"^fit --help$", 'printf "bytes,seconds,np,nodes,call\\n67108864,0.00047,16,2,allreduce\\n1073741824,0.0047,16,2,allreduce\\n" > all_reduce_2_nodes.txt; printf "# OSU MPI Allreduce Latency Test v7.4\\n# Size  Avg Latency(us)\\n1048576 500\\n" > osu.txt; for plan in 4x8x4 8x4x2x2; do cp "$SRC/tests/golden/fit/$plan.json" results/abci-$plan.json; done'),
    (r"^(plot|report) --help$", '''rm results/here.json
for np in 8 16; do hiersearch predict abci --np $np --size 64MiB -q -o results/p$np.json > out; done
hiersearch predict abci --np 128 -q -o here.json > out
cp results/p8.json results/here.json
/usr/bin/python3 "$SRC/tests/docs/play_measurement.py" here.json'''),
    (r"^docs/profile\.md$", 'for name in before after; do cp "$SRC/tests/golden/profile/train.json" $name.json; done'),
    (r"^export --help$", '''cp "$SRC/tests/golden/profile/job.json" job.json
for group in "allreduce w=4 w" "allgather a=2,b=2 b"; do
    set -- $group
    hiersearch predict 'node:4@10GB/s~1us,ib@1GB/s~10us' --mesh $2 --group $3 --size 8KiB --collective $1 -q -o $1.json > out
done
"$SRC/tests/export/own_result.py" all-to-all 4 MPI_Alltoall "Open MPI all-to-all: Bruck" "Open MPI all-to-all: pairwise" > native-all-to-all.json'''),
    (r"^docs/(check|plots)\.md$", """hiersearch check '8xH100, 8xNDR400' "$SRC/tests/record/logs/nodes.txt" --json > checked.json || [ $? = 1 ]"""),
    (r"^completion --help$", "mkdir .zfunc"),
    (r"^(docs/systems\.md|systems --help)$", '''cp "$SRC/tests/detect/topologies/dgx-h100.txt" topo.txt
cp "$SRC/tests/detect/topologies/dgx-h100-ibstat.txt" ibstat.txt
cp "$SRC/tests/detect/topologies/topology.conf" .'''),
    (r"^docs/systems\.md$", '''cp "$SRC/tests/record/logs/nodes.txt" two_nodes.txt
cp "$SRC/tests/golden/fit/gap.json" plan.json
printf '# OSU MPI Allreduce Latency Test v7.4\\n# Size       Avg Latency(us)\\n1048576 450\\n16777216 7000\\n' > osu.txt
sed '1,/^## Describe/d' "$SRC/docs/systems.md" | sed -n '/^```json$/,/^```$/p' | sed '1d;$d' > mine.json
mkdir docs && cp "$SRC/docs/system.schema.json" docs'''),
    (r"^docs/quickstart\.md$", 'cp "$SRC/tests/record/logs/nodes.txt" two_nodes.txt'),
    (r"^(docs/gpu\.md|fit --help)$", """sed -n '2,9p' "$SRC/tests/golden/fit/probe.sh" >probe.sh
. ./probe.sh
mv slow.json probe.json
rm probe.sh"""),
    (r"^(README\.md|run --help)$", """for c in allreduce allgather; do
    hiersearch predict 'node:4@10GB/s~1us,ib@1GB/s~10us' --np 4 --size 1MiB --collective $c -q -o $c.json > out
done
cp allreduce.json here4.json"""),
    (r"^(docs/(measure|plots)\.md|(measure|plot|report) --help)$", 'cp "$SRC/tests/golden/profile/job.json" job.json'),
    (r"^docs/profile\.md$", 'sed "s/4000,/4096,/" "$SRC/tests/golden/predict/job-measured.json" > allreduce.json'),
    (r"^predict --help$", '''cp "$SRC/tests/golden/profile/job.json" job.json
cp "$SRC/tests/golden/predict/job-measured.json" allreduce.json
hiersearch predict abci --np 4 --size 8KiB --collective allgather -q -o allgather.json > out'''),
    (r"^(README\.md|docs/profile\.md|(profile|run) --help)$", f'''mpicc.{MPI} -o app "$SRC/tests/apply/job.c"
mpiexec.{MPI} {MPI_OPTIONS} -n 4 hiersearch profile -o killed.json -- ./app die > out 2>&1 || true'''),
    (r"^CONTRIBUTING\.md$", 'for name in "$SRC"/*; do [ "${name##*/}" = build ] || ln -s "$name" .; done'),
)

# ---- programs without which commands are skipped: (program, commands) -----------------------------
TOOLS = (
    ("gnuplot", r"\bhiersearch plot (?!.*--csv)"),
    ("jq", r"\bjq\b"),
    ("man", r"\bman -l\b"),
    ("mpicc", r"\bmpiexec\b"),
    ("smpirun", r"\bhiersearch simulate\b"),
)


class Row:
    """A regular expression that the command matches as a whole, and what is done then."""

    def __init__(self, pattern, replacement, only_with=None):
        self.pattern, self.replacement, self.only_with, self.used = pattern, replacement, only_with, False

    def needed(self):
        return self.only_with is None or shutil.which(self.only_with) is not None


class Excuse:
    """Commands that are not run here: why, and the file that tests them (its text holds `says`, where {script} is the
    command's first word); without `says` the words of the command are targets of the Makefile."""

    def __init__(self, pattern, reason, place, says=None):
        self.pattern, self.reason, self.place, self.says, self.used = pattern, reason, place, says, False

    def matches(self, _document, command):
        return re.search(self.pattern, command) is not None

    def needed(self):
        return True

    def problems(self, root, command):
        """What is wrong with the excuse."""
        if self.place == "Makefile" and self.says is None:
            targets = [word for word in re.split(r"&&|\||;", command)[0].split()[1:] if re.fullmatch(r"[a-z][a-z-]*", word)]
            return [f"there is no target {name}" for name in targets if not has_target(root, name)]
        path = Path(root) / self.place
        if not path.is_file():
            return [f"excused, but {self.place} does not exist"]
        says = self.says.format(script=command.split()[0])
        if says not in path.read_text(encoding="utf-8"):
            return [f"excused, but {self.place} does not have the text '{says}'"]
        return []


def has_target(root, name):
    text = "".join((Path(root) / file).read_text(encoding="utf-8") for file in ("Makefile", "tests/tests.mk", "bench/bench.mk", "packaging/install.mk", "packaging/python.mk", "page/page.mk"))
    return re.search(r"^(?:[\w-]+ )*" + re.escape(name) + r"(?: [\w-]+)*:(?!=)", text, re.MULTILINE) is not None


# ---- commands that are run with less work ----------------------------------------------------------
# More processes than cores, for minutes: a small message and a short budget give the same lines of output.
LESS_WORK = (
    Row(r"(mpiexec -n )16 (hiersearch measure\b(?!.*--calibrate).* --mesh )tp=4,dp=4", r"\g<1>4 \2tp=2,dp=2", "mpicc"),
    Row(r"(mpiexec.*hiersearch measure\b(?!.*--calibrate).*) --budget \S+", r"\1", "mpicc"),
    Row(r"(mpiexec.*hiersearch measure\b(?!.*--calibrate).*)$", r"\1 --budget 6s --quiet", "mpicc"),
    Row(r"mpiexec -n 16 (hiersearch (?:measure(?!.*--calibrate)|profile))", r"mpiexec -n 4 \1", "mpicc"),
    Row(r"mpiexec -n 16 hiersearch run here\.json", "mpiexec -n 4 hiersearch run here4.json", "mpicc"),
    Row(r"(mpiexec.*hiersearch measure\b(?!.*--calibrate).*--size) \S+", r"\1 64KiB", "mpicc"),
    # A machine that others use, too, gives no times that a fit describes.
    Row(r"(mpiexec.*hiersearch measure\b(?=.*--calibrate)(?!.*--backend).*?)$", r"\1 --backend null --plays abci --quiet", "mpicc"),
    Row(r"(mpiexec.*hiersearch measure\b(?=.*--calibrate).*--size) \S+", r"\1 1MiB", "mpicc"),
    Row(r"^(hiersearch simulate .*)--all", r"\1--top 2", "smpirun"),
)

# ---- commands that are not run ---------------------------------------------------------------------
EXCUSED = (
    Excuse(r"^\./bootstrap", "installs packages, as root", "tests/bare/check-bare", "./bootstrap demo"),
    Excuse(r"^make .*(check-bare|check-clients|install|uninstall|deb|PREFIX=)|^make -j", "builds, as the tests of installation do",
           "tests/install/test_install.sh", "install"),
    Excuse(r"^make( |$)", "builds the tree, or takes minutes", "Makefile"),
    Excuse(r"^bench/accuracy_simgrid\.py", "takes minutes", "Makefile", "{script}"),
    Excuse(r"^pip install|hiersearch build-measure", "installs a package of the Python index", "python/tests/run.sh", "build-measure"),
    Excuse(r"^apt install \./build/", "installs what make deb made, as root", "tests/install/test_deb.sh", "dpkg -i"),
    Excuse(r"\bsrun\b|^sbatch|^salloc", "needs Slurm, and root for that", "tests/cluster/test_measure.sh", "srun --mpi=pmi2"),
    Excuse(r"^(tests/cluster/)?(cluster|fakessh)\b", "needs root", "tests/cluster/test_cluster.sh", "cluster"),
    Excuse(r"^BARE=1 .*tests/nccl/gpu_check\.sh", "needs GPUs", "tests/nccl/test_gpu_check.sh", "docs/gpu.md"),
    Excuse(r"hiersearch systems --here", "needs GPUs", "tests/detect/test_here.sh", "--here"),
    Excuse(r"dpkg -x|^tests/nccl/in_root\.sh|nvidia\.nccl", "downloads packages; for a machine with a GPU and no root",
           "tests/nccl/in_root.sh", "dpkg -x"),
    Excuse(r"run gpus\.json", "needs GPUs, and NCCL", "tests/apply/test_nccl_run.sh", '"$hiersearch" run r.json'),
    Excuse(r"torchrun|train\.json", "needs GPUs, and NCCL", "tests/apply/test_nccl_profile.sh", '"$hiersearch" profile -o p.json'),
    Excuse(r"^mpirun --mca coll_(tuned|han)", "needs a program of the reader's", "tests/export/test_ompi.sh", "coll_"),
    Excuse(r"mpich\.env; set \+a; mpiexec", "needs a program of the reader's", "tests/export/test_mpich.sh", "mpich two.env"),
    Excuse(r"abi/libmpi\.so\.12|MPI4PY_LIBMPI|-- python3 app\.py", "installs a package of the Python index", "tests/apply/test_mpi4py.sh", "MPI4PY_LIBMPI"),
    Excuse(r"ucc\.env; set \+a", "needs UCC, and a program of the reader's", "tests/export/test_environment.sh", "ucc"),
    Excuse(r"^NCCL_[A-Z_]+=.* \./program", "needs GPUs", "tests/export/test_nccl.sh", "NCCL_CONF_FILE"),
    Excuse(r"^smpicc program\.c|^smpirun -np .*\./program", "needs a program of the reader's", "tests/export/test_simgrid.sh", "smpirun"),
    Excuse(r"^cc program\.c .*pkg-config", "needs an installed library", "tests/install/test_examples.sh", "pkg-config"),
)
