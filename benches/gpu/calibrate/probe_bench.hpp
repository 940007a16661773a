// Measures one probe: the cases of benches/harness/probes/probe_cases.hpp.
#pragma once

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
};

}  // namespace kernbench::gpu
