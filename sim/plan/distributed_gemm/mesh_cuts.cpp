#include "sim/plan/distributed_gemm/mesh_cuts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace kernbench {

namespace {

constexpr double kBytesOfElement = 2;  // bf16

/// How a matrix lies along a dimension of the mesh.
enum class Spread : std::uint8_t { kRows, kColumns, kWhole };

Spread held(const DistributedMatrix& matrix, std::size_t dimension) {
  if (matrix.partition() == Partition::kBlock) return dimension == 0 ? Spread::kRows : Spread::kColumns;
  return matrix.partition() == Partition::kRow ? Spread::kRows : Spread::kColumns;
}

Spread needed_of_a(CutDimension cut) {
  if (cut == CutDimension::kN) return Spread::kWhole;
  return cut == CutDimension::kM ? Spread::kRows : Spread::kColumns;
}

Spread needed_of_b(CutDimension cut) {
  if (cut == CutDimension::kM) return Spread::kWhole;
  return cut == CutDimension::kN ? Spread::kColumns : Spread::kRows;
}

/// Of an all_gather over `devices` that leaves each with `gib` of 2^30 bytes, in us: DTensor's numbers of a host's
/// GPUs.
double all_gather_price(double gib, int devices) {
  constexpr double kStart = 6.6;
  constexpr double kHop = 0.6;
  constexpr double kGibPerSecond = 87.7;
  const double hops = devices - 1;
  return kStart + hops * kHop + gib * hops / devices / kGibPerSecond * 1e6;
}

/// Of bringing a matrix where it is needed, dimension by dimension of the mesh.
double price(const DistributedMatrix& matrix, const std::vector<MeshCut>& cuts, Spread (*needed)(CutDimension)) {
  constexpr double kOtherShards = 1.0;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  double gib = static_cast<double>(matrix.elements()) * kBytesOfElement / matrix.tiles() / kGib;
  double sum = 0;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const Spread to = needed(cuts[i].dimension);
    if (to == held(matrix, i)) continue;
    if (to == Spread::kWhole) gib *= cuts[i].devices;
    sum += all_gather_price(gib, cuts[i].devices) + (to == Spread::kWhole ? 0 : kOtherShards);
  }
  return sum;
}

/// The mesh over the devices of a replica: of two dimensions where some matrix is cut into blocks.
std::vector<MeshCut> mesh(const DistributedMatrix& a, const DistributedMatrix& b, const DistributedMatrix& c) {
  std::vector<MeshCut> dimensions{{a.tiles()}};
  for (const DistributedMatrix* matrix : {&a, &b, &c}) {
    if (matrix->partition() == Partition::kBlock) dimensions = {{matrix->grid_rows()}, {matrix->grid_columns()}};
  }
  std::erase_if(dimensions, [](const MeshCut& dimension) { return dimension.devices == 1; });
  return dimensions;
}

}  // namespace

std::vector<MeshCut> cheapest_cuts(const DistributedMatrix& a, const DistributedMatrix& b, const DistributedMatrix& c) {
  constexpr std::array kCuts{CutDimension::kK, CutDimension::kM, CutDimension::kN};
  std::vector<std::vector<MeshCut>> ways{{}};
  for (const MeshCut& dimension : mesh(a, b, c)) {
    std::vector<std::vector<MeshCut>> longer;
    for (const std::vector<MeshCut>& way : ways) {
      for (const CutDimension cut : kCuts) {
        longer.push_back(way);
        longer.back().push_back({dimension.devices, cut});
      }
    }
    ways = std::move(longer);
  }
  const auto price_of = [&](const std::vector<MeshCut>& way) {
    return price(a, way, needed_of_a) + price(b, way, needed_of_b);
  };
  std::vector<double> prices;
  for (const std::vector<MeshCut>& way : ways) prices.push_back(price_of(way));
  return ways[static_cast<std::size_t>(std::ranges::min_element(prices) - prices.begin())];
}

std::string to_text(const std::vector<MeshCut>& cuts) {
  std::string text;
  for (const MeshCut& cut : cuts) {
    text.append(text.empty() ? "" : " ").append(kCutDimensions[cut.dimension]).append(std::to_string(cut.devices));
  }
  return text;
}

DeviceShare share_by(const std::vector<MeshCut>& cuts, DeviceShare whole, int index) {
  int devices = 1;
  for (const MeshCut& cut : cuts) devices *= cut.devices;
  for (const MeshCut& cut : cuts) {
    devices /= cut.devices;
    Interval& of = cut.dimension == CutDimension::kK ? whole.k : cut.dimension == CutDimension::kM ? whole.m : whole.n;
    const Interval piece = piece_of(of.size(), cut.devices, index / devices % cut.devices);
    of = {of.begin + piece.begin, of.begin + piece.end};
  }
  return whole;
}

}  // namespace kernbench
