// Measures one probe: the cases of benches/measured/probes/probe_cases.hpp.
#pragma once

#include <memory>

#include "benches/gpu/collectives/checked_collectives.hpp"
#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/device/nvml.hpp"
#include "benches/measured/cases/planned_case.hpp"

namespace kernbench::gpu {

class ProbeBench {
 public:
  /// Of device 0. Throws GpuError.
  ProbeBench();
  /// Throws GpuError, and NotSupported where this GPU cannot do it.
  void measure(const PlannedCase& planned, Row& row) const;

 private:
  void device(Row& row) const;
  void read(Row& row) const;
  void lines(Row& row) const;
  void launch(Row& row) const;
  void tensor(Row& row) const;
  void idle(Row& row) const;
  void governor(Row& row) const;
  void nccl(Row& row) const;

  GpuFacts facts_;
  bool wgmma_;
  Sensors sensors_;
  Stream stream_;
  mutable std::unique_ptr<CheckedCollectives> collectives_;  ///< kept, as a communicator takes seconds to make
};

}  // namespace kernbench::gpu
