// Reads committed results.
#include "benches/cli/committed.hpp"

#include "benches/cli/source_tree.hpp"
#include "benches/harness/results/store.hpp"

namespace kernbench {

std::filesystem::path committed_folder(const Bench& bench) { return in_source_tree(bench.folder) / "results"; }

std::optional<Committed> read_committed(const Bench& bench) {
  const std::filesystem::path folder = committed_folder(bench);
  if (!std::filesystem::exists(folder / "results.json")) return std::nullopt;
  Committed committed;
  committed.simulated = read_results(folder / "results.json");
  if (bench.theory) committed.theory = read_results(folder / "theory.json");
  return committed;
}

}  // namespace kernbench
