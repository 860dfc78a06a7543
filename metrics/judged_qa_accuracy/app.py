"""The module as a page: a reply and what the judge said of it in, the verdict that was read out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, answer: str, verdict: str) -> dict:
    """One item."""
    return metric.compute(
        predictions=[reply],
        references=[{"question": "", "answer": answer}],
        verdicts=[verdict],
        return_items=True,
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Reply", value="Odd numbers add up to squares."),
        gr.Textbox(label="Reference answer", value="Odd numbers accumulate to perfect squares."),
        gr.Textbox(label="The judge's reply", value="{'pred': 'yes', 'score': 4}"),
    ],
    outputs=gr.JSON(label="Result"),
    title="Judged QA accuracy",
    description="What does a judge's reply say?",
)

if __name__ == "__main__":
    page.launch()
