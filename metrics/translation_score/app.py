"""The module as a page: a translation, its reference and what the judge said in, the scores out."""

from pathlib import Path

import evaluate
import gradio as gr

metric = evaluate.load(str(Path(__file__).parent.resolve()))


def read(reply: str, answer: str, language: str, verdict: str, variant: str) -> dict:
    """One item."""
    return metric.compute(
        predictions=[reply],
        references=[{"source": "", "answer": answer, "language": language, "key_terms": [], "question": ""}],
        verdicts=[verdict],
        variant=variant,
        return_items=True,
    )


page = gr.Interface(
    fn=read,
    inputs=[
        gr.Textbox(label="Translation", value="弹簧的力与伸长成正比。"),
        gr.Textbox(label="Reference", value="弹簧的力与其伸长量成正比。"),
        gr.Dropdown(["ar", "de", "es", "fr", "ja", "ko", "ru", "zh"], value="zh", label="Language"),
        gr.Textbox(label="The judge's reply", value='{"score": 8}'),
        gr.Radio(["by_language", "paper"], value="by_language", label="Variant"),
    ],
    outputs=gr.JSON(label="Result"),
    title="Translation score",
    description="How near is a translation to its reference?",
)

if __name__ == "__main__":
    page.launch()
