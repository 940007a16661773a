#include "sim/plan/multi_pe_gemm.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include "sim/base/capacity_error.hpp"
#include "sim/base/checked.hpp"
#include "sim/base/first_alike.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

namespace {

PeGridShape parse_grid(const std::string& text) {
  PeGridShape grid;
  const auto read = [](const char* from, const char* to, int& side) {
    const auto [end, error] = std::from_chars(from, to, side);
    return error == std::errc{} && side > 0 ? end : nullptr;
  };
  const char* const last = text.data() + text.size();
  const char* at = read(text.data(), last, grid.rows);
  if (at != nullptr) at = at != last && *at == 'x' ? read(at + 1, last, grid.columns) : nullptr;
  if (at == last) return grid;
  throw ConfigError("grid: expected ROWSxCOLUMNS of PEs such as 4x16, got " + in_quotes(text));
}

void check_grid(const GemmPlacement& placement, int pes) {
  const auto [rows, columns] = placement.grid;
  if (rows == 0) return;
  const std::string asked = "--place grid=" + std::to_string(rows) + "x" + std::to_string(columns);
  if (rows * std::int64_t{columns} != pes) {
    throw ConfigError(asked + " is of " + std::to_string(rows * std::int64_t{columns}) + " PEs: expected a grid of " +
                      std::to_string(pes));
  }
  constexpr auto kBlocks = PlacementPolicy::kBlocks;
  if (placement.a == kBlocks || placement.b == kBlocks || placement.c == kBlocks) return;
  throw ConfigError(asked + ": no matrix lies in blocks; expected one that does, such as c=blocks");
}

/// Whether there is such a part.
bool read_part(const std::string& key, const std::string& value, GemmPlacement& placement) {
  if (key == "grid") {
    placement.grid = parse_grid(value);
  } else if (key == "block") {
    placement.block = parse_shape(value, key);
  } else if (key == "buffers") {
    placement.buffers = parse_buffers(value, key);
  } else if (key == "a" || key == "b" || key == "c") {
    (key == "a" ? placement.a : key == "b" ? placement.b : placement.c) = kPlacementPolicies.parse(value, key);
  } else {
    return false;
  }
  return true;
}

}  // namespace

GemmPlacement parse_placement(std::string_view text, const GemmPlacement& otherwise) {
  GemmPlacement placement = otherwise;
  if (text.empty()) return placement;
  std::set<std::string> named;
  for (const std::string& part : split(text, ",")) {
    const auto at = part.find('=');
    const std::string key(trimmed(part.substr(0, at)));
    const std::string value(at == std::string::npos ? std::string_view()
                                                    : trimmed(std::string_view(part).substr(at + 1)));
    if (at == std::string::npos || !read_part(key, value, placement)) {
      throw ConfigError(in_quotes(text) +
                        ": expected MATRIX=POLICY with commas between, matrices a, b, c, and grid=ROWSxCOLUMNS, "
                        "block=MxKxN, buffers=N; got " +
                        in_quotes(part));
    }
    if (!named.insert(key).second) throw ConfigError(in_quotes(text) + ": " + key + " is placed twice");
  }
  return placement;
}

std::string to_text(const GemmPlacement& placement) {
  const std::string matrices = "a=" + std::string(kPlacementPolicies[placement.a]) +
                               ",b=" + std::string(kPlacementPolicies[placement.b]) +
                               ",c=" + std::string(kPlacementPolicies[placement.c]);
  const auto [rows, columns] = placement.grid;
  return matrices + (rows == 0 ? "" : ",grid=" + std::to_string(rows) + "x" + std::to_string(columns)) +
         (placement.block.m == 0 ? "" : ",block=" + to_text(placement.block)) +
         (placement.buffers == 0 ? "" : ",buffers=" + std::to_string(placement.buffers));
}

std::string to_text(const MultiPeMapping& mapping) {
  return to_text(mapping.local) + " split_k=" + std::to_string(mapping.split_k);
}

MatrixLayout PlacedGemm::product(int owner, int pe) const {
  return c.part(owner).at(kOwnPartition,
                          products[static_cast<std::size_t>(pe)] + in_product[static_cast<std::size_t>(owner)]);
}

std::int64_t PlacedGemm::largest_part_of_c() const {
  std::int64_t most = 0;
  for (int pe = 0; pe < pes; ++pe) most = std::max(most, c.tiles(pe).elements());
  return most;
}

PlacedGemm place_multi_pe_gemm(const GemmProblem& problem, const GemmPlacement& placement, const PlacementNeeds& needs,
                               const MachineSpec& machine, const std::vector<MemoryNode>& memories) {
  check_dimension("m", problem.m);
  check_dimension("k", problem.k);
  check_dimension("n", problem.n);
  const TileShape& tile = machine.pe.mac.tile;
  const Bytes burst = machine.die.hbm.burst;
  const auto pes = static_cast<int>(memories.size());
  check_grid(placement, pes);
  const auto matrix = [&](std::int64_t rows, std::int64_t columns, std::int64_t tile_rows, std::int64_t tile_columns,
                          PlacementPolicy policy, int parts, Dtype dtype) {
    return PlacedMatrix({problem.layout, rows, columns, tile_rows, tile_columns, 0, burst, kOwnPartition, dtype},
                        policy, pes, parts, policy == PlacementPolicy::kBlocks ? placement.grid.rows : 0);
  };
  const PlacedMatrix a = matrix(problem.m, problem.k, tile.m, tile.k, placement.a, pes, problem.dtype);
  PlacedGemm gemm{.problem = problem,
                  .pes = pes,
                  .a = a,
                  .b = matrix(problem.k, problem.n, tile.k, tile.n, placement.b, pes, problem.stored_b()),
                  .c = matrix(problem.m, problem.n, tile.m, tile.n, placement.c,
                              needs.products && needs.group == 0 ? a.parts()
                              : needs.multiplying > 0            ? needs.multiplying
                                                                 : pes,
                              problem.result()),
                  .tcm = needs.tcm,
                  .bytes_of_pe = 0,
                  .products = {},
                  .in_product = {}};
  const int group = needs.group == 0 ? pes : needs.group;
  std::vector<Bytes> products(static_cast<std::size_t>(ceil_div(pes, group)));
  const auto product_of = [&](int pe) -> Bytes& { return products[static_cast<std::size_t>(pe / group)]; };
  for (int pe = 0; needs.products && pe < pes; ++pe) {
    gemm.in_product.push_back(product_of(pe));
    product_of(pe) += ceil_div(gemm.c.part(pe).footprint(), burst) * burst;
  }
  const bool shared = machine.die.hbm.shared();
  PartitionAllocator partition(machine.die, problem.layout);
  for (int pe = 0; pe < pes; ++pe) {
    if (!shared) partition = PartitionAllocator(machine.die, problem.layout);
    const MemoryNode memory = memories[static_cast<std::size_t>(pe)];
    const auto place = [&](const MatrixLayout& shape) { return partition.place(shape.footprint()); };
    const auto place_operand = [&](PlacedMatrix& matrix) {  // one copy of what all PEs have serves all that share
      const bool there = shared && pe > 0 && matrix.policy() == PlacementPolicy::kReplicate;
      matrix.place(pe, there ? matrix.part(0).base : place(matrix.part(pe)), memory);
    };
    place_operand(gemm.a);
    place_operand(gemm.b);
    if (needs.products) {
      gemm.products.push_back(partition.place(needs.group > 0 || gemm.a.part(pe).columns > 0 ? product_of(pe) : 0));
      gemm.c.place(pe, gemm.product(pe, pe).base, memory);
    } else {
      gemm.c.place(pe, place(gemm.c.part(pe)), memory);
    }
    if (!shared) partition.check_capacity();
    gemm.bytes_of_pe = std::max(gemm.bytes_of_pe, partition.used());
  }
  partition.check_capacity();
  return gemm;
}

Bytes tcm_for(const GemmProblem& problem, const MatrixLayout& a, const MatrixLayout& b, LoadedFirst loaded,
              const PeSpec& pe) {
  GemmMatrices matrices;
  matrices.a = a.at(loaded == LoadedFirst::kA ? kOwnTcm : kOwnPartition, 0);
  matrices.b = b.at(loaded == LoadedFirst::kB ? kOwnTcm : kOwnPartition, 0);
  matrices.c.dtype = problem.result();
  return tcm_bytes_needed(problem, matrices, pe);
}

LoadedFirst loaded_first(const GemmProblem& problem, const MatrixLayout& a, const MatrixLayout& b, const PeSpec& pe,
                         Bytes tcm) {
  LoadedFirst best = LoadedFirst::kNone;
  Bytes most = 0;
  const auto consider = [&](LoadedFirst operand, const MatrixLayout& matrix, std::int64_t uses) {
    const Bytes saved = checked_multiply(matrix.element_bytes(), uses - 1, "bytes that a PE reads", kInBytes);
    if (saved <= most || tcm_for(problem, a, b, operand, pe) > tcm) return;
    most = saved;
    best = operand;
  };
  consider(LoadedFirst::kA, a, b.column_tiles());
  consider(LoadedFirst::kB, b, a.row_tiles());
  return best;
}

namespace {

/// Tiles of a PE's part that it multiplies: how many, elements of the last of them, and where the first lies as a
/// memory serves it.
struct OwnTiles {
  MatrixLayout part{};
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t last_rows = 0;
  std::int64_t last_columns = 0;
  Address first = 0;
  bool operator==(const OwnTiles&) const = default;
};

OwnTiles own_tiles(const MatrixLayout& part, const Rect& tiles, const HbmSpec& hbm) {
  const Address first = part.tile(tiles.rows.begin, tiles.columns.begin).address - part.base;
  return {.part = part,
          .rows = tiles.rows.size(),
          .columns = tiles.columns.size(),
          .last_rows = part.rows_of(tiles.rows.end - 1),
          .last_columns = part.columns_of(tiles.columns.end - 1),
          .first = hbm.follows_keys() ? first % (hbm.burst * hbm.pseudo_channels) : first};
}

/// What a PE multiplies of its partition, and its part of C.
struct OwnProduct {
  OwnTiles a{};
  OwnTiles b{};
  MatrixLayout c{};
  bool operator==(const OwnProduct&) const = default;
};

bool lies_in(const Rect& rect, const Rect& tiles) { return common(rect, tiles) == rect; }

}  // namespace

std::vector<std::int32_t> alike_pes(const PlacedGemm& gemm, const HbmSpec& hbm) {
  if (hbm.shared()) return {};
  const Interval k{0, gemm.a.shape().column_tiles()};
  std::vector<OwnProduct> products;
  for (int pe = 0; pe < gemm.pes; ++pe) {
    OwnProduct& product = products.emplace_back();
    const Rect c = gemm.c.tiles(pe);
    if (c.empty()) continue;
    const Rect a{c.rows, k};
    const Rect b{k, c.columns};
    if (!lies_in(a, gemm.a.tiles(pe)) || !lies_in(b, gemm.b.tiles(pe))) return {};
    product = {own_tiles(gemm.a.part(pe), within(a, gemm.a.tiles(pe)), hbm),
               own_tiles(gemm.b.part(pe), within(b, gemm.b.tiles(pe)), hbm), gemm.c.part(pe)};
  }
  return first_alike(products);
}

Bytes replicated_bytes(const PlacedGemm& gemm, std::int64_t memories) {
  Bytes bytes = 0;
  for (const PlacedMatrix* matrix : {&gemm.a, &gemm.b}) {
    if (matrix->policy() == PlacementPolicy::kReplicate) bytes += matrix->shape().element_bytes();
  }
  return bytes - bytes / memories;
}

}  // namespace kernbench
