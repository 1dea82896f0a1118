"""What provers do on the way to their answers: how often they call what, and with what numbers.

A bound that is true but poor, a start farther away, a node that is taken later: no answer shows
these, and no law is broken by them. Here they are pinned. While a run goes on, every call of the
functions named in `SEAMS` is counted, and what goes in and comes out is added up. What moves or is
renamed inside the package is followed up in that table, which says nothing of the numbers.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from dataclasses import fields, is_dataclass
from fractions import Fraction
from itertools import compress
from unittest import mock

import numpy as np

SOFT = (
    "soft.tree:SoftTree._work", "soft.tree:SoftTree._child", "soft.tree:SoftTree._push",
    "soft.tree:SoftTree._take", "soft.tree:SoftTree._fixed", "soft.tree:SoftTree._promising",
    "soft.nodes:Pseudocosts.note", "soft.nodes:Pseudocosts.scores",
    "soft.families:Families.heirs", "soft.families:Families.note", "soft.families:families_of",
    "soft.families:tidied", "soft.relaxation:relax",
    "soft.bound:bound_of", "soft.bound:_balance", "soft.bound:Bound.fixing",
    "soft.newton:minimise", "soft.newton:fit", "soft.newton:nearest",
    "soft.newton:signed_minimum", "soft.newton:_solve",
    "soft.polytope:Polytope.at", "soft.polytope:Polytope.needing", "soft.polytope:Polytope.ridge",
    "soft.polytope:Polytope.packing", "soft.polytope:Polytope.entry",
    "soft.polytope:Polytope.selection", "soft.polytope:Polytope._linear_prices",
    "soft.polytope:dual_prices", "soft.polytope:_value", "soft.polytope:_threshold",
    "soft.curvature:Curvature.guess", "soft.curvature:Curvature.own",
    "soft.curvature:Curvature.shared", "soft.curvature:Curvature.shares",
    "soft.sharpening:Sharpened.dual", "soft.sharpening:Sharpened.near",
    "soft.sharpening:Sharpened._diagonal", "soft.sharpening:largest_diagonal",
    "soft.sharpening:Sharpened.bent", "soft.sharpening:Sharpening._region_of",
    "soft.region:region_of", "soft.region:average_curvature", "soft.region:least_curvature",
    "soft.region:_farthest", "soft.region:_balanced", "soft.region:unbalanced",
    "soft.search:Search.fit", "soft.search:Search.greedy", "soft.search:Search.swaps",
    "soft.search:Search._candidates", "soft.search:Search.rounded",
    "soft.search:Search._best_exchange", "soft.search:Search._best_newcomer",
    "soft.logistic:LogLoss.value", "soft.logistic:LogLoss.derivatives",
    "soft.logistic:LogLoss.dual", "soft.logistic:SoftmaxLoss.value",
    "soft.logistic:SoftmaxLoss.derivatives", "soft.logistic:SoftmaxLoss.dual",
    "soft.pools:PoolLogLoss.value", "soft.pools:PoolLogLoss.dual", "soft.pools:PoolBrier.value",
    "soft.pools:PoolBrier.dual", "soft.pools:FlatterBrier.dual",
    "soft.pools:PoolBrier.least_curvature",
)  # fmt: skip
"""Of soft committees."""

SIZES = (
    "bounds.closure:conflicts", "bounds.closure:closure", "bounds.closure:pair_off",
    "bounds.inevitable_errors:sacrificed_rows", "bounds.inevitable_errors:_conditional_bounds",
    "bounds.inevitable_errors:rows_given_up", "bounds.inevitable_errors:_line_below",
    "bounds.inevitable_errors:disputed_rows", "bounds.levels:Levels.needs",
    "bounds.levels:room", "bounds.node:Node.excess", "bounds.node:Node.bounded",
    "bounds.prices:Prices.judge", "bounds.prices:_sums_by", "bounds.prices:_rescaled",
    "bounds.prices:_best_members", "bounds.program:Program.add", "bounds.program:Program.solve",
    "bounds.program:Program.prices", "bounds.program:Program.value",
    "bounds.relaxation_rows:_scaled", "bounds.separation:violated",
    "bounds.separation:_violated_pairs", "bounds.separation:_near_pairs",
    "bounds.separation:_worst", "tree.sizes.worker:_Tree._next_pair",
    "tree.sizes.worker:_Tree._bound", "tree.sizes.worker:_Tree._tighten",
    "tree.sizes.worker:_Tree._branching_variable", "tree.sizes.worker:_Tree._round_off",
    "tree.sizes.worker:_Tree._push", "tree.sizes.worker:decisions",
    "tree.sizes.driver:SizesDriver._tasks", "tree.sizes.driver:SizesDriver._targets",
    "tree.sizes.driver:_spread", "tree.driver:Driver._offer",
)  # fmt: skip
"""Of proofs over sizes and thresholds."""

NOGOODS = (
    "tree.nogoods.worker:_Tree._push", "tree.nogoods.worker:_Tree._refuted",
    "tree.nogoods.worker:_Tree._separate", "tree.nogoods.worker:_Tree._bound",
    "tree.nogoods.worker:_Tree._try_rounding", "tree.nogoods.worker:_Tree._branch_on_pattern",
    "tree.nogoods.worker:_Tree._branch_on_classifier", "tree.nogoods.worker:_Tree._close",
    "tree.nogoods.worker:_in_favour_of", "tree.nogoods.worker:Pseudocosts.learn",
    "tree.nogoods.worker:Pseudocosts.choose", "tree.nogoods.nogood:prove",
    "tree.nogoods.nogood:_largest_sum", "tree.nogoods.nogood:best_of_the_heaviest",
    "tree.nogoods.conflicts:Conflicts.find", "tree.nogoods.conflicts:Conflicts._broken",
    "tree.nogoods.conflicts:Conflicts._enter", "tree.nogoods.conflicts:Conflicts._start",
    "tree.nogoods.relaxation:Relaxation.add", "tree.nogoods.relaxation:Relaxation._enter",
    "tree.nogoods.relaxation:Relaxation._start", "tree.nogoods.relaxation:Relaxation.look",
    "tree.nogoods.relaxation:Relaxation.bound", "tree.nogoods.relaxation:Pool.add",
    "tree.nogoods.relaxation:Pool.lacking", "tree.nogoods.driver:NogoodsDriver._tasks",
    "tree.nogoods.driver:NogoodsDriver._target", "tree.driver:Driver._offer",
)  # fmt: skip
"""Of proofs by nogoods."""

MARGINS = (
    "bounds.margin_prices:Sizes.bounds", "bounds.margin_prices:Sizes.corners",
    "bounds.margin_prices:Sizes.ranges", "tree.margins.worker:price",
    "tree.margins.driver:MarginsDriver._tasks",
    "tree.driver:Driver._offer", "tree.margins.driver:at_size",
    "strategies.exact_margin:_Queue.next",
    "strategies.exact_margin:_Queue.bound", "strategies.exact_margin:_Queue.drop",
    "strategies.exact_margin:_settle", "strategies.exact_margin:_work_on",
)  # fmt: skip
"""Of margins."""

PLURALITY = (
    "bounds.plurality_program:WinsProgram.bound", "bounds.plurality_program:WinsProgram._prices",
    "bounds.plurality_program:WinsProgram._add", "bounds.plurality_program:WinsProgram._drop",
    "bounds.plurality_rows:Size.violated", "bounds.plurality_rows:Size._totals",
    "bounds.plurality_rows:Size.lost", "bounds.plurality_rows:Size.carried",
    "bounds.plurality_rows:Size.judge", "bounds.plurality_rows:_least_votes",
    "tree.plurality.worker:_Tree._push", "tree.plurality.worker:_Tree._seconds",
    "tree.plurality.worker:_Tree._is_leaf", "tree.plurality.worker:_Tree._try_all",
    "tree.plurality.worker:_Tree._bound", "tree.plurality.worker:_Tree._with",
    "tree.plurality.worker:_Tree._round_off", "tree.plurality.worker:_Tree._branch",
    "tree.plurality.worker:_lowered", "tree.plurality.worker:_decide",
    "tree.plurality.driver:PluralityDriver._tasks", "tree.plurality.driver:PluralityDriver._target",
    "primal.plurality_enumeration:Enumeration.seconds",
    "primal.plurality_enumeration:Enumeration.together",
    "primal.plurality_enumeration:Enumeration.run", "primal.plurality_enumeration:_Trial._batch",
    "primal.plurality_enumeration:_Trial._add_up", "primal.plurality_enumeration:_Trial._rows",
    "primal.plurality_enumeration:_Trial._judge", "primal.plurality_enumeration:_Trial._worth",
    "primal.plurality_enumeration:_Trial._least", "primal.plurality_enumeration:_tail",
    "primal.plurality_enumeration:tail_width", "primal.plurality_duels:_Table.rows",
    "primal.plurality_duels:Duels.reach", "primal.plurality_duels:table_rows",
    "primal.plurality_sums:add", "primal.plurality_sums:at_least", "primal.plurality_sums:piles_of",
)  # fmt: skip
"""Of votes on several classes."""

TRYING = (
    "primal.enumeration:seconds_for", "primal.enumeration:affordable",
    "primal.enumeration:rows_together", "primal.enumeration:try_all",
    "primal.enumeration:_Trial.size", "primal.enumeration:_Trial._block",
    "primal.enumeration:_Trial._fewer", "primal.enumeration:_Trial._needed",
    "primal.enumeration:_Trial._judge", "primal.enumeration:_Trial._plausible",
    "primal.enumeration:Sums.at_least", "primal.enumeration:Fixed.with_one",
    "primal.enumeration:Joined.at", "primal.enumeration:_fitting",
)  # fmt: skip
"""Of trying all committees."""

CURVES = (
    "problem.outline:Outline.below", "problem.outline:Outline.lattice_summit",
    "problem.outline:Outline._columns", "problem.outline:Outline._column_ends",
    "problem.outline:_clip", "problem.outline:_lowered",
    "strategies.exact_curve:_Climb.prove", "strategies.exact_curve:_Climb._ask",
    "strategies.exact_curve:_Climb._improve", "strategies.exact_curve:_Climb._helped",
    "strategies.exact_curve:_Climb._near", "strategies.exact_curve:_Climb._tangent_at",
    "strategies.exact_curve:_Climb._try_all", "strategies.exact_curve:_Climb._search",
    "strategies.curve_parts:Parts.cut", "strategies.curve_parts:Parts.split",
    "strategies.curve_parts:Parts.drop", "strategies.curve_parts:Parts._add",
)  # fmt: skip
"""Of criteria that are no weighted sums."""

ASKING = (
    "strategies.exact_soft:solve_exact", "strategies.exact_soft:solve_by_search",
    "strategies.exact_soft:first_members", "tree.soft.driver:SoftDriver.pays",
    "tree.soft.driver:SoftDriver.round", "tree.soft.driver:SoftDriver._take_stock",
    "tree.soft.driver:SoftDriver._save", "tree.soft.checkpoint:_state_of",
    "tree.soft.checkpoint:_fault", "soft.certificate:_point", "soft.certificate:_intercepts",
    "soft.pruning:SoftPruning.best", "soft.pruning:SoftPruning.within",
    "solve.soft_explain:_role", "soft.tree:SoftTree.state", "soft.tree:SoftTree.resume",
    "soft.tree:SoftTree.offer",
)  # fmt: skip
"""Of what stands around the proof of a soft committee."""

SEAMS = {
    "asking": ASKING,
    "soft": SOFT, "sizes": SIZES, "nogoods": NOGOODS, "margins": MARGINS,
    "plurality": PLURALITY, "trying": TRYING, "curves": CURVES,
}  # fmt: skip

ROUNDINGS = 1e-9
"""By what share numbers may differ: libraries may use threads, and add up in another order."""

Log = dict[str, list]
"""Of every function how often it was called, and the sum of what it was given and returned."""


@contextmanager
def followed(*kinds: str):
    """Write down what is called meanwhile; yields what is filled in."""
    log: Log = defaultdict(lambda: [0, 0.0])
    with ExitStack() as stack:
        for seam in dict.fromkeys(seam for kind in kinds for seam in SEAMS[kind]):
            for patch in _patches(seam, log):
                stack.enter_context(patch)
        yield log


def _patches(seam: str, log: Log):
    module_name, path = seam.split(":")
    module = importlib.import_module(f"voteprune.{module_name}")
    owner_name, _, name = path.rpartition(".")
    if owner_name:
        owner = getattr(module, owner_name)
        found = vars(owner)[name]
        if isinstance(found, classmethod):
            spy = classmethod(_spy(found.__func__, path, log))
        elif isinstance(found, property):
            spy = property(_spy(found.fget, path, log))
        else:
            spy = _spy(found, path, log)
        yield mock.patch.object(owner, name, spy)
        return
    found = getattr(module, name)
    spy = _spy(found, f"{module_name.split('.')[-1]}.{name}", log)
    # Wherever it was imported by name.
    for other in [each for key, each in sys.modules.items() if key.startswith("voteprune.")]:
        for alias in [key for key, value in vars(other).items() if value is found]:
            yield mock.patch.object(other, alias, spy)


CLOCKED = {"self", "cls", "deadline", "latest", "until", "seconds", "moment"}
"""Arguments that are the same in no two runs, or nothing new."""


def _spy(function, name: str, log: Log):
    counted = [one not in CLOCKED for one in inspect.signature(function).parameters]

    @functools.wraps(function)
    def spy(*given, **named):
        # Before the call: some of it may be changed by that.
        went_in = weighed(list(compress(given, counted)))
        went_in += weighed([named[one] for one in sorted(named) if one not in CLOCKED])
        answer = function(*given, **named)
        entry = log[name]
        entry[0] += 1
        entry[1] += (went_in + weighed(answer)) * (1 + 0.6180339887 * entry[0] % 1)
        return answer

    return spy


def weighed(value) -> float:
    """Return a number that changes with every number in a value, and with their order."""
    parts: list[np.ndarray] = []
    flatten(value, parts)
    if not parts:
        return 0.0
    # Large numbers say no more than small ones.
    numbers = np.arcsinh(np.concatenate(parts))
    numbers = np.nan_to_num(numbers, nan=_NO_NUMBER, posinf=_ENDLESS, neginf=-_ENDLESS)
    places = np.arange(1, len(numbers) + 1)
    return float(numbers @ (1 + places * 0.7548776662 % 1))


_ENDLESS, _NO_NUMBER = 1e3, 7.7


def flatten(value, parts: list[np.ndarray]) -> None:
    """Collect the numbers of a value, in order."""
    if isinstance(value, bool | int | float | Fraction | np.number | np.bool_):
        value = np.array([float(value)])
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        parts.append(value.astype(np.float64).ravel())
    elif isinstance(value, set | frozenset):
        flatten(sorted(value), parts)
    elif isinstance(value, dict):
        flatten(list(value.items()), parts)
    elif isinstance(value, list | tuple) or (
        isinstance(value, np.ndarray) and value.dtype == object
    ):
        for one in value:
            flatten(one, parts)
    elif is_dataclass(value) and type(value).__name__ in VALUES:
        for field in fields(value):
            flatten(getattr(value, field.name), parts)


VALUES = {
    "Node", "Point", "Dual", "Bound", "Relaxed", "Ridge", "Selection", "Polytope", "Tangent",
    "Region", "Judgement", "Row", "LimitRow", "Nogood", "Summit", "HalfPlane", "Part", "Priced",
    "Rows", "Tried", "Committee",
}  # fmt: skip
"""Values whose numbers count; problems and what is long-lived say nothing new call by call."""


def told(log: Log) -> dict[str, list]:
    """What is written down, as JSON takes it; what was not called is not there."""
    return {name: [calls, round(total, 9)] for name, (calls, total) in sorted(log.items())}


def differences(found: dict[str, list], written: dict[str, list]) -> list[str]:
    """Say where a run went another way than is written; sums may differ by roundings."""
    wrong = []
    if not _near(found["ends"], written["ends"]):
        wrong.append(f"ends with {found['ends']}, not {written['ends']}")
    for name in sorted({*found, *written} - {"ends"}):
        calls, total = found.get(name, (0, 0.0))
        before, once = written.get(name, (0, 0.0))
        if calls != before:
            wrong.append(f"{name} is called {calls} times, not {before}")
        elif abs(total - once) > ROUNDINGS * (calls + abs(once)):
            wrong.append(f"{name}: {total} in all, not {once}")
    return wrong


def _near(one, other) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_near, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_near(one[key], other[key]) for key in one)
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= ROUNDINGS * abs(other)
    return bool(one == other)
