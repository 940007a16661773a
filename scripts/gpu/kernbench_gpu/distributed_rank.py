"""One rank of the distributed GEMM that DTensor does: C = A B, each matrix in a partition of its own.

The devices form a mesh (replica, R, S), R x S the closest factors with R >= S. `row` shards rows over both R and S, `column`
columns, `block` rows over R and columns over S; every replica has all tiles. DTensor chooses how operands are redistributed
so that the product is a local one; its result is redistributed to C's partition, which belongs to the measured time.
"""

from __future__ import annotations

import math

import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor
from torch.utils._python_dispatch import TorchDispatchMode

# ||C - ref|| / ||ref|| of a right product: bf16 results are rounded to 8 bits.
TOLERANCE = 1e-2
SHARDS = {"row": (Shard(0), Shard(0)), "column": (Shard(1), Shard(1)), "block": (Shard(0), Shard(1))}


def grid(tiles: int) -> tuple[int, int]:
    """(R, S) with R * S = `tiles`, R >= S, R - S as small as can be."""
    small = next(s for s in range(math.isqrt(tiles), 0, -1) if tiles % s == 0)
    return tiles // small, small


class Traffic(TorchDispatchMode):
    """Counts the bytes that collectives bring to this device: of an all_gather what others send, of a reduce_scatter and
    an all_to_all the (n-1)/n that come from others, of an all_reduce twice that."""

    def __init__(self) -> None:
        super().__init__()
        self.received_bytes = 0.0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(issubclass(kind, DTensor) for kind in types):
            return NotImplemented  # DTensor turns it into operations on local tensors, which come back here
        result = func(*args, **(kwargs or {}))
        self._count(str(func), args, result)
        return result

    def _count(self, name: str, args, result) -> None:
        if not name.startswith(("_c10d_functional.", "_dtensor.", "c10d.")) or "wait_tensor" in name:
            return
        source = args[0] if isinstance(args[0], torch.Tensor) else args[0][0]
        bytes_in = source.numel() * source.element_size()
        bytes_out = result.numel() * result.element_size() if isinstance(result, torch.Tensor) else bytes_in
        if "all_gather" in name:
            self.received_bytes += bytes_out - bytes_in
        elif "reduce_scatter" in name:
            self.received_bytes += bytes_in - bytes_out
        elif "all_reduce" in name or "allreduce" in name:
            ranks = dist.get_world_size() if len(args) < 3 else _group_size(args[-1])
            self.received_bytes += 2 * bytes_in * (ranks - 1) / ranks
        elif "all_to_all" in name or "alltoall" in name:
            ranks = _group_size(args[-1])
            self.received_bytes += bytes_out * (ranks - 1) / ranks
        elif "broadcast" not in name:
            raise RuntimeError(f"traffic of {name} is not known")


def _group_size(group_name: str) -> int:
    return dist.distributed_c10d._resolve_process_group(group_name).size()


class Product:
    """The matrices of one case on this rank, and the product that is timed."""

    def __init__(self, point: dict, device: torch.device, seed: int) -> None:
        ranks, replication = point["gpus"], point["replication"]
        if ranks % replication != 0:
            raise ValueError(f"replication {replication} does not divide {ranks} GPUs")
        rows, columns = grid(ranks // replication)
        mesh = init_device_mesh(device.type, (replication, rows, columns), mesh_dim_names=("replica", "row", "column"))
        a_part, b_part, c_part = ((Replicate(), *SHARDS[name]) for name in point["partitions"].split(","))
        generator = torch.Generator(device=device).manual_seed(seed)  # the same on every rank: each keeps its shards
        a = torch.randn(point["m"], point["k"], device=device, generator=generator).to(torch.bfloat16)
        b = torch.randn(point["k"], point["n"], device=device, generator=generator).to(torch.bfloat16)
        self._c_placements = c_part
        self._mesh = mesh
        self._a = distribute_tensor(a, mesh, a_part, src_data_rank=None)
        self._b = distribute_tensor(b, mesh, b_part, src_data_rank=None)
        self._whole = (a, b)

    def run(self) -> DTensor:
        """One product; the result has C's partition."""
        return torch.mm(self._a, self._b).redistribute(self._mesh, self._c_placements)

    def error(self) -> float:
        """||C - ref|| / ||ref|| over all devices, ref the product on one device in fp32; frees the whole matrices."""
        a, b = self._whole
        reference = distribute_tensor(torch.mm(a.float(), b.float()), self._mesh, self._c_placements, src_data_rank=None)
        local = self.run().to_local().float()
        sums = torch.stack([(local - reference.to_local()).square().sum(), reference.to_local().square().sum()]).double()
        dist.all_reduce(sums)
        del self._whole
        return math.sqrt(sums[0].item() / sums[1].item())

    def received_bytes(self) -> list[float]:
        """What one product brings to each device."""
        with Traffic() as traffic:
            self.run()
        mine = torch.tensor([traffic.received_bytes], dtype=torch.float64, device=self._a.to_local().device)
        every = [torch.zeros_like(mine) for _ in range(dist.get_world_size())]
        dist.all_gather(every, mine)
        return [value.item() for value in every]

    def times_ns(self, warmup: int, iterations: int) -> list[float]:
        """Each product's time from a common start to the slowest device's end, by CUDA events."""
        for _ in range(warmup):
            self.run()
        device = self._a.to_local().device
        times = torch.zeros(iterations, dtype=torch.float64, device=device)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for i in range(iterations):
            torch.cuda.synchronize(device)
            dist.barrier()
            torch.cuda.synchronize(device)
            begin.record()
            self.run()
            end.record()
            end.synchronize()
            times[i] = begin.elapsed_time(end) * 1e6
        dist.all_reduce(times, op=dist.ReduceOp.MAX)
        return times.tolist()
