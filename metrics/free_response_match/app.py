"""The module as a page: a free reply and the options in, the option that it says out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, options: str, right: float, variant: str) -> dict:
    """One item; options: one a line."""
    texts = [line.strip() for line in options.splitlines() if line.strip()]
    reference = {"answer": "", "options": texts, "answer_index": int(right) - 1}
    return metric.compute(predictions=[reply], references=[reference], variant=variant, return_items=True)


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Reply", value="She repeats her question slowly."),
        gr.Textbox(
            label="Options, one a line",
            value="The teacher points at the word.\nThe teacher repeats the question.\nThe teacher moves on.",
            lines=4,
        ),
        gr.Number(label="Which line is right", value=2, precision=0),
        gr.Dropdown(label="Variant", choices=["closest", "exact"], value="closest"),
    ],
    outputs=gr.JSON(label="Result"),
    title="Free-response match",
    description="Which option does a free answer say?",
)

if __name__ == "__main__":
    page.launch()
