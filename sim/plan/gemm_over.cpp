#include "sim/plan/gemm_over.hpp"

#include <algorithm>
#include <array>

#include "sim/base/capacity_error.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

GemmPlacement parse_placement(std::string_view text, const GemmPlacement& otherwise) {
  GemmPlacement placement = otherwise;
  if (text.empty()) return placement;
  for (const std::string& part : split(text, ",")) {
    const auto at = part.find('=');
    const std::string matrix(trimmed(part.substr(0, at)));
    if (at == std::string::npos || matrix.size() != 1 || matrix < "a" || matrix > "c") {
      throw ConfigError("--place " + in_quotes(text) +
                        ": expected MATRIX=POLICY with commas between, matrices a, b, c; got " + in_quotes(part));
    }
    const PlacementPolicy policy =
        kPlacementPolicies.parse(trimmed(std::string_view(part).substr(at + 1)), "--place " + matrix);
    (matrix == "a" ? placement.a : matrix == "b" ? placement.b : placement.c) = policy;
  }
  return placement;
}

std::string to_text(const GemmPlacement& placement) {
  return "a=" + std::string(kPlacementPolicies[placement.a]) + ",b=" + std::string(kPlacementPolicies[placement.b]) +
         ",c=" + std::string(kPlacementPolicies[placement.c]);
}

PlacedGemm place_gemm_over(const GemmProblem& problem, const GemmPlacement& placement, bool partial,
                           const MachineSpec& machine, const std::vector<MemoryNode>& memories) {
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  const TileShape& tile = machine.pe.mac.tile;
  const auto pes = static_cast<int>(memories.size());
  const auto matrix = [&](std::int64_t rows, std::int64_t columns, std::int64_t tile_rows, std::int64_t tile_columns,
                          PlacementPolicy policy) {
    return PlacedMatrix({problem.layout, rows, columns, tile_rows, tile_columns, 0, machine.die.hbm.burst}, policy,
                        pes);
  };
  PlacedGemm gemm{problem,
                  matrix(problem.m, problem.k, tile.m, tile.k, placement.a),
                  matrix(problem.k, problem.n, tile.k, tile.n, placement.b),
                  matrix(problem.m, problem.n, tile.m, tile.n, placement.c),
                  {},
                  0};
  for (int pe = 0; pe < pes; ++pe) {
    PartitionAllocator partition(machine.die.hbm, problem.layout);
    const MemoryNode memory = memories[static_cast<std::size_t>(pe)];
    const auto place = [&](const MatrixLayout& shape) {
      return partition.place(shape.rows, shape.columns, shape.tile_rows, shape.tile_columns).base;
    };
    gemm.a.place(pe, place(gemm.a.part(pe)), memory);
    gemm.b.place(pe, place(gemm.b.part(pe)), memory);
    if (partial) {
      gemm.partial.push_back(gemm.c.shape().at(kOwnPartition, place(gemm.c.shape())));
      gemm.c.place(pe, gemm.partial.back().rows_from(gemm.c.tiles(pe).rows.begin, gemm.c.part(pe)).base, memory);
    } else {
      gemm.c.place(pe, place(gemm.c.part(pe)), memory);
    }
    partition.check_capacity();
    gemm.bytes_of_pe = std::max(gemm.bytes_of_pe, partition.used());
  }
  return gemm;
}

void add_streams(const PlacedGemm& gemm, int pe, Interval rows, Interval columns, std::vector<PeWork>& work) {
  const auto stream = [&](const PlacedMatrix& matrix, std::int64_t row, std::int64_t column, std::int64_t times) {
    const Bytes bytes = times * matrix.shape().rows_of(row) * matrix.shape().columns_of(column) * kElementBytes;
    work[static_cast<std::size_t>(pe)].read += bytes;
    work[static_cast<std::size_t>(matrix.owner(row, column, pe))].given += bytes;
  };
  const std::int64_t k_tiles = gemm.a.shape().column_tiles();
  for (std::int64_t k = 0; k < k_tiles; ++k) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) stream(gemm.a, i, k, columns.size());
    for (std::int64_t j = columns.begin; j < columns.end; ++j) stream(gemm.b, k, j, rows.size());
  }
  work[static_cast<std::size_t>(pe)].tiles += rows.size() * columns.size() * k_tiles;
}

GemmOverBound gemm_over_bound(const std::vector<PeWork>& pes, const MachineSpec& machine) {
  const PeSpec& pe = machine.pe;
  const Bandwidth link = machine.die.router.link;
  const bool takes_out = pe.message_queue.consumer == SlotConsumer::kVectorUnit;
  GemmOverBound bound;
  const auto at_least = [&bound](const char* resource, Picoseconds time) {
    if (time > bound.time) bound = {time, resource};
  };
  for (const PeWork& work : pes) {
    at_least("mac", work.tiles * pe.tile_time());
    at_least("dma_in", std::min(link, pe.tcm.write).time_for(work.read + work.received));
    at_least("hbm", machine.die.hbm.bandwidth.time_for(work.given));
    at_least("link", link.time_for(work.given));
    at_least("dma_out", std::min(link, pe.tcm.read).time_for(work.sent));
    if (takes_out) at_least("vector", pe.clock.time_for(work.received / kElementBytes / pe.vector.lanes));
  }
  return bound;
}

}  // namespace kernbench
