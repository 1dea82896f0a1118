"""All committees of a few members, at every threshold, by matrix products.

Let a committee be some fixed members, d and e, and n the votes of the fixed ones on a pattern. At
threshold L it takes the patterns with n > L, those with n = L on which d or e votes, and those with
n = L - 1 on which both do. With the gains g of the patterns and

    c_j(d) = sum of g v_d over n = j,        D_j(d, e) = sum of g v_d v_e over n = j

its value is

    sum of g over n > L  +  c_L(d) + c_L(e) - D_L(d, e)  +  D_(L-1)(d, e).

For one d, many sets of fixed members and all e, every D_j is one product over the patterns that d
votes for. Members are in order, fixed ones first, so that every committee is met once.

Sums of whole numbers are exact in single precision below 2^24 and in double precision below 2^53;
gains that are larger are divided and rounded up, so that no sum is too low. What the sums say is
never more than that a committee may be better than the best one: whatever may is judged exactly,
the highest first. Limits on criteria are sums of the same kind, and exclude committees in the same
way; limits on costs and diversity exclude those that are clearly over, before anybody recounts.
"""

from .estimate import affordable, seconds_for, sizes_of
from .small import solve_small
from .trial import try_all

__all__ = ["affordable", "seconds_for", "sizes_of", "solve_small", "try_all"]
