#include "sim/plan/divided_gemm.hpp"

#include <algorithm>
#include <tuple>

#include "sim/base/checked.hpp"
#include "sim/machine/array_cycles.hpp"
#include "sim/machine/tcm_paths.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/hbm_of_die.hpp"

namespace kernbench {

namespace {

/// A dimension cut into pieces of whole tiles, all alike but for the last.
struct Cut {
  std::int64_t tiles = 0;   ///< of a piece
  std::int64_t pieces = 0;  ///< none of them empty
  std::int64_t full = 0;    ///< elements of a piece
  std::int64_t last = 0;    ///< of the last one
};

Cut cut_into(std::int64_t elements, std::int64_t tile, std::int64_t at_most) {
  const std::int64_t tiles = ceil_div(ceil_div(elements, tile), at_most);
  const std::int64_t pieces = ceil_div(elements, tiles * tile);
  return {tiles, pieces, std::min(elements, tiles * tile), elements - (pieces - 1) * tiles * tile};
}

struct Grid {
  Cut m;
  Cut n;
  [[nodiscard]] auto worth() const { return std::tuple(m.tiles * n.tiles, m.full + n.full); }
};

}  // namespace

DividedGemm divide_gemm(const GemmProblem& problem, const TileShape& tile, std::int64_t pes) {
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  const std::int64_t most_rows = std::min(pes, ceil_div(problem.m, tile.m));
  Grid best{cut_into(problem.m, tile.m, 1), cut_into(problem.n, tile.n, pes)};
  for (std::int64_t rows = 2; rows <= most_rows; ++rows) {
    const Grid grid{cut_into(problem.m, tile.m, rows), cut_into(problem.n, tile.n, pes / rows)};
    if (grid.worth() < best.worth()) best = grid;
  }
  DividedGemm divided{best.m.pieces, best.n.pieces, {}};
  const auto add = [&](std::int64_t m, std::int64_t n, std::int64_t count) {
    if (count == 0) return;
    GemmProblem part = problem;
    part.m = m;
    part.n = n;
    const auto alike = [&part](const GemmPart& one) { return one.problem.m == part.m && one.problem.n == part.n; };
    const auto known = std::ranges::find_if(divided.parts, alike);
    if (known == divided.parts.end()) {
      divided.parts.push_back({part, count});
    } else {
      known->count += count;
    }
  };
  add(best.m.full, best.n.full, (divided.rows - 1) * (divided.columns - 1));
  add(best.m.full, best.n.last, divided.rows - 1);
  add(best.m.last, best.n.full, divided.columns - 1);
  add(best.m.last, best.n.last, 1);
  std::ranges::stable_sort(divided.parts, std::ranges::greater(),
                           [](const GemmPart& part) { return part.problem.macs(); });
  return divided;
}

DividedGemmBound divided_gemm_bound(const DividedGemm& divided, const MachineSpec& machine) {
  const GemmProblem& part = divided.largest();
  const PeSpec& pe = machine.pe;
  const MachineSpec seen = with_partition(machine);
  const Bytes read = part.m * bytes_of_row(part.k, pe.mac.tile.k, part.dtype) +
                     part.k * bytes_of_row(part.n, pe.mac.tile.n, part.stored_b());
  const Bytes written = part.m * bytes_of_row(part.n, pe.mac.tile.n, part.result());
  DividedGemmBound bound{pe.clock.time_for(cycles_at_peak(pe.mac, part.macs(), part.dtype)), "mac"};
  const auto at_least = [&bound](const char* resource, Picoseconds time) {
    if (time > bound.time) bound = {time, resource};
  };
  at_least("dma_in", into_tcm(machine).time_for(read));
  at_least("hbm", seen.die.hbm.bandwidth.time_for(hbm_bytes(read, written, queued_writes(seen))));
  at_least("dma_out", out_of_tcm(machine).time_for(written));
  return bound;
}

}  // namespace kernbench
