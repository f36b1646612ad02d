"""A wrong config ends the workflow with one line, and nothing is made. tests/unit/test_config.py has the cases."""

import pytest


def error_lines(done):
    return [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("error:")]


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("seed=-1", ["config: seed", "minimum"]),
        ("ks={}", ["config: ks", "empty"]),
        ("encoders=[mine]|encoder_settings={mine: {kind: vectors, path: nosuch}}", ["mine.path", "nosuch/eurlex"]),
    ],
)
def test_a_wrong_config_is_one_line(fresh, config, words):
    done = fresh.run("--config", *config.split("|"), check=False)
    assert done.returncode != 0
    lines = error_lines(done)
    assert len(lines) == 1, done.stdout + done.stderr
    assert all(word in lines[0] for word in words), lines[0]
    assert "Traceback" not in done.stdout + done.stderr
    assert not (fresh / "results").exists()


def test_an_unknown_faiss_string_is_one_line(fresh):
    done = fresh.tiny("results/tiny/eurlex/runs/dssm.npz", "--config", "index=nonsense", check=False)
    assert done.returncode != 0
    assert [line for line in error_lines(done) if "nonsense" in line] == error_lines(done)[:1] == error_lines(done)


def test_another_runs_results_are_not_made_with_this_ones_settings(fresh):
    done = fresh.tiny("results/other/tables/benchmark.csv", "-n", check=False)
    assert done.returncode != 0 and "MissingRuleException" in done.stdout + done.stderr


def test_lint_is_clean(fresh):
    done = fresh.run("--lint")
    assert "Congratulations" in done.stdout + done.stderr
