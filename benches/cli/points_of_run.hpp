// Which points `kernbench run` simulates: a bench's own, those of a file, a sweep, a sample.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "benches/io/program/command.hpp"
#include "benches/workloads/bench.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

struct PointsOfRun {
  std::string points;  ///< file of them; empty: the bench's own
  std::vector<std::string> sweeps;
  std::vector<std::string> links;
  std::vector<std::string> conditions;
  std::string sample;
  std::int64_t seed = 1;
  std::string only;
  std::vector<std::string> injections;

  void add_to(CommandSpec& command);
  /// " --sweep pe.mac.rows=32,64": what was given, for a command line.
  [[nodiscard]] std::string given() const;
  /// The bench, or a sweep of it; all of a grid, what --where leaves of it, or a sample; with what points of a file
  /// come to in all. `fast`: committed results are asked for. Throws ConfigError that begins with the option.
  [[nodiscard]] Bench bench_of(const Bench& registered, const MachineSpec& machine, bool fast) const;

  /// That --only or --sweep names.
  [[nodiscard]] std::set<std::string> named_axes() const;
  /// Before anything is simulated. Of values that nobody asked for, the bench's own, those that the machine cannot do
  /// are left out, as long as it can do some; returns why. Throws ConfigError for others.
  [[nodiscard]] std::vector<std::string> check(const Bench& bench, const MachineSpec& machine,
                                               std::vector<LabelledPoint>& all) const;

 private:
  [[nodiscard]] Bench swept_bench(const Bench& registered, const MachineSpec& machine) const;
};

}  // namespace kernbench
