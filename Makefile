# make demo and make test do all the set-up themselves. Nothing else to remember.
VENV := .venv
BIN := $(VENV)/bin
FFMPEG := ffmpeg
DEMO := runs/demo
SAMPLES := lemon video_mmlu instructionbench vira_bench mmou
# of each benchmark its own score, and what is left of it without the evidence
TASKS := lemon,video_mmlu,instructionbench,instructionbench_blind,vira_bench,vira_bench_stem_options,mmou,mmou_text_only
# the first interpreter of a supported version
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && echo $$p && break; done)
export HF_HUB_OFFLINE := 1
export TOKENIZERS_PARALLELISM := false
# the models are small: threads that fight over the cores make everything slower
export OMP_NUM_THREADS ?= 1

.PHONY: demo test lint format setup system clean

demo: setup
	for name in $(SAMPLES); do \
		$(BIN)/chalkbench build $$name --from benchmarks/$$name/sample --to $(DEMO)/data/$$name || exit 1; done
	$(BIN)/chalkbench eval text_cascade $(TASKS) --data $(DEMO)/data --size own --judge stand_in \
		--output $(DEMO)/text_cascade
	$(BIN)/chalkbench eval random mmou,vira_bench,instructionbench --data $(DEMO)/data --output $(DEMO)/random

test: setup lint
	$(BIN)/python -m pytest

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

setup: system $(VENV)/ready

$(VENV)/ready: setup.cfg pyproject.toml
	@test -n "$(PYTHON)" || { echo "chalkbench needs Python 3.11, 3.12 or 3.13: none found. Set PYTHON=/path/to/python."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	touch $@

# FFmpeg's shared libraries are the one thing that pip cannot bring
system:
	@command -v $(FFMPEG) >/dev/null && exit 0; \
	install="apt-get update && apt-get install -y --no-install-recommends ffmpeg"; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then sh -c "$$install"; \
	elif [ -n "$$CI" ] && command -v sudo >/dev/null; then sudo sh -c "$$install"; \
	else echo "FFmpeg is missing. Run this once, then try again:"; \
		if [ "$$(uname)" = Darwin ]; then echo "    brew install ffmpeg"; else echo "    sudo sh -c '$$install'"; fi; exit 1; fi

clean:
	rm -rf $(VENV) runs build *.egg-info
