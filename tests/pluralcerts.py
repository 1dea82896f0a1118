"""Certificates for several classes, honest ones and the frames of forged ones."""

from __future__ import annotations

import csv
import json
import time

import numpy as np

from pluralities import bounded_first
from voteprune.strategies.plurality_certificate import PluralityCertificate
from voteprune.tree.plurality import worker
from voteprune.tree.plurality.task import FREE, Node, PluralityProof, Task
from voteprune.verify import verify
from voteprune.verify.plurality_document import plurality_document_of
from voteprune.verify.plurality_pool import PluralityPool
from voteprune.verify.plurality_table import read_patterns


def proved(case, leaf):
    """The certificate of a tree from a bad start, in leaves that take so long at the most."""
    decided = np.full(case.wins.n_classifiers, FREE, dtype=np.int8)
    decided[case.wins.required] = 1
    bound = float(case.wins.weights.sum()) + 1.0
    sizes = range(case.wins.size_min, case.wins.size_max + 1)
    nodes = tuple(Node(size, bound, decided, key=key) for key, size in enumerate(sizes))
    later, best = time.monotonic() + 600, max(case.scores.values())
    task = Task(case.wins, case.scale, nodes, best + 1, later, later, "", True, len(nodes))
    with bounded_first(leaf):
        share = worker.solve(task)
    assert not share.nodes
    roots = tuple((node.size, node.key) for node in nodes)
    proof = PluralityProof(case.wins, case.scale, roots, share.prices, list(share.steps))
    top = next(members for members, score in case.scores.items() if score == best)
    members = tuple(case.problem.allowed[k] for k in top)
    written = PluralityCertificate(case.problem, "optimal", members, best, proof, target="y")
    return json.loads(written.to_json())


def said(case, bound, *, tried=False):
    """A certificate of a bound, with a node for every size that says nothing, or was tried."""
    written = PluralityCertificate(case.problem, "unknown", None, bound, tried=tried, target="y")
    return json.loads(written.to_json())


def node(**said):
    """Return a node of which nothing is said but what is given."""
    return {"prices": None, "decided": [], "branch": None, "heirs": [], "tried": False, **said}


def put(found, votes, folder):
    """Write a certificate and its votes."""
    words = [*map(str, votes.classes), ""]
    with (folder / "v.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*votes.names, "y"])
        for row, label in zip(votes.matrix.tolist(), votes.labels.tolist(), strict=True):
            writer.writerow([*(words[code] for code in row), words[label]])
    (folder / "c.json").write_text(json.dumps(found))


def check(found, case, folder):
    """What the checker says of a certificate of a case."""
    put(found, case.problem.votes, folder)
    return verify(folder / "c.json", folder / "v.csv")


def pool_of(found, case, folder):
    """The checker's own view of a certificate of a case."""
    put(found, case.problem.votes, folder)
    document = plurality_document_of("c.json", found)
    return PluralityPool(document, read_patterns(folder / "v.csv", document, "y")[1])
