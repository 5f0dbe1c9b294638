"""The examples of docs/python.md, and of the package's own text."""
import doctest
import shutil

import pytest

import hiersearch as hs
from conftest import ROOT


def test_document(data, tmp_path, monkeypatch):
    """The examples of docs/python.md print what it says."""
    shutil.copy(data / "record/logs/nodes.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False,
                                     optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert tried >= 12 and not failed


def test_package(data, tmp_path, monkeypatch):
    """The example of help(hiersearch) does what it says."""
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    (tmp_path / "logs").mkdir()
    shutil.copy(data / "record/logs/nodes.txt", tmp_path / "logs")
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testmod(hs)
    assert tried >= 6 and not failed
    assert (tmp_path / "plans/hierarchical_torch.py").exists()
