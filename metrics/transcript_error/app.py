"""The module as a page: a transcript and what was said in, the error rates out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, answer: str, language: str, variant: str) -> dict:
    """One item."""
    return metric.compute(
        predictions=[reply],
        references=[{"answer": answer, "language": language}],
        variant=variant,
        return_items=True,
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Transcript", value="the Eigen-values, are real"),
        gr.Textbox(label="What was said", value="The eigen values are real."),
        gr.Textbox(label="Language (ISO 639-1)", value="en"),
        gr.Radio(["normalized", "raw"], value="normalized", label="Variant"),
    ],
    outputs=gr.JSON(label="Result"),
    title="Transcript error",
    description="How many words and characters were misheard?",
)

if __name__ == "__main__":
    page.launch()
