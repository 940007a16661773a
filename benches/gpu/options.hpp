// The options that all measuring commands share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "benches/io/program/command.hpp"

namespace kernbench::gpu {

struct Options {
  std::string suites = "scripts/gpu/suites.json";  ///< the lists of cases
  std::string out;                                 ///< the file to write
  double budget_s = 300;
  bool smoke = false;
  bool quick = false;
  bool list = false;
  std::uint64_t seed = 1;
  int gpus = 1;
  int samples = 0;   ///< of each family; 0: as many as SampleLimits says
  int warm_ups = 2;  ///< repetitions before the first sample

  /// Adds --suites, --out, --budget, --smoke, --quick, --samples, --warm-ups, --list and --seed; `out` is the file
  /// where --out names none.
  static std::shared_ptr<Options> add_to(CommandSpec& command, const std::string& out);
};

}  // namespace kernbench::gpu
