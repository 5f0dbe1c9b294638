"""The examples of docs/python.md."""
import doctest
import shutil

from conftest import ROOT


def test_document(data, tmp_path, monkeypatch):
    """The examples of docs/python.md print what it says."""
    shutil.copy(data / "result/logs/nodes.txt", tmp_path)
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False,
                                     optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert tried >= 12 and not failed
