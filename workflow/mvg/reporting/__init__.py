"""One look for all tables and figures: style, layouts, labels, escapes. No numbers of its own."""
