#include "benches/experiments/run/kept_rows.hpp"

#include <set>

#include "benches/io/files/program_identity.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// Why rows of `there` may not stand beside new ones; empty: they may.
std::string objection(const Results& there, const Bench& bench, const Source& source) {
  if (there.bench != bench.name) return "they are of bench " + there.bench;
  if (there.source.kind != source.kind) return "they are of source " + there.source.kind;
  if (const auto stale = staleness(there.source, source); !stale.empty()) return joined_in_words(stale);
  const auto program = there.provenance.find("program");
  if (program == there.provenance.end()) return "their provenance does not say which build of kernbench they are of";
  return *program == program_identity() ? "" : "another build of kernbench";
}

}  // namespace

KeptRows kept_rows(const std::filesystem::path& file, const Bench& bench, const Source& source,
                   const std::vector<LabelledPoint>& run) {
  KeptRows kept;
  std::set<std::string> others;
  for (const LabelledPoint& point : expand_points(bench)) others.insert(point.point.dump());
  for (const LabelledPoint& point : run) others.erase(point.point.dump());
  if (others.empty() || !std::filesystem::exists(file)) return kept;
  try {
    Results there = read_results(file);
    kept.why = objection(there, bench, source);
    for (Row& row : there.rows) {
      const std::string point = row.point.dump();
      if (!others.contains(point)) continue;
      if (kept.why.empty()) {
        kept.rows.insert_or_assign(point, std::move(row));
      } else {
        ++kept.dropped;
      }
    }
  } catch (const ConfigError& error) {
    kept.unreadable = true;
    kept.why = error.what();
  }
  return kept;
}

}  // namespace kernbench
