"""The paper's numbers, ours beside them, and a verdict on each."""
