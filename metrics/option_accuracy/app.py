"""The module as a page: a reply and its options in, the option that was read out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, options: str, right: str) -> dict:
    """One item. options: one a line. right: the letter of the right one, or empty."""
    lines = [line.strip() for line in options.splitlines() if line.strip()]
    index = ord(right.strip().upper()) - ord("A") if right.strip() else -1
    return metric.compute(
        predictions=[reply], references=[{"options": lines, "answer_index": index}], return_items=True
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Reply", lines=3, value="The answer is (B)."),
        gr.Textbox(label="Options, one a line", lines=4, value="The mitochondria\nThe ribosome\nThe nucleus"),
        gr.Textbox(label="Right option (letter, or empty)", value="B"),
    ],
    outputs=gr.JSON(label="Result"),
    title="Option accuracy",
    description="Which option does a reply declare?",
)

if __name__ == "__main__":
    page.launch()
