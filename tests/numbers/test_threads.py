"""Threads of linear algebra: limited inside, as before outside, whatever has been loaded since."""

import sys
from types import ModuleType

import pytest
import sklearn.tree  # noqa: F401 - brings a library of OpenMP, as NumPy brings one of BLAS
import threadpoolctl

from voteprune.numbers import threads
from voteprune.numbers.threads import threadpool_limits


def told(api="blas"):
    """How many threads the libraries of a kind say they take."""
    return {
        library["num_threads"]
        for library in threadpoolctl.threadpool_info()
        if library["user_api"] == api
    }


@pytest.mark.parametrize("api", ["blas", None])
def test_one_thread_inside_and_as_many_as_before_outside(api):
    with threadpoolctl.threadpool_limits(2):
        assert told() == told("openmp") == {2}
        for _ in range(2):
            with threadpool_limits(1, api):
                assert told() == {1}
                assert told("openmp") == ({2} if api else {1})
            assert told() == {2}
        with pytest.raises(ZeroDivisionError), threadpool_limits(1, api):
            assert 1 / 0
        assert told() == {2}


def test_what_is_loaded_is_looked_for_anew_only_when_there_is_more(monkeypatch):
    looks = []

    class Controller(threadpoolctl.ThreadpoolController):
        def __init__(self):
            looks.append(len(sys.modules))
            super().__init__()

    monkeypatch.setattr(threads, "ThreadpoolController", Controller)
    threads._libraries.cache_clear()
    for _ in range(3):
        with threadpool_limits(1):
            pass
    assert len(looks) == 1
    monkeypatch.setitem(sys.modules, "a module that brings a library", ModuleType("new"))
    with threadpool_limits(1):
        pass
    assert len(looks) == 2
    threads._libraries.cache_clear()
