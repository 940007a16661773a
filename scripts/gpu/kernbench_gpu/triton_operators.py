"""LayerNorm, GELU, Swish, MSE and cross-entropy in Triton: memory-bound kernels that read each input once where a row
fits in registers. Arithmetic is in fp32; sums are added in a fixed order."""

from __future__ import annotations

import torch
import triton
import triton.language as tl

LONGEST_ROW = 16384
"""Elements that a program holds at once; longer rows are walked in pieces of this length."""
PIECE = 2048
"""Elements of a program of an element-wise operation."""
PARTS = 1024
"""Partial sums of a mean over all elements."""


@triton.jit
def layernorm_kernel(x, weight, bias, y, length, eps, BLOCK: tl.constexpr, WHOLE: tl.constexpr):
    """One program a row; statistics in two passes, so that no digits cancel. WHOLE: the row fits into BLOCK."""
    x += tl.program_id(0).to(tl.int64) * length
    y += tl.program_id(0).to(tl.int64) * length
    lane = tl.arange(0, BLOCK)
    if WHOLE:
        there = lane < length
        value = tl.load(x + lane, mask=there, other=0.0).to(tl.float32)
        mean = tl.sum(value, axis=0) / length
        centred = tl.where(there, value - mean, 0.0)
        scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / length + eps)
        w = tl.load(weight + lane, mask=there, other=0.0).to(tl.float32)
        b = tl.load(bias + lane, mask=there, other=0.0).to(tl.float32)
        tl.store(y + lane, (centred * scale * w + b).to(y.dtype.element_ty), mask=there)
    else:
        total = tl.zeros((BLOCK,), dtype=tl.float32)
        for begin in range(0, length, BLOCK):
            total += tl.load(x + begin + lane, mask=begin + lane < length, other=0.0).to(tl.float32)
        mean = tl.sum(total, axis=0) / length
        squares = tl.zeros((BLOCK,), dtype=tl.float32)
        for begin in range(0, length, BLOCK):
            there = begin + lane < length
            value = tl.load(x + begin + lane, mask=there, other=0.0).to(tl.float32)
            centred = tl.where(there, value - mean, 0.0)
            squares += centred * centred
        scale = 1.0 / tl.sqrt(tl.sum(squares, axis=0) / length + eps)
        for begin in range(0, length, BLOCK):
            there = begin + lane < length
            value = tl.load(x + begin + lane, mask=there, other=0.0).to(tl.float32)
            w = tl.load(weight + begin + lane, mask=there, other=0.0).to(tl.float32)
            b = tl.load(bias + begin + lane, mask=there, other=0.0).to(tl.float32)
            out = (value - mean) * scale * w + b
            tl.store(y + begin + lane, out.to(y.dtype.element_ty), mask=there)


@triton.jit
def gelu_kernel(x, y, count, BLOCK: tl.constexpr):
    """x / 2 (1 + erf(x / sqrt 2)), element by element."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < count, other=0.0).to(tl.float32)
    out = 0.5 * value * (1.0 + tl.erf(value * 0.7071067811865476))
    tl.store(y + at, out.to(y.dtype.element_ty), mask=at < count)


@triton.jit
def swish_kernel(x, y, count, BLOCK: tl.constexpr):
    """x / (1 + exp(-x)), element by element."""
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < count, other=0.0).to(tl.float32)
    out = value / (1.0 + tl.exp(-value))
    tl.store(y + at, out.to(y.dtype.element_ty), mask=at < count)


@triton.jit
def squared_differences_kernel(x, y, parts, count, BLOCK: tl.constexpr):
    """Each program adds up every so many pieces of (x - y)^2 into its own part."""
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    step = tl.num_programs(0).to(tl.int64) * BLOCK
    begin = tl.program_id(0).to(tl.int64) * BLOCK
    while begin < count:
        at = begin + tl.arange(0, BLOCK)
        there = at < count
        a = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
        b = tl.load(y + at, mask=there, other=0.0).to(tl.float32)
        total += (a - b) * (a - b)
        begin += step
    tl.store(parts + tl.program_id(0), tl.sum(total, axis=0))


@triton.jit
def row_losses_kernel(logits, targets, losses, length, BLOCK: tl.constexpr):
    """log(sum of exp) - logit of the target, a program a row; the maximum is taken out before exp. Rows that are longer
    than BLOCK keep a maximum and a sum for each lane."""
    row = tl.program_id(0)
    logits += row.to(tl.int64) * length
    lane = tl.arange(0, BLOCK)
    highest = tl.full((BLOCK,), -1e30, dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, length, BLOCK):
        there = begin + lane < length
        value = tl.load(logits + begin + lane, mask=there, other=-1e30).to(tl.float32)
        higher = tl.maximum(highest, value)
        total = total * tl.exp(highest - higher) + tl.where(there, tl.exp(value - higher), 0.0)
        highest = higher
    most = tl.max(highest, axis=0)
    everything = tl.sum(total * tl.exp(highest - most), axis=0)
    target = tl.load(logits + tl.load(targets + row)).to(tl.float32)
    tl.store(losses + row, tl.log(everything) + most - target)


@triton.jit
def mean_kernel(parts, out, count, divisor, BLOCK: tl.constexpr):
    """The sum of `count` numbers over `divisor`, by one program."""
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(0, count, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        total += tl.load(parts + at, mask=at < count, other=0.0)
    tl.store(out, (tl.sum(total, axis=0) / divisor).to(out.dtype.element_ty))


def _row_block(length: int) -> int:
    return min(triton.next_power_of_2(length), LONGEST_ROW)


def _warps(block: int) -> int:
    return max(1, min(16, block // 512))


def layernorm(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor, eps: float) -> torch.Tensor:
    """Over the last dimension of a contiguous x, with an affine map."""
    y = torch.empty_like(x)
    length = x.shape[-1]
    block = _row_block(length)
    layernorm_kernel[(x.numel() // length,)](
        x, weight, bias, y, length, eps, BLOCK=block, WHOLE=length <= block, num_warps=_warps(block)
    )
    return y


def gelu(x: torch.Tensor) -> torch.Tensor:
    """The exact form (erf)."""
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), PIECE),)](x, y, x.numel(), BLOCK=PIECE, num_warps=8)
    return y


def swish(x: torch.Tensor) -> torch.Tensor:
    """With beta 1: SiLU."""
    y = torch.empty_like(x)
    swish_kernel[(triton.cdiv(x.numel(), PIECE),)](x, y, x.numel(), BLOCK=PIECE, num_warps=8)
    return y


def mse(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The mean of (x - y)^2, a scalar of x's dtype."""
    parts = min(PARTS, triton.cdiv(x.numel(), PIECE))
    sums = torch.empty(parts, device=x.device, dtype=torch.float32)
    out = torch.empty((), device=x.device, dtype=x.dtype)
    squared_differences_kernel[(parts,)](x, y, sums, x.numel(), BLOCK=PIECE, num_warps=8)
    mean_kernel[(1,)](sums, out, parts, float(x.numel()), BLOCK=1024, num_warps=4)
    return out


def cross_entropy(logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """The mean over rows of logits (rows x classes), targets int64; a scalar of the logits' dtype."""
    rows, length = logits.shape
    losses = torch.empty(rows, device=logits.device, dtype=torch.float32)
    out = torch.empty((), device=logits.device, dtype=logits.dtype)
    block = min(_row_block(length), 4096)
    row_losses_kernel[(rows,)](logits, targets, losses, length, BLOCK=block, num_warps=_warps(block))
    mean_kernel[(1,)](losses, out, rows, float(rows), BLOCK=1024, num_warps=4)
    return out
