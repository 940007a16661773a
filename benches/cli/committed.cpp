// Reads committed results.
#include "benches/cli/committed.hpp"

#include <algorithm>
#include <utility>

#include "benches/experiments/run/check_results.hpp"
#include "benches/io/files/source_tree.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {

namespace {

constexpr std::size_t kMostFindings = 10;

/// Throws ConfigError with what is wrong with the files.
void require_right(const Committed& committed, const Bench& bench, const std::filesystem::path& folder) {
  const std::string simulated = (folder / "results.json").string();
  const std::string theory = (folder / "theory.json").string();
  std::vector<std::string> findings = check_results(committed.simulated, bench, "sim", simulated);
  if (bench.theory) {
    for (std::string& finding : check_results(committed.theory, bench, "theory", theory)) {
      findings.push_back(std::move(finding));
    }
    if (const auto other = staleness(committed.theory.source, committed.simulated.source); !other.empty()) {
      findings.push_back(theory + ": is not of the same run as results.json: " + joined_in_words(other));
    }
  }
  if (findings.empty()) return;
  std::string text;
  for (std::size_t i = 0; i < std::min(findings.size(), kMostFindings); ++i) text += findings[i] + "\n";
  if (findings.size() > kMostFindings) {
    text += "and " + std::to_string(findings.size() - kMostFindings) + " findings more\n";
  }
  throw ConfigError(text + "these committed results are not used: run the bench without --fast, or make them anew");
}

}  // namespace

std::filesystem::path committed_folder(const Bench& bench) { return in_source_tree(bench.folder) / "results"; }

std::optional<Committed> read_committed(const Bench& bench) {
  const std::filesystem::path folder = committed_folder(bench);
  if (!std::filesystem::exists(folder / "results.json")) return std::nullopt;
  Committed committed;
  committed.simulated = read_results(folder / "results.json");
  if (bench.theory) committed.theory = read_results(folder / "theory.json");
  require_right(committed, bench, folder);
  return committed;
}

}  // namespace kernbench
