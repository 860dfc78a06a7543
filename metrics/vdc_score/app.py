"""The module as a page: a caption, a question and what the judge said of it in, the verdict that was read out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(caption: str, question: str, answer: str, verdict: str) -> dict:
    """One caption with one question."""
    return metric.compute(
        predictions=[caption],
        references=[{"questions": [{"question": question, "answer": answer}]}],
        verdicts=[[verdict]],
        return_items=True,
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Caption", value="A man stands at a green board."),
        gr.Textbox(label="Question", value="What colour is the board?"),
        gr.Textbox(label="Correct answer", value="Green"),
        gr.Textbox(label="The judge's reply", value="{'pred': 'yes', 'score': 5}"),
    ],
    outputs=gr.JSON(label="Result"),
    title="VDCscore",
    description="What does a judge's reply about a caption say?",
)

if __name__ == "__main__":
    page.launch()
