"""Atomic files, arrays, archives, shards and the one error type. Imports no other room."""
