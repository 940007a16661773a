// Measures one probe: the cases of benches/harness/probes/probe_cases.hpp.
#pragma once

#include <memory>

#include "benches/gpu/collectives/checked_collectives.hpp"
#include "benches/gpu/device/cuda.hpp"
#include "benches/gpu/device/facts.hpp"
#include "benches/gpu/device/nvml.hpp"
#include "benches/harness/measured/planned_case.hpp"

namespace kernbench::gpu {

class ProbeBench {
 public:
  /// Of device 0. Throws GpuError.
  ProbeBench();
  /// Throws GpuError, and NotSupported where this GPU cannot do it.
  void measure(const PlannedCase& planned, Row& row);

 private:
  void device(Row& row);
  void read(Row& row);
  void lines(Row& row);
  void launch(Row& row);
  void tensor(Row& row);
  void idle(Row& row);
  void governor(Row& row);
  void nccl(Row& row);

  GpuFacts facts_;
  bool wgmma_;
  Sensors sensors_;
  Stream stream_;
  std::unique_ptr<CheckedCollectives> collectives_;  ///< kept, as a communicator takes seconds to make
};

}  // namespace kernbench::gpu
