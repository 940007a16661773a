// The closed-form lower bound of a GEMM on one PE (adr/0007-closed-form-bound.md): what an ideal pipeline would take,
// with every latency, overhead and wait left out. No simulated run is faster.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// One resource's part of the bound: it cannot start before `head`, works for `work`, and after its last piece of work
/// at least `tail` follows.
struct BoundTerm {
  std::string resource;  ///< hbm, dma_in, fetch, mac, accumulators, vector, store, dma_out, registers
  Picoseconds head;
  Picoseconds work;
  Picoseconds tail;
  [[nodiscard]] Picoseconds total() const { return head + work + tail; }
};

struct GemmBound {
  Picoseconds pe;          ///< the first loads, then the composites
  Picoseconds composite;   ///< the largest term
  std::string bottleneck;  ///< its resource; several that are equally long are joined by '+'
  std::vector<BoundTerm> terms;
  /// Time for which the array is busy.
  [[nodiscard]] Picoseconds mac_work() const;
};

/// At which a PE reads its own partition at best (7.1).
[[nodiscard]] Bandwidth read_path(const MachineSpec& machine);
/// At which it writes: the memory acknowledges before it writes.
[[nodiscard]] Bandwidth write_path(const MachineSpec& machine);

/// The most that a memory has acknowledged and not written (adr/0004, 4.16): a channel may be one short of its queue
/// when it takes a packet in.
[[nodiscard]] Bytes queued_writes(const MachineSpec& machine);
/// That the memory has moved when all have been acknowledged, of which it need not have written `queued`.
[[nodiscard]] constexpr Bytes hbm_bytes(Bytes read, Bytes written, Bytes queued) {
  return read + std::max<Bytes>(0, written - queued);
}

/// Time for which the array is occupied by all of a mapping's products. `pe` has the tile of the mapping.
[[nodiscard]] Picoseconds work_of_array(const MappedGemm& mapped, const PeSpec& pe);

[[nodiscard]] GemmBound gemm_bound(const GemmProblem& problem, Residency residency, const MachineSpec& machine);
/// As a mapping does it (32.7). `machine` has the tile of the mapping. Throws CapacityError where it does not fit.
[[nodiscard]] GemmBound gemm_bound(const MappedGemm& mapped, const MachineSpec& machine);

}  // namespace kernbench
