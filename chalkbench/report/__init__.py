"""The report: results folders become tables in the shape of each benchmark's paper, pictures and a browser of items.

`reading.py` reads the folders, `shapes.py` knows the papers' tables, `tables.py` puts both together; a module a format
shows them (`terminal.py`, `markdown.py`, `latex.py`, `page.py` for HTML, and plain values for JSON). What belongs
here: showing results. What does not: making them (`run.py`) and comparing them (`chalkbench.stats`).
"""
