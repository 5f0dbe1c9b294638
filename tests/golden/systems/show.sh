# One system in full; what a terminal might obey is not passed on.
cat >tiny.json <<'END'
{ "format": "hiersearch.system/1", "name": "tiny", "title": "Two boxes\u001b[31m of mine\u009b2J",
  "notes": "A text long enough that it has to be broken into two lines, because the terminal has a hundred columns only.",
  "pipeline_granularity": 2, "launch_us": 8.4, "latency_kind": "wire",
  "levels": [ { "name": "a", "arity": 4, "fabric": "mesh", "latency_us": 0.5, "bandwidth_GBps": 111.5,
                "source": { "latency": "measured", "bandwidth": "unverified: a guess" } },
              { "name": "b", "arity": null, "latency_us": 2, "bandwidth_GBps": 12.5, "ports": 2, "striped": false } ] }
END
hiersearch systems tiny.json
hiersearch systems ./tiny.json --text
hiersearch systems 'a:4@111.5GB/s,b:2@12.5GB/s~2us' --text
