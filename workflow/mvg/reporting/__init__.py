"""One look for all tables and figures: style, layouts, labels, escapes. It computes no numbers."""
