"""The module as a page: a reply and what the judge said of it in, the four grades that were read out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, answer: str, verdict: str) -> dict:
    """One item."""
    return metric.compute(
        predictions=[reply],
        references=[{"question": "", "answer": answer, "caption": ""}],
        verdicts=[verdict],
        return_items=True,
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Reply", value="Because the goal counts."),
        gr.Textbox(label="Reference answer", value="The goal is given."),
        gr.Textbox(
            label="The judge's reply", value='{"correctness": 5, "completeness": 4, "faithfulness": 5, "clarity": 4}'
        ),
    ],
    outputs=gr.JSON(label="Result"),
    title="Rubric score",
    description="Which grades does a judge's reply give?",
)

if __name__ == "__main__":
    page.launch()
