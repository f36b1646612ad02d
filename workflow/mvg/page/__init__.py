"""The page of a run: one file that says what came out, for those who decide and for those who look closer.

``answer`` weighs the rows, ``charts`` says what is drawn, ``tables`` what is tabulated, ``explorer``
what can be looked up query by query, ``writing`` puts all of it into one file. The templates and the
libraries that the file carries lie beside the modules.
"""
