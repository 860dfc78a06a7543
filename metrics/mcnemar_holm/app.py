"""The module as a page: the outcomes of two conditions in, McNemar's test out."""

from pathlib import Path

import evaluate
import gradio as gr

comparison = evaluate.load(str(Path(__file__).parent.resolve()), module_type="comparison")
VALUES = {"1": 1, "0": 0, "-": None}


def read(first: str, second: str, test: str) -> dict:
    """Two lines of outcomes: 1, 0, or - for none."""
    outcomes = [[VALUES[sign] for sign in line if sign in VALUES] for line in (first, second)]
    return comparison.compute(predictions=outcomes, test=test)


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="First condition", value="1111 1111 1111 0000 0000"),
        gr.Textbox(label="Second condition", value="0000 0000 0111 1000 000-"),
        gr.Dropdown(label="Test", choices=["exact", "chi2", "chi2_corrected"], value="exact"),
    ],
    outputs=gr.JSON(label="Result"),
    title="McNemar's test, adjusted by Holm",
    description="Do two conditions differ on the same items?",
)

if __name__ == "__main__":
    page.launch()
