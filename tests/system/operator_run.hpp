// Runs an operator in a forked child and brings back what tests look at.
#pragma once

#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/operators/operator_run.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench {

struct OperatorRan {
  Picoseconds time;
  std::int64_t compared = 0;
  std::int64_t vector_operations = 0;
  Bytes registers = 0;
  Bytes hbm = 0;
  struct OfPe {
    Bytes read = 0;
    Bytes written = 0;
    Picoseconds vector;
    Picoseconds untold;       ///< of ledger and critical path
    Picoseconds unaccounted;  ///< end of the program less what the ledger has, both together
  };
  std::vector<OfPe> pes;
};

inline std::vector<std::int32_t> first_pes(std::int64_t count) {
  std::vector<std::int32_t> pes(static_cast<std::size_t>(count));
  std::iota(pes.begin(), pes.end(), 0);
  return pes;
}

inline OperatorRan run_planned(const MachineSpec& machine, const OperatorPlan& plan, bool verify = true) {
  std::istringstream text(forked([&] {
    const auto pes = static_cast<std::int64_t>(plan.shares.size());
    const MultiPeResult run = run_operator(machine, plan, first_pes(pes), {.verify = verify});
    std::ostringstream out;
    out << run.time.value << ' ' << run.compared << ' ' << run.activity.vector_operations << ' '
        << run.activity.registers << ' ' << run.activity.hbm << ' ';
    for (const PeReport& pe : run.pes) {
      const LedgerTotals& time = pe.ledger.time;
      const LedgerTotals& path = pe.ledger.path;
      out << pe.read << ' ' << pe.written << ' ' << pe.vector.value << ' '
          << (time.of(Cause::kUntold) + path.of(Cause::kUntold)).value << ' '
          << 2 * pe.end.value - time.sum().value - path.sum().value << ' ';
    }
    return out.str();
  }));
  OperatorRan ran;
  text >> ran.time.value >> ran.compared >> ran.vector_operations >> ran.registers >> ran.hbm;
  for (OperatorRan::OfPe pe;
       text >> pe.read >> pe.written >> pe.vector.value >> pe.untold.value >> pe.unaccounted.value;) {
    ran.pes.push_back(pe);
  }
  return ran;
}

inline OperatorRan run_problem(const MachineSpec& machine, const OperatorProblem& problem, std::int64_t pes,
                               bool verify = true) {
  return run_planned(machine, plan_operator_on(machine, problem, pes), verify);
}

}  // namespace kernbench
