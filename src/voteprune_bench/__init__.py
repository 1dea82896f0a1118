"""The paper's experiments and their report, beside the library `voteprune`.

`experiment` trains pools, prunes them by every method and keeps the records; `report` makes tables,
pictures and a page of them; `cli` adds the commands. The library never looks at this package.
"""
