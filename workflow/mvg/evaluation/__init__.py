"""Metrics, significance, breakdowns, and choices on dev after encoding.

``mvg.evaluation.metrics`` needs only numpy, because encoders score dev with it.
"""
