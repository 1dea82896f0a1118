"""Every loss: its derivatives, and dual points whose tangents lie below it to the last digit."""

from dataclasses import replace

import numpy as np
import pytest

from soft_oracle import draw, penalised
from voteprune.soft import loss_protocol
from voteprune.soft.loss_protocol import margin, over_blocks
from voteprune.soft.problem_loss import loss_of, sample_of

KINDS = [(c, loss) for c in (2, 3) for loss in ("log_loss", "pool_log_loss", "pool_brier")]
K = 5


def case(kind, seed=3, n=24):
    problem = draw(seed, n=n, k=K, classes=kind[0], loss=kind[1])
    return problem, loss_of(problem), np.random.default_rng([seed, kind[0]])


def exactly(problem, intercepts, weights):
    """The loss without its penalty, in extended precision; pools also where weights sum to more."""
    long = np.longdouble
    c, y, answers = problem.weights.astype(long), problem.labels, problem.answers.astype(long)
    rows, weights = np.arange(len(y)), weights.astype(long)
    z = np.tensordot(answers, weights, axes=(1, 0))
    if problem.loss == "log_loss" and z.ndim == 1:
        return c @ np.logaddexp(0, np.where(y == 1, -1, 1) * (z + intercepts[0]))
    if problem.loss == "log_loss":
        z = z + np.append(intercepts, 0).astype(long)
        return c @ (np.logaddexp.reduce(z, axis=1) - z[rows, y])
    if problem.loss == "pool_log_loss":
        wrong = np.tensordot(1 - answers, weights, axes=(1, 0))
        return -(c @ np.log(z[rows, y] if z.ndim == 2 else np.where(y == 1, z, wrong)))
    off = z - y if z.ndim == 1 else z - np.eye(z.shape[1])[y]
    return c @ (off**2).reshape(len(y), -1).sum(axis=1)


def place(loss, random, scale=1.0):
    weights = random.exponential(size=K) * scale
    if loss.total is not None:
        weights /= weights.sum()
    return random.normal(size=loss.n_intercepts), weights


@pytest.mark.parametrize("kind", KINDS)
def test_values_are_the_definition_and_derivatives_theirs(kind, monkeypatch):
    monkeypatch.setattr(loss_protocol, "_BLOCK", 7)  # several blocks, the last one shorter
    problem, loss, random = case(kind)
    for _ in range(3):
        intercepts, weights = place(loss, random)
        columns = loss.gather(np.arange(K))
        z = loss.scores(intercepts, columns, weights)
        own = penalised(problem, range(K), intercepts, weights)
        own -= problem.ridge / 2 * weights @ weights
        assert loss.value(z) == pytest.approx(own, rel=1e-12)
        slope, hessian = loss.derivatives(z, columns)
        dual = loss.dual(z)
        assert dual.value == pytest.approx(own, rel=1e-12)
        np.testing.assert_allclose(dual.slope, slope, rtol=1e-9, atol=1e-10)
        both, step = np.concatenate([intercepts, weights]), 1e-5
        free = len(intercepts)
        for k in range(len(both)):
            ahead, back = (
                loss.scores(there[:free], columns, there[free:])
                for there in (both + step * (np.arange(len(both)) == k) * s for s in (1, -1))
            )
            rise = (loss.value(ahead) - loss.value(back)) / (2 * step)
            assert rise == pytest.approx(slope[k], rel=1e-5, abs=1e-5)
            bend = loss.derivatives(ahead, columns)[0] - loss.derivatives(back, columns)[0]
            np.testing.assert_allclose(bend / (2 * step), hessian[k], rtol=1e-4, atol=1e-4)
        some = np.array([1, 3])
        at = np.concatenate([np.arange(free), free + some])
        part = loss.derivatives(z, loss.gather(some))
        np.testing.assert_allclose(part[0], slope[at], rtol=1e-12)
        np.testing.assert_allclose(part[1], hessian[np.ix_(at, at)], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_without_weight_are_left_out(kind):
    problem, loss, random = case(kind)
    carrying = problem.weights > 0
    assert not carrying.all()
    part = loss_of(
        replace(
            problem,
            answers=problem.answers[carrying],
            labels=problem.labels[carrying],
            weights=problem.weights[carrying],
        )
    )
    intercepts, weights = place(loss, random)
    z = loss.scores(intercepts, loss.gather(np.arange(K)), weights)
    np.testing.assert_array_equal(z, part.scores(intercepts, part.gather(np.arange(K)), weights))
    assert loss.value(z) == part.value(z)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_no_tangent_is_above_the_loss_anywhere(kind, scale):
    """Whatever point it is made of, wrong intercepts too; where it touches, by a hair at most."""
    problem, loss, random = case(kind)
    columns = loss.gather(np.arange(K))
    for turn in range(6):
        intercepts, weights = place(loss, random, scale)
        if turn % 2 and loss.n_intercepts:
            intercepts = balanced(loss, columns, weights)
        dual = loss.dual(loss.scores(intercepts, columns, weights))
        others = [(intercepts, weights)]
        others += [place(loss, random, scale * f) for f in (0.1, 1.0, 3.0) for _ in range(5)]
        others += [(b + random.normal(size=len(b)) * 5, w) for b, w in others]
        if loss.total is None:
            others += [(intercepts, weights * 0), (intercepts, weights * 50)]
        for b, w in others:
            tangent = np.longdouble(dual.base) - dual.gains.astype(np.longdouble) @ w
            assert tangent <= exactly(problem, b, w)
        if scale <= 1 and (turn % 2 or not loss.n_intercepts):
            touched = exactly(problem, intercepts, weights)
            tangent = dual.base - dual.gains @ weights
            size = abs(dual.base) + np.abs(dual.gains) @ weights + touched
            assert tangent == pytest.approx(float(touched), abs=1e-9 * float(size))


def balanced(loss, columns, weights):
    """The best intercepts for some weights, where nothing is left to repair."""
    intercepts = np.zeros(loss.n_intercepts)
    for _ in range(60 if loss.n_intercepts else 0):
        slope, hessian = loss.derivatives(loss.scores(intercepts, columns, weights), columns[:0])
        step = np.linalg.solve(hessian, slope)
        intercepts = intercepts - step / max(1.0, np.abs(step).max())
    return intercepts


@pytest.mark.parametrize("kind", KINDS)
def test_base_and_gains_are_each_on_their_safe_side(kind):
    """Exactly tangent at a point: the base below the loss there less its slope, gains above it."""
    problem, loss, random = case(kind, n=200)
    columns = loss.gather(np.arange(K))
    weights = place(loss, random)[1]
    intercepts = balanced(loss, columns, weights)
    dual = loss.dual(loss.scores(intercepts, columns, weights))
    long, step = np.longdouble, np.longdouble(1e-5)
    middle = exactly(problem, intercepts, weights)
    for k in range(K):
        unit = (np.arange(K) == k) * step
        rise = (
            exactly(problem, intercepts, weights.astype(long) + unit)
            - exactly(problem, intercepts, weights.astype(long) - unit)
        ) / (2 * step)
        size = float(np.abs(dual.gains).max() + middle)
        assert -rise <= dual.gains[k] + 1e-8 * size
        assert dual.gains[k] == pytest.approx(-float(rise), abs=1e-7 * size)
    # Far out along the gains their roundings count, at the point itself that of the base.
    for far in (0.0, 1.0, 1e3):
        line = middle + (-dual.gains.astype(long)) @ (weights * (far - 1))
        tangent = long(dual.base) - dual.gains.astype(long) @ (weights * far)
        assert tangent < line


def test_margins_are_those_of_sums_and_no_more():
    for terms in (0, 1, 1000, 10**6):
        assert (terms + 16) * 2.0**-53 <= margin(terms) <= (terms + 17) * 2.0**-53


def test_blocks_together_are_all_rows(monkeypatch):
    rows = np.arange(23.0)
    for block in (1, 4, 22, 23, 24):
        monkeypatch.setattr(loss_protocol, "_BLOCK", block)
        slope, hessian = over_blocks(lambda some: (rows[some].sum(), rows[some] @ rows[some]), 23)
        assert slope == rows.sum()
        assert hessian == rows @ rows


@pytest.mark.parametrize("classes", [2, 3])
def test_a_sample_weighs_what_all_rows_do(classes):
    problem = draw(4, n=900, k=3, classes=classes)
    labels = np.where(np.arange(900) < 870, problem.labels, 0)
    labels[870:] = np.arange(30) % 2
    problem = replace(problem, labels=labels)
    part = sample_of(problem, 200)
    carrying = np.flatnonzero(problem.weights > 0)
    there = carrying[part.rows]
    np.testing.assert_array_equal(part.problem.answers, problem.answers[there])
    np.testing.assert_array_equal(part.problem.labels, problem.labels[there])
    assert len(set(there)) == len(there)
    assert part.problem.ridge == pytest.approx(problem.ridge, rel=1e-12)
    for label in range(classes):
        of, own = problem.labels == label, part.problem.labels == label
        whole = problem.weights[of].sum()
        assert part.problem.weights[own].sum() == pytest.approx(whole, rel=1e-12)
        count = np.count_nonzero(of & (problem.weights > 0))
        wanted = max(50, round(200 * count / len(carrying)))
        assert np.count_nonzero(own) == min(count, wanted)
        shares = part.problem.weights[own] / problem.weights[there[own]]
        np.testing.assert_allclose(shares, shares[0])
    assert sample_of(problem, 200).rows.tolist() == part.rows.tolist()
    rare = replace(problem, labels=np.where(np.arange(900) < 30, 1, 0), answers=problem.answers)
    if classes == 2:
        few = sample_of(rare, 200)
        have = np.count_nonzero((rare.labels == 1) & (rare.weights > 0))
        assert np.count_nonzero(few.problem.labels == 1) == have < 50


@pytest.mark.parametrize("kind", KINDS)
def test_what_roundings_could_be_is_charged_in_full(kind):
    """As `loss_protocol` has it: of n terms, so many margins of what is summed up."""
    problem, loss, random = case(kind, n=60)
    columns, long = loss.gather(np.arange(K)), np.longdouble
    weights = place(loss, random)[1]
    z = loss.scores(balanced(loss, columns, weights), columns, weights)
    dual = loss.dual(z)
    carrying = problem.weights > 0
    c, y = problem.weights[carrying].astype(long), problem.labels[carrying]
    answers = np.moveaxis(problem.answers[carrying], 1, 0).astype(long)
    wide, largest = z.astype(long), np.abs(answers.reshape(K, -1)).max(axis=1)
    if kind == (2, "log_loss"):
        signs = np.where(y == 1, 1, -1)
        a = 1 / (1 + np.exp(signs * wide))
        base = c @ -(a * np.log(a) + (1 - a) * np.log1p(-a))
        gains = answers @ (c * signs * a)
        slack = 4 * margin(len(c))
        mass, least = c @ a, min(c[y == 0].sum(), c[y == 1].sum())
        charged = base * slack * (1 + mass / least)
        more = largest * slack * mass * (1 + 2 * c.sum() / least)
    elif kind == (3, "log_loss"):
        a = np.exp(wide - np.logaddexp.reduce(wide, axis=1)[:, None])
        base = c @ -(a * np.log(a)).sum(axis=1)
        gains = np.tensordot(answers, c[:, None] * (np.eye(3)[y] - a), axes=2)
        slack = 8 * margin(wide.size)
        charged = slack * base + 16 * 3 * 2.0**-53 * c.sum()
        more = 2 * slack * largest * c.sum()
    elif kind[1] == "pool_log_loss":
        true = loss.answers.astype(long)
        base, gains = c @ (1 - np.log(wide)), true @ (c / wide)
        slack = 4 * margin(len(c))
        charged, more = slack * (c @ (1 + np.abs(np.log(wide)))), slack * gains
    else:
        gram, pull = loss.gram.astype(long), loss.pull.astype(long)
        base = loss.constant - wide @ gram @ wide
        gains = 2 * (pull - gram @ wide)
        cells = len(c) * (3 if kind[0] == 3 else 1)
        slack = 4 * margin(cells + 2 * K)
        charged = slack * (loss.constant + wide @ gram @ wide)
        more = 2 * slack * (pull + gram @ wide)
    assert 0.8 * charged <= base - dual.base <= 1.3 * charged
    assert (0.8 * more <= dual.gains - gains).all()
    assert (dual.gains - gains <= 1.3 * more + 1e-14 * largest * c.sum()).all()
