"""Pictures in scikit-learn's manner: facts first, then axes to draw them on.

Every display is made by a ``from_...`` class method, holds the facts it shows as attributes, and
draws with ``plot(ax=None)``, after which ``ax_``, ``figure_`` and the artists are at hand.
matplotlib belongs to the extra ``plot`` and is imported only when something is drawn.
"""

from .convergence import ConvergenceDisplay
from .diversity import DiversityDisplay
from .front import FrontDisplay

__all__ = ["ConvergenceDisplay", "DiversityDisplay", "FrontDisplay"]
