"""Atomic files, arrays, archives and their members, text, shards and the one error type. Imports no other room."""
