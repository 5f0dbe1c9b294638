"""What mypy --strict is to find right, and in the lines that say so wrong."""
from typing import Optional

import hiersearch as hs

result: hs.Result = hs.predict("abci", np=128, size=["1MiB", 2**30], mesh={"tp": 8, "dp": 16}, group="dp", widen=False)
gain: Optional[float] = result.messages[0].verdict.gain if result.messages[0].verdict else None
next_commands: list[str] = result.messages[0].next
seconds: float = result.best.seconds
layers: list[float] = [layer.seconds for plan in result.candidates for layer in plan.layers]
fitted: hs.System = hs.fit(hs.System("abci"), "logs/*.txt", max_residual=20)
latencies: list[float] = [level.latency_seconds for level in fitted.levels]
files: dict[str, str] = hs.export(result, "other.json", to="nccl-tuner")
page: str = hs.predict_page("abci", np=128, explain="best", format="md")
listed: str = hs.systems_page("abci", width=120, name="mine")
changed: list[str] = [row["figure"] for row in fitted.changes("abci")]
expected: list[Optional[float]] = [row.expected_seconds for row in hs.check(result, machine="abci").document.rows]

hs.predict("abci", nq=128)  # wrong
hs.predict("abci", np=128, collective="allreduc")  # wrong
hs.export(result, to="nccl")  # wrong
hs.predict_page("abci", np=128, format="html")  # wrong
hs.systems_page("abci", all=True)  # wrong
result.messages[0].message_byte  # wrong
result.best.seconds + "s"  # wrong
