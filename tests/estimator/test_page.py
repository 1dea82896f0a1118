"""The page on the estimator says what happens: its Python blocks run, top to bottom."""

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/estimator.md"


def test_the_pages_python_runs(tmp_path, monkeypatch, capsys):
    pytest.importorskip("skops", reason="skops is not installed")
    pytest.importorskip("skl2onnx", reason="skl2onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    assert len(blocks) >= 7
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    assert "Optimal" in capsys.readouterr().out
