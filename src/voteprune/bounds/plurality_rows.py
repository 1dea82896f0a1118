r"""`Rows`: valid inequalities about the wins of committees of one size; separation and prices.

Let a win ask class c to beat its rivals r by their leads e_r, t = 1 if it is won, A and A_r who
votes for c and for r, and S the size. For all sets B, U and R of columns and rivals,

    x(A \ B)                            >=  (m - |B|) t                               (need)
    x(A \ B) - x(A_r & U) + |A_r & U|   >=  (e_r + |A_r & U| - |B|) t                 (duel)
    (1 + |R|) x(A \ B) + x(Q \ B)       >=  (S + e(R) - (1 + |R|) |A & B| - |Q & B|) t    (total)

where m is the least number of votes with which c can win among S, and Q is everybody who votes
neither for c nor for a rival in R. In the first a win has m votes, of which B can give |B|. In the
second it has as many votes as U can give r, and the lead. In the third the S members are those of
A, of Q, and of the rivals in R, who have no more votes than c less their leads. Each is broken the
most by those with x > t in B, those with x > 1 - t in U, and the rivals in R with whom c is level;
so all are separated at once.

Put any price on each row. By weak duality no committee of the size exceeds the sum over patterns of
the largest gain that the charges leave, plus the largest sum of charges on members.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..numbers.floats import SLACK, Floats
from ..problem.wins import Bools, Places, Wins
from .levels import room

NEED, DUEL, TOTAL = 0, 1, 2

_VIOLATED = 1e-4
"""What it takes for a row to be broken."""


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows ``members @ x + factor * t[win] >= least``.

    Parameters
    ----------
    win
        The win each is about.
    members
        Coefficients of the members, rows x A.
    factor
        Coefficients of the win.
    least
        Right-hand sides.
    kind
        `NEED`, `DUEL` or `TOTAL`: how the factor depends on the size.
    rivals
        Which classes are in R, rows x C; the one rival of a duel, nobody for needs.
    """

    win: Places
    members: Floats
    factor: Floats
    least: Floats
    kind: NDArray[np.int8]
    rivals: Bools

    def __len__(self) -> int:
        return len(self.win)

    def only(self, places: NDArray[np.generic]) -> Rows:
        """Return some of the rows."""
        return Rows(
            self.win[places], self.members[places], self.factor[places], self.least[places],
            self.kind[places], self.rivals[places],
        )  # fmt: skip

    def plus(self, *others: Rows) -> Rows:
        """Return these rows and others."""
        every = (self, *others)
        return Rows(
            np.concatenate([rows.win for rows in every]),
            np.concatenate([rows.members for rows in every]),
            np.concatenate([rows.factor for rows in every]),
            np.concatenate([rows.least for rows in every]),
            np.concatenate([rows.kind for rows in every]),
            np.concatenate([rows.rivals for rows in every]),
        )


@dataclass(frozen=True, eq=False)
class Priced:
    """Rows with a price above 0, as they are written down.

    Parameters
    ----------
    size
        The size that they were found at.
    win, kind, rivals
        As in `Rows`.
    counted
        Whose coefficients are not 0, in packed bits, rows x A / 8.
    prices
        Their prices.
    limit_prices
        A price for each limit on costs.
    """

    size: int
    win: Places
    kind: NDArray[np.int8]
    rivals: Bools
    counted: NDArray[np.uint8]
    prices: Floats
    limit_prices: Floats

    @classmethod
    def of(cls, size: int, rows: Rows, prices: Floats, limit_prices: Floats) -> Priced:
        """Keep what has a price."""
        kept, dear = rows.only(prices > 0), prices[prices > 0]
        counted = np.packbits(kept.members != 0, axis=1)
        return cls(size, kept.win, kept.kind, kept.rivals, counted, dear, limit_prices)


class Size:
    """What can be said of the committees of one size."""

    def __init__(self, wins: Wins, size: int) -> None:
        self.wins, self.size = wins, size
        self.votes = _least_votes(wins, size)
        self.possible = self.votes <= wins.mine.sum(axis=1)

    def basic(self) -> Rows:
        """Return the first row of every win that is possible at the size."""
        who = np.flatnonzero(self.possible & (self.votes > 0))
        return Rows(
            who,
            self.wins.mine[who].astype(np.float64),
            -self.votes[who].astype(np.float64),
            np.zeros(len(who)),
            np.full(len(who), NEED, dtype=np.int8),
            np.zeros((len(who), self.wins.n_classes), dtype=bool),
        )

    def violated(self, x: Floats, t: Floats) -> Rows:
        """Return the rows that a fractional solution breaks, for each win and rival the worst."""
        wins = self.wins
        some = np.flatnonzero((t > _VIOLATED) & self.possible)
        place = np.full(wins.n_wins, -1)
        place[some] = np.arange(len(some))
        duels = np.flatnonzero(place[wins.win] >= 0)
        of = place[wins.win[duels]]
        share, mine, theirs = t[some][:, None], wins.mine[some], wins.theirs[duels]
        lead, classes = wins.lead[duels], np.arange(wins.n_classes)
        rival = wins.rival[duels][:, None] == classes
        most = np.minimum(x, share)  # what of each member can be in the part that wins
        votes = (most * mine).sum(axis=1)
        kept = x <= share
        saved = (mine & ~kept).sum(axis=1)
        need = Rows(
            some, (mine & kept).astype(np.float64), (saved - self.votes[some]).astype(float),
            np.zeros(len(some)), np.full(len(some), NEED, dtype=np.int8),
            np.zeros((len(some), wins.n_classes), dtype=bool),
        ).only(self.votes[some] * t[some] - votes > _VIOLATED)  # fmt: skip
        full = theirs & (x > 1 - share)[of]
        sure = np.where(full, x - 1 + share[of], 0.0).sum(axis=1)
        broken = sure + lead * t[some][of] - votes[of] > _VIOLATED
        count = full.sum(axis=1)
        duel = Rows(
            some[of], (mine & kept)[of] - full.astype(np.float64),
            (saved[of] - lead - count).astype(float), -count.astype(float),
            np.full(len(of), DUEL, dtype=np.int8), rival,
        ).only(broken)  # fmt: skip
        level = (most[of] * theirs).sum(axis=1) > votes[of] - lead * t[some][of]
        total = self._totals(x, t, some, of[level], theirs[level], lead[level], rival[level])
        return need.plus(duel, total)

    def _totals(
        self,
        x: Floats,
        t: Floats,
        some: Places,
        of: Places,
        theirs: Bools,
        lead: Places,
        rival: Bools,
    ) -> Rows:
        """Return the broken rows about all votes at once, given the rivals that are level."""
        mine, share = self.wins.mine[some], t[some][:, None]
        rivals = np.bincount(of, minlength=len(some))
        leads = np.bincount(of, weights=lead, minlength=len(some))
        gather = sparse.csr_array(
            (np.ones(len(of)), (of, np.arange(len(of)))), shape=(len(some), len(of))
        )
        level = np.asarray(gather @ theirs.astype(np.float64)) > 0
        whom = np.asarray(gather @ rival.astype(np.float64)) > 0
        weight = np.where(mine, 1.0 + rivals[:, None], ~level)
        kept = x <= share
        owed = self.size + leads
        factor = (weight * ~kept).sum(axis=1) - owed
        reached = (weight * np.minimum(x, share)).sum(axis=1)
        broken = (owed * t[some] - reached > _VIOLATED * (1 + rivals)) & (factor < 0)
        kind = np.full(len(some), TOTAL, dtype=np.int8)
        return Rows(some, weight * kept, factor, np.zeros(len(some)), kind, whom).only(broken)

    def lost(self, decided: NDArray[np.int8]) -> Bools:
        """Tell which wins no committee of a node has."""
        wins, free = self.wins, decided < 0
        sit = decided == 1
        seats = self.size - int(sit.sum())
        pro = wins.mine[:, free].sum(axis=1, dtype=np.int64)[wins.win]
        contra = wins.theirs[:, free].sum(axis=1, dtype=np.int64)
        ahead = wins.mine[:, sit].sum(axis=1, dtype=np.int64)[wins.win]
        ahead -= wins.theirs[:, sit].sum(axis=1, dtype=np.int64)
        # The voters of the class come first, the rival's last.
        ahead += np.minimum(pro, seats) - np.maximum(0, seats - (int(free.sum()) - contra))
        lost = np.bincount(wins.win[ahead < wins.lead], minlength=wins.n_wins) > 0
        return np.asarray(lost | ~self.possible)

    def carried(self, rows: Rows, prices: Floats, there: Size) -> tuple[Rows, Floats]:
        """Return rows and prices of this size as they are at another.

        Prices are rescaled so that the charges on wins stay the same; rows that are void there get
        no price.
        """
        shift = np.where(rows.kind == TOTAL, self.size - there.size, 0)
        fewer = (self.votes - there.votes)[rows.win]
        factor = rows.factor + np.where(rows.kind == NEED, fewer, shift)
        says = there.possible[rows.win] & (factor < 0) & (rows.factor < 0)
        moved = np.where(says, prices * rows.factor / np.where(says, factor, 1.0), 0.0)
        return replace(rows, factor=factor), moved

    def judge(
        self, rows: Rows, prices: Floats, limit_prices: Floats, decided: NDArray[np.int8]
    ) -> tuple[float, Floats]:
        """Return what no committee of a node exceeds, and what each member is charged.

        Parameters
        ----------
        rows, prices
            The rows and a price for each, none negative.
        limit_prices
            A price for each limit on costs.
        decided
            By column: 1 sits, 0 does not, -1 may or may not.
        """
        wins = self.wins
        left = wins.weights + np.bincount(
            rows.win, weights=prices * rows.factor, minlength=wins.n_wins
        )
        left = np.where(self.lost(decided), 0.0, np.maximum(left, 0.0))
        first = np.flatnonzero(np.diff(wins.pattern, prepend=-1))
        rest = float(np.maximum.reduceat(left, first).sum()) if len(first) else 0.0
        charges = prices @ rows.members
        rest -= float(prices @ rows.least)
        for price, (shares, most) in zip(limit_prices, wins.costs, strict=True):
            charges = charges - price * shares
            rest += float(price) * (most + SLACK)
        free = np.sort(charges[decided < 0])[::-1]
        seats = self.size - int((decided == 1).sum())
        bound = rest + float(charges[decided == 1].sum() + free[:seats].sum())
        return bound + float(room(wins.weights, bound)), charges


def _least_votes(wins: Wins, size: int) -> NDArray[np.int64]:
    """Return with how many votes each class can win at a size, at the least; too many if it cannot.

    With n votes for the class, a rival has at most n less its lead, and never more than voters.
    """
    n, pool = wins.n_wins, wins.n_classifiers
    theirs = wins.theirs.sum(axis=1, dtype=np.int64)
    mine = wins.mine.sum(axis=1, dtype=np.int64)
    others = pool - mine - np.bincount(wins.win, weights=theirs, minlength=n).astype(np.int64)
    leads = np.zeros(n, dtype=np.int64)
    np.maximum.at(leads, wins.win, wins.lead)
    found = np.full(n, pool + 1)
    for votes in range(size, -1, -1):
        rivals = np.minimum(theirs, votes - wins.lead)
        seats = votes + others + np.bincount(wins.win, weights=rivals, minlength=n)
        found[(seats >= size) & (votes >= leads)] = votes
    return found
