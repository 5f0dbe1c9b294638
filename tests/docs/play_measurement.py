#!/usr/bin/env python3
"""Turns a prediction into a result as if every candidate had been measured at 1.1 times its prediction.
usage: play_measurement.py RESULT.json   (rewrites it)"""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    result = json.load(file)
result["backend"] = "null"
for message in result["results"]:
    for candidate in message["candidates"]:
        seconds = 1.1 * candidate["predicted_seconds"]
        candidate["measured"] = {"status": "ok", "median_seconds": seconds, "wrong_elements": 0, "samples_seconds": [seconds]}
with open(sys.argv[1], "w", encoding="utf-8") as file:
    json.dump(result, file)
