"""chalkbench: five instructional-video benchmarks as Hugging Face datasets, evaluate metrics and lighteval tasks."""

__version__ = "0.1.0"
