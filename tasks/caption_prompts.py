"""Video-MMLU's prompts for captions, and the choice of one for each video.

What belongs here: the list as the paper prints it, and the draw. What does not: what else the notebook track needs
(`video_mmlu.py`).
"""

import hashlib

# Video-MMLU (arXiv 2504.14693), section 11: "prompt with the designed instruction in different length randomly". All
# 23 that it prints, in its order. How it draws is not said; the released code (lmms-eval/.../videommlu/utils.py) draws
# without a seed, from a list of 24 that differs in two places.
CAPTION_PROMPTS = (
    (
        "The images are given containing equally spaced video frames. Please imagine the video based on the "
        "sequence of frames, and provide a faithfully detailed description of this video in more than three "
        "sentences."
    ),
    (
        "You are given a sequence of equally spaced video frames. Based on these frames, imagine the full video "
        "and provide a detailed description of what is happening in more than three sentences."
    ),
    (
        "The following set contains equally spaced video frames. Imagine the video from which these frames were "
        "taken and describe it in detail in at least three sentences."
    ),
    (
        "Below are equally spaced frames from a video. Use these frames to visualize the entire video and provide "
        "a detailed description in more than three sentences."
    ),
    (
        "A sequence of equally spaced video frames is presented. Please imagine the full video and write a "
        "faithfully detailed description of the events in more than three sentences."
    ),
    (
        "The images provided include equally spaced frames from a video. Based on these frames, imagine the video "
        "and describe it comprehensively in at least three sentences."
    ),
    (
        "You are given equally spaced frames from a video. Use these frames to envision the entire video and "
        "provide a detailed description of the events in more than three sentences."
    ),
    (
        "The sequence includes equally spaced frames from a video. Imagine the full video based on these frames "
        "and provide a detailed description in more than three sentences."
    ),
    (
        "The provided images contain equally spaced frames from a video. Visualize the video from these frames and "
        "describe it in detail in more than three sentences."
    ),
    (
        "Here are equally spaced frames from a video. Based on these frames, imagine the video and provide a "
        "detailed, faithful description of it in more than three sentences."
    ),
    (
        "The set of images includes equally spaced video frames. Please imagine the video these frames come from "
        "and describe it comprehensively in at least three sentences."
    ),
    "Describe the video based on these frames in a few sentences.",
    "Explain the video using these frames.",
    "Imagine the video from these frames and describe it in detail in a few sentences.",
    "Based on these frames, provide a narrative of the video in more than three sentences.",
    "Describe the events in the video shown by these frames in at least three sentences.",
    "Visualize the video from these frames and explain what is happening in more than three sentences.",
    "Describe the sequence of events in the video depicted by these frames in a detailed manner.",
    (
        "Given these equally spaced frames, imagine the entire video and provide a detailed description of the "
        "events, including the setting, characters, and actions, in more than three sentences."
    ),
    (
        "Visualize the video based on these frames and write a comprehensive description of what happens, "
        "describing the beginning, middle, and end in at least three sentences."
    ),
    (
        "Using these frames as a reference, imagine the full video and provide a thorough description of the plot, "
        "including key details and actions, in more than three sentences."
    ),
    (
        "Based on the sequence of these frames, describe the entire video in detail, mentioning important aspects "
        "such as the context, movements, and transitions in more than three sentences."
    ),
    (
        "Imagine the video that corresponds to these frames and provide an elaborate description, covering the "
        "storyline, visual elements, and any notable features in at least three sentences."
    ),
)


def caption_prompt(item_id: str, *, seed: int = 0) -> str:
    """The prompt of an item: one of `CAPTION_PROMPTS`, each as likely.

    The same item and seed give the same prompt in every process and on every machine; another item's prompt is drawn
    apart, so that leaving items out changes none.
    """
    digest = hashlib.sha256(f"{seed}\x00{item_id}".encode()).digest()
    return CAPTION_PROMPTS[int.from_bytes(digest, "big") % len(CAPTION_PROMPTS)]
