"""Other people's tools: committees of AutoGluon's models, and an ensembler for TabArena.

The tools are imported only when they are asked for; neither is needed for anything else.
"""
