"""The Pitman-Yor process, the paper's model of how queries cluster into intents (section 4)."""

import numpy as np


class Restaurant:
    """One document: its queries are the customers, its intents the tables.

    ``concentration`` (the paper's alpha) > 0 and ``discount`` (its beta) in (0, 1): low values seat
    the customers at few tables. Raises ValueError for other values.
    """

    def __init__(self, concentration: float, discount: float):
        if not (concentration > 0 and 0 < discount < 1):
            raise ValueError(f"need alpha > 0 and 0 < beta < 1: {concentration}, {discount}")
        self.concentration, self.discount = concentration, discount
        self.seats: list[int] = []  # the table of each customer, in order of arrival
        self.sizes: list[int] = []  # the customers of each table

    def arrive(self, rng: np.random.Generator) -> int:
        """Seat the next customer by the paper's equation (PYP); return the number of the table."""
        customers, tables = len(self.seats), len(self.sizes)
        new = self.concentration + self.discount * tables
        if rng.random() * (customers + self.concentration) < new:
            table = tables
            self.sizes.append(0)
        else:
            table = self._occupied_table(rng)
        self.sizes[table] += 1
        self.seats.append(table)
        return table

    def _occupied_table(self, rng: np.random.Generator) -> int:
        """A table drawn in proportion to size - discount, in constant time.

        The table of a random customer is drawn in proportion to its size s. Rejecting it with
        probability discount / s leaves s - discount.
        """
        while True:
            table = self.seats[int(rng.random() * len(self.seats))]
            if rng.random() * self.sizes[table] >= self.discount:
                return table
