"""Scripts that ``mvg export`` copies beside its data. They run where an engine runs, without this package."""
