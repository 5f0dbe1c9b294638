#!/usr/bin/env python3
"""Prints a result file without its candidates and best plans."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as stream:
    result = json.load(stream)
for message in result["results"]:
    message.pop("best", None)
    message["candidates"] = []
json.dump(result, sys.stdout)
