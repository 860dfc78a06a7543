"""`chalkbench compare`: results side by side, question by question.

`sides.py` brings together what can be compared, `comparing.py` compares it, `text.py` writes it down.
"""
