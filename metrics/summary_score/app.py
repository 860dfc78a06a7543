"""The module as a page: a summary, its key terms and what the judge said in, the score and its parts out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, terms: str, verdict: str) -> dict:
    """One item."""
    return metric.compute(
        predictions=[reply],
        references=[{"key_terms": terms.splitlines(), "answer": "", "question": ""}],
        verdicts=[verdict],
        return_items=True,
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Summary", value="Eigenvalues and backpropagation."),
        gr.Textbox(label="Key terms, one a line", value="eigenvalue\nback-propagation", lines=4),
        gr.Textbox(label="The judge's reply", value='{"score": 8}'),
    ],
    outputs=gr.JSON(label="Result"),
    title="Summary score",
    description="Which key terms does a summary mention, and what is it worth?",
)

if __name__ == "__main__":
    page.launch()
