"""The paper's numbers, ours beside them, and what became of each."""
