"""The grammar of methods."""

import pytest

from mvg.names import Method


@pytest.mark.parametrize(
    ("name", "parts", "encoder"),
    [
        ("wordllama", (), "wordllama"),
        ("mvg+prior+dssm-tuned", ("mvg", "prior"), "dssm-tuned"),
        ("shared+mvg+prior+moved+adapter+x.1", ("shared", "mvg", "prior", "moved", "adapter"), "x.1"),
        ("knn+tuned+x", ("knn", "tuned"), "x"),
        ("shared+tuned", ("shared", "tuned"), ""),
        ("auto+x", ("auto",), "x"),
        ("auto", ("auto",), ""),
        ("pefa-xl+x", ("pefa-xl",), "x"),
    ],
)
def test_a_name_says_what_was_added(name, parts, encoder):
    method = Method.parse(name)
    assert (method.parts, method.encoder, method.added) == (parts, encoder, "+".join(parts))
    assert encoder == "" or method.over(encoder) == name


@pytest.mark.parametrize(
    "name",
    ["", "prior+mvg+x", "shared+knn+x", "moved+tuned+x", "auto+mvg+x", "mvg+auto+x", "new+x", "mvg++x", "+x", "X"],
)
def test_other_names_are_refused(name):
    with pytest.raises(ValueError, match="expected"):
        Method.parse(name)
