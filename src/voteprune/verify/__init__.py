"""The checker of certificates: it re-counts and re-adds, and believes nobody.

It shares no code with what writes certificates, and needs nothing but the standard library and its
own exact arithmetic. The way of a check: `document` reads a certificate (field by field, `fields`),
`table` the votes; `pool` merges and counts them; `limits` judges the committee; `flow`, `replay`
and `clauses` go through the proof, `charges` turns prices into bounds; `trying` goes through all
committees where there are few; `check` puts it together and says what holds, what fails and what
must be believed. For soft committees `soft_document` and `soft_table` read, `logarithms` has logs
with a proven error, `soft_pool` makes dual points, `soft_limits` judges who sits, `soft_tree` goes
through the tree, and `soft` concludes. For several classes it is `plurality_document`,
`plurality_table`, `plurality_pool` (what rows say), `plurality_prices` (prices become bounds),
`plurality_trying`, `plurality_tree` and `plurality`.
"""

from .check import verify
from .verification import Verification

__all__ = ["Verification", "verify"]
