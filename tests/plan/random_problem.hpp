// Random GEMMs and machines for properties of plans.
#pragma once

#include <rapidcheck.h>

#include "sim/plan/gemm_plan.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench {

inline std::int64_t random_size(std::int64_t up_to) { return *rc::gen::inRange<std::int64_t>(1, up_to + 1); }

/// The committed machine with another tile, other rates and another vector unit.
inline MachineSpec random_machine() {
  static const MachineSpec kBase = milestone();
  MachineSpec machine = kBase;
  const auto rate = [] { return Bandwidth{*rc::gen::inRange<std::int64_t>(1, 1000) * 1'000'000'007}; };
  machine.pe.mac.tile = {random_size(40), random_size(40), random_size(40)};
  machine.pe.mac.macs_per_cycle = random_size(5000);
  if (*rc::gen::arbitrary<bool>()) {
    machine.pe.mac.rows = random_size(40);
    machine.pe.mac.columns = random_size(40);
    machine.pe.mac.depth = random_size(8);
    machine.pe.mac.dataflow =
        *rc::gen::element(Dataflow::kDotProduct, Dataflow::kOutputStationary, Dataflow::kWeightStationary);
    machine.pe.mac.weight_buffers = machine.pe.mac.dataflow == Dataflow::kWeightStationary ? random_size(2) : 1;
  }
  machine.pe.clock = {*rc::gen::inRange<std::int64_t>(100, 3000) * 1'000'003};
  machine.pe.vector.lanes = random_size(200);
  for (std::int64_t* rate : {&machine.pe.vector.rates.special, &machine.pe.vector.rates.convert}) {
    if (*rc::gen::arbitrary<bool>()) *rate = random_size(3'000'000);
  }
  machine.pe.mac.operand_registers = random_size(4);
  machine.pe.stream_depth = random_size(9);
  machine.pe.fetch = rate();
  machine.pe.store = rate();
  machine.pe.tcm.read = rate();
  machine.pe.tcm.write = rate();
  machine.die.router.link = rate();
  machine.die.hbm.bandwidth = rate();
  return machine;
}

inline GemmProblem random_problem() {
  GemmProblem problem{random_size(100), random_size(100), random_size(100)};
  problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
  problem.epilogues = parse_epilogues(
      *rc::gen::element<std::string>("", "relu", "bias,gelu", "scale@k_tile", "scale@k_tile,bias,relu"));
  return problem;
}

inline Residency random_residency() { return {*rc::gen::arbitrary<bool>(), *rc::gen::arbitrary<bool>()}; }

}  // namespace kernbench
