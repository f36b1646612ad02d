"""The package as people take it home: vectors and a log in, an index to search, explain, update and save out."""
