// What `kernbench run` leaves in its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "benches/experiments/run/run_bench.hpp"
#include "benches/experiments/run/run_folder.hpp"
#include "benches/workloads/bench.hpp"
#include "sim/machine/load_machine.hpp"

namespace kernbench {

/// A finished run, and what its page says of how it came about.
struct RunToWrite {
  const Bench& bench;
  const BenchRun& run;
  const LoadedMachine& machine;  ///< of the command; results that are not of it are drawn without it
  std::string command;           ///< the command line, output options left out
  std::string show = {};         ///< what the page shows at first, as --show has it
};

/// The toggles of the bench's page; null where it has none. Throws ConfigError for what cannot be shown.
[[nodiscard]] Json run_toggles(const Bench& bench, const std::string& show);

/// Those with the machine in them, the bench's own, then those beside the reference data of every device. None where
/// the bench has none.
[[nodiscard]] std::vector<Figure> run_figures(const RunToWrite& what);

/// Results, theory and, where `figures` are wanted, figures and page, all in place of what an earlier run wrote;
/// returns their paths. Where figures cannot be drawn the rest is written all the same, and the exception then passed
/// on.
std::vector<std::filesystem::path> write_run(const RunToWrite& what, RunFolder& folder, bool figures);

}  // namespace kernbench
