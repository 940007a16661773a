// A mesh of flit routers under one clock: one wake-up serves all that happens in a cycle, and idle cycles have none.
#pragma once

#include <memory>
#include <systemc>

#include "sim/engine/process.hpp"
#include "sim/hw/noc/flit_fabric.hpp"

namespace kernbench {

class FlitMesh : public sc_core::sc_module {
 public:
  /// Runs from cycle 0 until the traffic ends it; a cycle is 1 ns. Throws ConfigError for what cannot be built.
  FlitMesh(const sc_core::sc_module_name& name, Calendar& calendar, const FlitMeshConfig& config, FlitTraffic& traffic)
      : sc_module(name), calendar_(calendar), traffic_(traffic), fabric_(make_flit_fabric(config, traffic)) {
    process_ = run();
    process_.start(calendar);
  }

  [[nodiscard]] std::int64_t flit_hops() const { return fabric_->flit_hops(); }

 private:
  Process run() {
    for (Cycles cycle = 0; traffic_.goes_on(cycle);) {
      co_await calendar_.until(from_ns(cycle));
      cycle = fabric_->step(cycle);
    }
  }

  Calendar& calendar_;
  FlitTraffic& traffic_;
  std::unique_ptr<FlitFabric> fabric_;
  Process process_;
};

}  // namespace kernbench
