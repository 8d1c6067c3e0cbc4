"""The sampler that runs inside vLLM: right distribution, exact top-k and top-p, noise by position alone."""

from __future__ import annotations

from collections import Counter
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from plugin_modules import Move, update

torch = pytest.importorskip("torch")


def _by_full_sort(row: np.ndarray, top_k: int, top_p: float) -> set[int]:
    """The plain definition: sort all, keep k, keep the fewest whose probabilities reach p."""
    order = np.argsort(-row, kind="stable")[: top_k or len(row)]
    chances = np.exp(row[order] - row[order].max())
    reached = np.cumsum(chances / chances.sum())
    return set(order[: int((reached < top_p).sum()) + 1].tolist())


@pytest.mark.parametrize("top_k", [0, 1, 40, 900])
@pytest.mark.parametrize("top_p", [0.1, 0.95, 0.9999, 1.0])
@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_top_k_and_top_p_are_those_of_a_full_sort(
    writer_sampler: ModuleType, top_k: int, top_p: float, spread: float
) -> None:
    row = np.random.default_rng(3).permutation(np.arange(5000) / 5000.0 * spread * 4)  # all different
    ids, logits = writer_sampler.candidates(torch.from_numpy(row), top_k, top_p)
    assert set(ids.tolist()) == _by_full_sort(row, top_k, top_p)
    assert np.array_equal(logits, row[ids])


def test_tokens_that_are_ruled_out_are_never_candidates(writer_sampler: ModuleType) -> None:
    row = torch.full((300,), -float("inf"))
    row[7], row[9] = 1.0, 0.5
    for top_k, top_p in ((0, 1.0), (5, 1.0), (0, 0.9999), (5, 0.9999)):
        assert set(writer_sampler.candidates(row, top_k, top_p)[0].tolist()) == {7, 9}


@pytest.mark.parametrize("vary", ["seed", "position"])
def test_choices_follow_the_probabilities(writer_sampler: ModuleType, vary: str) -> None:
    logits = np.array([2.0, 1.5, 1.0, 0.0, -1.0])
    ids, draws = np.arange(5), 20_000
    seen = Counter(
        int(np.argmax(logits + writer_sampler.gumbel(*((n, 977) if vary == "seed" else (42, n)), ids)))
        for n in range(draws)
    )
    expected = draws * np.exp(logits) / np.exp(logits).sum()
    chi_squared = sum((seen[i] - expected[i]) ** 2 / expected[i] for i in range(5))
    assert chi_squared < 18.5  # 4 degrees of freedom: exceeded by chance once in a thousand


def test_the_noise_is_a_pure_function_with_the_right_mean(writer_sampler: ModuleType) -> None:
    ids = np.arange(100_000)
    noise = writer_sampler.gumbel(2**63 - 1, 8191, ids)
    assert np.array_equal(noise, writer_sampler.gumbel(2**63 - 1, 8191, ids))
    assert np.array_equal(noise[500:600], writer_sampler.gumbel(2**63 - 1, 8191, ids[500:600]))
    assert abs(noise.mean() - 0.5772) < 0.02  # Euler's constant
    assert abs(noise.var() - np.pi**2 / 6) < 0.05
    assert np.isfinite(writer_sampler.gumbel(0, 0, ids)).all()
    assert abs(np.corrcoef(noise[:-1], noise[1:])[0, 1]) < 0.02
    assert abs(np.corrcoef(noise, writer_sampler.gumbel(2**63 - 1, 8192, ids))[0, 1]) < 0.02


def _params(seed: int | None = 1, temperature: float = 0.8) -> SimpleNamespace:
    return SimpleNamespace(seed=seed, temperature=temperature, top_k=0, top_p=0.95, extra_args=None)


def _chosen(logits: torch.Tensor) -> int:
    assert torch.isfinite(logits).sum() == 1
    return int(logits.argmax())


def test_a_cut_moves_tokens_from_output_to_prompt_and_changes_nothing(writer_sampler: ModuleType) -> None:
    row = torch.randn(4000, generator=torch.Generator().manual_seed(5)).expand(2, -1)
    processor = writer_sampler.PositionSeededSampler(None, None, False)
    processor.update_state(update(added=[(0, _params(), [1] * 20, [2] * 15), (1, _params(), [1] * 33, [2, 2])]))
    out = processor.apply(row.clone())
    assert _chosen(out[0]) == _chosen(out[1])
    processor.update_state(update(added=[(1, _params(), [1] * 33, [2, 2, 2])]))
    out = processor.apply(row.clone())
    assert _chosen(out[0]) != _chosen(out[1])


def test_the_output_list_is_followed_as_it_grows(writer_sampler: ModuleType) -> None:
    row = torch.randn(1, 4000, generator=torch.Generator().manual_seed(6))
    output: list[int] = []
    processor = writer_sampler.PositionSeededSampler(None, None, False)
    processor.update_state(update(added=[(0, _params(), [1] * 20, output)]))
    picks = []
    for _ in range(8):
        picks.append(_chosen(processor.apply(row.clone())[0]))
        output.append(picks[-1])
        processor.update_state(None)
    assert len(set(picks)) > 4


@pytest.mark.parametrize("params", [_params(seed=None), _params(temperature=0.0)])
def test_rows_that_are_not_ours_stay_as_they_are(writer_sampler: ModuleType, params: SimpleNamespace) -> None:
    row = torch.randn(2, 100)
    processor = writer_sampler.PositionSeededSampler(None, None, False)
    processor.update_state(update(added=[(0, params, [1], []), (1, _params(), [1], [])]))
    out = processor.apply(row.clone())
    assert torch.equal(out[0], row[0])
    _chosen(out[1])


@pytest.mark.parametrize("direction", list(Move))
def test_requests_are_followed_through_the_batch(writer_sampler: ModuleType, direction: Move) -> None:
    row = torch.randn(4000, generator=torch.Generator().manual_seed(8)).expand(3, -1)
    processor = writer_sampler.PositionSeededSampler(None, None, False)
    processor.update_state(update(added=[(n, _params(seed=n), [1] * 20, []) for n in range(3)]))
    before = [_chosen(line) for line in processor.apply(row.clone())]
    assert len(set(before)) == 3
    processor.update_state(update(removed=[1], moved=[(2, 0 if direction is Move.SWAP else 1, direction)]))
    out = processor.apply(row.clone())
    if direction is Move.SWAP:
        assert [_chosen(out[0]), _chosen(out[2])] == [before[2], before[0]]
        assert torch.equal(out[1], row[1])
    else:
        assert [_chosen(out[0]), _chosen(out[1])] == [before[0], before[2]]
        assert torch.equal(out[2], row[2])
