// By which mapping a device's PEs multiply cells: found as --map auto does, once for each shape (adr/0044, 44.4).
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "sim/plan/distributed_gemm/distributed_program.hpp"
#include "sim/plan/multi_pe_gemm.hpp"

namespace kernbench {

class ProductMappings {
 public:
  /// Simulates up to `candidates` mappings of each shape on one device alone, of `tcm` bytes a PE; no other simulation
  /// of the process may be there (1.19). Throws as search_multi_pe_mappings.
  ProductMappings(const MachineSpec& machine, Bytes tcm, std::int64_t candidates,
                  const std::vector<DeviceCommand>& commands);

  [[nodiscard]] const MultiPeMapping& of(const GemmProblem& problem) const;

 private:
  using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t>;
  std::map<Shape, MultiPeMapping> chosen_;
};

}  // namespace kernbench
