"""Adam without the classes of ``torch.optim``. They import torch's compiler, which takes seconds."""

import torch
from torch.optim.adam import adam


class Adam:
    """Adam (Kingma & Ba 2015), the same bytes as ``torch.optim.Adam(parameters, fused=True)``."""

    def __init__(self, parameters):
        self.parameters = list(parameters)
        self.means = [torch.zeros_like(p) for p in self.parameters]
        self.squares = [torch.zeros_like(p) for p in self.parameters]
        self.steps = [torch.zeros((), dtype=torch.float32) for _ in self.parameters]

    def zero_grad(self) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self, learning_rate: float) -> None:
        """One step along the gradients. Every parameter must have one."""
        adam(
            self.parameters,
            [parameter.grad for parameter in self.parameters],
            self.means,
            self.squares,
            [],
            self.steps,
            fused=True,
            amsgrad=False,
            beta1=0.9,
            beta2=0.999,
            lr=learning_rate,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )
