// The closed-form lower bound of a GEMM on one PE (adr/0007-closed-form-bound.md): what an ideal pipeline would take,
// with every latency, overhead and wait left out. No simulated run is faster.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/machine/machine_spec.hpp"
#include "sim/plan/gemm_mapping.hpp"
#include "sim/plan/gemm_plan.hpp"

namespace kernbench {

/// One resource's part of the bound: it cannot start before `head`, works for `work`, and after its last piece of work
/// at least `tail` follows.
struct BoundTerm {
  std::string_view resource;  ///< hbm, dma_in, fetch, mac, accumulators, vector, store, dma_out, registers
  Picoseconds head;
  Picoseconds work;
  Picoseconds tail;
  [[nodiscard]] Picoseconds total() const { return head + work + tail; }
};

struct GemmBound {
  Picoseconds pe;         ///< the first loads, then the composites
  Picoseconds composite;  ///< the largest term
  std::vector<BoundTerm> terms;
  /// The largest one's resource; several that are equally long are joined by '+'.
  [[nodiscard]] std::string bottleneck() const;
  /// The largest term, with all that is loaded after the first step's blocks.
  [[nodiscard]] Picoseconds longest() const;
  /// Time for which the array is busy.
  [[nodiscard]] Picoseconds mac_work() const;
};

/// Of the vector unit that converts each tile of `b` `times` times for operands of `dtype`; 0: they are of that (34.8).
[[nodiscard]] Cycles conversion_cycles(const MatrixLayout& b, std::int64_t times, Dtype dtype,
                                       const VectorUnitSpec& unit);

/// The most that a memory has acknowledged and not written (adr/0004, 4.16): a channel may be one short of its queue
/// when it takes a packet in.
[[nodiscard]] Bytes queued_writes(const MachineSpec& machine);
/// That the memory has moved when all have been acknowledged, of which it need not have written `queued`.
[[nodiscard]] constexpr Bytes hbm_bytes(Bytes read, Bytes written, Bytes queued) {
  return read + std::max<Bytes>(0, written - queued);
}

/// Time for which the array is occupied by all of a mapping's products. `pe` has the tile of the mapping.
[[nodiscard]] Picoseconds work_of_array(const MappedGemm& mapped, const PeSpec& pe);

/// Bounds of many mappings of one problem (32.7). What they have in common is worked out once: of those with one block
/// along K and one residency that is everything but what is moved.
class GemmBounds {
 public:
  /// `machine`, which has the mappings' tile, is kept by reference. Throws as place_gemm.
  GemmBounds(const GemmProblem& problem, const MachineSpec& machine);

  /// Whether it fits the machine is not asked. `mapped` is one of that problem.
  [[nodiscard]] GemmBound of(const MappedGemm& mapped);
  /// That no mapping with this block and residency falls below, whatever its order and buffers.
  [[nodiscard]] Picoseconds at_least(const MappedGemm& mapped);

 private:
  /// Block along K, residency, sums, whether it is the one step of its mapping; with register blocks its sides too.
  using Alike = std::tuple<std::int64_t, bool, bool, SumFormat, SumPlace, bool, std::int64_t, std::int64_t>;
  struct Common {
    std::vector<BoundTerm> terms;  // hbm's and dma_in's without work, mac's without what one buffer adds
    Picoseconds longest;           // of those but hbm's and dma_in's
    Picoseconds last_product;
  };
  [[nodiscard]] const Common& common_of(const MappedGemm& mapped);
  [[nodiscard]] Common worked_out(const MappedGemm& mapped) const;
  [[nodiscard]] Picoseconds last_step_of(const MappedGemm& mapped);

  const GemmProblem& problem_;
  const MachineSpec& machine_;
  PeSpec roomy_;  // the PE with TCM for any mapping
  GemmMatrices matrices_;
  Bytes bias_ = 0;
  std::map<Alike, Common> common_;
  std::pair<TileShape, Picoseconds> last_step_{};  // of the block that was asked for last: the array's work on it
};

[[nodiscard]] GemmBound gemm_bound(const GemmProblem& problem, Residency residency, const MachineSpec& machine);
/// As a mapping does it (32.7). `machine` has the tile of the mapping. Throws CapacityError where it does not fit.
[[nodiscard]] GemmBound gemm_bound(const MappedGemm& mapped, const MachineSpec& machine);

}  // namespace kernbench
