"""InstructionBench: how-to videos of four datasets, the order of their steps and the objects in them."""
