"""Proofs and certificates of small problems, for the tests of both sides."""

from __future__ import annotations

import csv
import json
import time
import uuid
from functools import cache

import numpy as np

from instances import random_instance
from voteprune.bounds.levels import Levels
from voteprune.bounds.node import FREE, Node
from voteprune.primal.brute import solve_by_brute_force
from voteprune.problem.problem import Problem
from voteprune.run.incumbent import Incumbent
from voteprune.run.run import Run
from voteprune.solvers import call
from voteprune.strategies.certificate import Certificate
from voteprune.tree.nogoods.nogood import Case
from voteprune.tree.nogoods.task import WORKER as NOGOODS
from voteprune.tree.nogoods.task import Node as NogoodNode
from voteprune.tree.nogoods.task import NogoodsProof
from voteprune.tree.nogoods.task import Task as NogoodTask
from voteprune.tree.sizes.task import WORKER, SizesProof, Task


def best_of(problem: Problem):
    """The best committee, by trying all; None if there is none."""
    incumbent = Incumbent(problem)
    solve_by_brute_force(problem, Run(incumbent, time.monotonic() + 60))
    return incumbent.committee


@cache
def gainful_problem(seed: int, most_classifiers: int, most_rows: int) -> Problem | None:
    """A small problem with a gain somewhere and an allowed committee, or None."""
    drawn = random_instance(seed, most_classifiers=most_classifiers, most_rows=most_rows)
    problem = Problem.of(drawn.votes, drawn.objective, drawn.constraints, drawn.diversity)
    return problem if problem.gains.net.any() and best_of(problem) is not None else None


def prove(problem: Problem, units: int, seconds: float = 30.0) -> SizesProof:
    """Let the workers refute everything above a value, and write down how."""
    levels, scale = Levels.of(problem)
    proof = SizesProof(levels, scale)
    targets = np.full(levels.size_max + 1, (units + problem.gains.step) / scale)
    node = Node.everything(levels, problem.gains.ceiling / scale)
    deadline = time.monotonic() + seconds
    task = Task(levels, (node,), (), targets, deadline, deadline, 0, record=True)
    share = call(WORKER, (task,), deadline + 30, lambda *_: None)
    proof.steps += share.steps
    proof.nodes = share.nodes
    return proof


def refute(problem: Problem, units: int) -> NogoodsProof:
    """Let a worker refute everything above a value, and write down how."""
    case, scale = Case.of(problem)
    refuted = NogoodsProof(case, scale)
    undecided = np.full(case.n_patterns + case.n_classifiers, FREE, dtype=np.int8)
    nodes, seen, number = (NogoodNode(problem.gains.ceiling / scale, undecided),), set(), 0
    token = uuid.uuid4().hex
    target, end = (units + problem.gains.step) / scale, time.monotonic() + 30
    while nodes:
        task = NogoodTask(case, nodes, (), target, end, end, frozenset(seen), token, number, True)
        share = call(NOGOODS, (task,), end, lambda *_: None)
        nodes, number = share.nodes, share.next_number
        refuted.steps += share.steps
        seen |= set(share.members)
    return refuted


def certify(problem: Problem, **changes) -> Certificate:
    """The certificate of an optimal committee, proved by steps."""
    committee = best_of(problem)
    units = problem.score(committee)
    return Certificate(problem, "optimal", committee, units, prove(problem, units), **changes)


def write_votes(path, problem: Problem) -> None:
    """Write votes as the command line reads them."""
    votes = problem.votes
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*votes.names, "label"])
        for row, label in zip(votes.matrix.astype(int), votes.labels.astype(int), strict=True):
            writer.writerow([*row.tolist(), label])


def document_of(certificate: Certificate) -> dict:
    """The certificate as the checker reads it."""
    return json.loads(certificate.to_json())
