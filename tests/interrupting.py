"""Ctrl-C between any two bytecodes of some modules, and again while the first is dealt with."""

import sys
from math import inf


class Keyboard:
    """Presses Ctrl-C at moments that are counted in bytecodes of some modules.

    Parameters
    ----------
    moments
        How many bytecodes come before the first Ctrl-C, how many before the next, and so on.
    modules
        Where they are counted.
    """

    def __init__(self, moments, *modules):
        self._files = {module.__file__ for module in modules}
        self._moments = iter(moments)
        self._left = next(self._moments, inf)
        self.pressed = self.counted = 0

    def during(self, work):
        """Do some work, which Ctrl-C may end; return how often it was pressed."""
        before = sys.gettrace()
        self.listen()
        try:
            work()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        return self.pressed

    def listen(self):
        """Count from here on: Python forgets a trace function that has raised."""
        frame = sys._getframe().f_back
        while frame is not None:
            if frame.f_code.co_filename in self._files:
                frame.f_trace, frame.f_trace_opcodes = self._trace, True
            frame = frame.f_back
        sys.settrace(self._trace)

    def listening(self, function):
        """Return a function that listens before it does its work."""

        def listens(*args, **options):
            if self.pressed:
                self.listen()
            return function(*args, **options)

        return listens

    def _trace(self, frame, event, _):
        if frame.f_code.co_filename not in self._files:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.counted += 1
            self._left -= 1
            if self._left < 0:
                self.pressed += 1
                self._left = next(self._moments, inf)
                raise KeyboardInterrupt
        return self._trace
