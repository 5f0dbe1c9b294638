# The two closed forms of the paper for 4 P processes, computed here, against the program to 1e-12.
cat >check.py <<'END'
import json, subprocess, sys
alpha, s, hca, n = 4.8e-6, 2, 9301.19e6, 128 * 2**20
abci = "nvlink:mesh:4@111.61428GB/s~4.8us,ib:1088@18.60238GB/s~4.8us/2p;s=2"
alike = "ib@18.60238GB/s~4.8us;s=2"  # the paper's flat ring pays InfiniBand at every step
for P in (2, 8, 32, 34, 1000):
    layered = 2 * s * alpha * (2 + P) + 2 * n / hca * (9 / 16 - 1 / (2 * P))
    flat = 2 * s * alpha * (4 * P - 1) + 2 * n / hca * (1 / 2 - 1 / (8 * P))
    for system, plan, expected in ((abci, f"4x{P}", layered), (alike, str(4 * P), flat)):
        out = subprocess.run(["hiersearch", "predict", system, "--np", str(4 * P), "--json", "--top", "10000"],
                             check=True, capture_output=True).stdout
        times = {c["plan"]: c["predicted_seconds"] for c in json.loads(out)["results"][0]["candidates"]}
        error = abs(times[plan] - expected) / expected
        print(f"{plan:>6} {'agrees' if error < 1e-12 else f'is off by {error:g}'}")
END
python3 check.py
