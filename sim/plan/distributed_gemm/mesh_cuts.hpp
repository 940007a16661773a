// How PyTorch's DTensor shares a product out over a mesh of devices: what its rule for aten.mm chooses (ADR-0023).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_matrix.hpp"

namespace kernbench {

/// Which dimension of a product is cut along a dimension of the mesh; what each device then needs of A and B.
enum class CutDimension : std::uint8_t {
  kK,  ///< columns of A, rows of B: products of devices are added up
  kM,  ///< rows of A, all of B
  kN,  ///< all of A, columns of B
};
inline constexpr Names<CutDimension> kCutDimensions{
    "dimension", {{CutDimension::kK, "k"}, {CutDimension::kM, "m"}, {CutDimension::kN, "n"}}};

/// Along one dimension of the mesh, that of so many devices.
struct MeshCut {
  int devices = 1;
  CutDimension dimension = CutDimension::kK;
  constexpr bool operator==(const MeshCut&) const = default;
};

/// "k4", "m2 n2": each dimension of the mesh; "" of one device.
std::string to_text(const std::vector<MeshCut>& cuts);

/// What a device multiplies: A[m, k] * B[k, n].
struct DeviceShare {
  Interval m;
  Interval k;
  Interval n;
  [[nodiscard]] constexpr Rect a() const { return {m, k}; }
  [[nodiscard]] constexpr Rect b() const { return {k, n}; }
  [[nodiscard]] constexpr Rect c() const { return {m, n}; }
  [[nodiscard]] constexpr bool empty() const { return m.empty() || k.empty() || n.empty(); }
};

/// Of each dimension of the mesh over the devices of a replica, the first dimension outermost: those to which DTensor
/// redistributes A and B at the least price, of equal ones the first, K before M before N and the first dimension of
/// the mesh slowest. Matrices have as many tiles. None of one device.
std::vector<MeshCut> cheapest_cuts(const DistributedMatrix& a, const DistributedMatrix& b, const DistributedMatrix& c);

/// Of the device with this index in the mesh: `whole` cut along each dimension of the mesh, after the one before it.
DeviceShare share_by(const std::vector<MeshCut>& cuts, DeviceShare whole, int index);

}  // namespace kernbench
