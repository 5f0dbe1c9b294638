"""Runs a notebook from its first cell to its last, in its own folder, and writes what it showed.

usage: run_notebook.py NOTEBOOK OUTPUT
"""
import os
import sys
from pathlib import Path

import nbclient
import nbformat

os.environ.pop("MPLBACKEND", None)  # pictures are to be in the notebook
notebook = nbformat.read(sys.argv[1], 4)
nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                        resources={"metadata": {"path": str(Path(sys.argv[1]).parent)}}).execute()
nbformat.write(notebook, sys.argv[2])
shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
pictures = sum("image/png" in output.get("data", {}) for output in shown)
tables = sum("text/html" in output.get("data", {}) for output in shown)
print(f"{len(notebook.cells)} cells, {pictures} pictures, {tables} tables")
sys.exit(not (pictures >= 3 and tables >= 2 and all(output.output_type != "error" for output in shown)))
