"""Metrics, significance, breakdowns, and what is chosen on dev after encoding.

``mvg.evaluation.metrics`` needs numpy alone: encoders score dev with it.
"""
