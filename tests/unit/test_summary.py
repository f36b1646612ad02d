"""What a run prints at its end."""

from mvg.summary import where_to_look


def test_the_answer_comes_first_then_what_is_there(tmp_path):
    (tmp_path / "answer.txt").write_text("mine: use it.\nother: leave it.\n")
    (tmp_path / "index.html").touch()
    answer, page = where_to_look(tmp_path)
    assert answer == "mine: use it."
    assert page.split("  ")[0] == f"{tmp_path}/index.html"


def test_a_run_without_an_answer_says_what_is_there(tmp_path):
    (tmp_path / "answer.txt").touch()
    (tmp_path / "figures").mkdir()
    (line,) = where_to_look(tmp_path)
    assert line.startswith(f"{tmp_path}/figures/")
