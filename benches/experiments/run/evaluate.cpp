#include "benches/experiments/run/evaluate.hpp"

#include <algorithm>
#include <utility>

#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// An evaluation's place in the cache.
struct CacheKey {
  std::string key;  ///< empty: it has none
  std::string name;
};

CacheKey key_of(const Evaluation& evaluation) {
  if (!evaluation.identity) return {};
  try {
    const WorkloadOnMachine identity = evaluation.identity();
    return {evaluation_key(identity.workload, identity.machine_sha256), identity.name};
  } catch (const ConfigError&) {
    return {};  // its simulation will say so
  }
}

/// What is to be simulated.
struct Missing {
  std::size_t index = 0;
  CacheKey kept_as;
};

}  // namespace

Evaluated evaluate(const std::vector<Evaluation>& evaluations, const EvaluateOptions& options) {
  EvaluationCache* const cache = options.cache != nullptr && options.cache->usable() ? options.cache : nullptr;
  Evaluated evaluated;
  std::vector<Missing> missing;
  double cost = 0;
  for (const Evaluation& evaluation : evaluations) {
    std::optional<Row>& row = evaluated.rows.emplace_back();
    CacheKey key = cache != nullptr ? key_of(evaluation) : CacheKey{};
    if (!key.key.empty()) row = cache->find(key.key);
    if (row) {
      row->point = evaluation.point;
      ++evaluated.known;
      continue;
    }
    missing.push_back({evaluated.rows.size() - 1, std::move(key)});
    cost += evaluation.cost;
  }
  std::ranges::stable_sort(missing, std::greater(), [&](const Missing& one) { return evaluations[one.index].cost; });
  std::vector<const Evaluation*> asked;
  asked.reserve(missing.size());
  for (const Missing& one : missing) asked.push_back(&evaluations[one.index]);

  const std::size_t before = options.done_before + evaluated.known;
  const bool shown = options.shows == Progress::Shows::kRows || missing.size() > 1;
  const std::size_t in_all = missing.size() + options.to_come;
  if (!missing.empty()) cost *= static_cast<double>(in_all) / static_cast<double>(missing.size());
  Progress progress(options.title, before + in_all, before, cost, shown ? options.shows : Progress::Shows::kNothing);
  ExecutorEvents events;
  events.on_tick = [&progress] { progress.draw(); };
  events.on_row = [&](std::size_t done, Row done_row, const std::string& output) {
    const std::size_t index = missing[done].index;
    const CacheKey& key = missing[done].kept_as;
    const Evaluation& evaluation = evaluations[index];
    Row& row = evaluated.rows[index].emplace(std::move(done_row));
    row.point = evaluation.point;
    if (!key.key.empty()) cache->keep(key.key, key.name, row);
    std::string line;
    if (options.on_row) {
      progress.clear();
      line = options.on_row(index, row, output);
    }
    progress.point_done(line, evaluation.cost, row.status == "failed");
  };
  LocalExecutor local(options.children);
  Executor& executor = options.executor != nullptr ? *options.executor : local;
  evaluated.stopped_by = asked.empty() ? 0 : executor.simulate(asked, events);
  return evaluated;
}

std::vector<bool> known_evaluations(const std::vector<Evaluation>& evaluations, EvaluationCache& cache) {
  std::vector<bool> known;
  for (const Evaluation& evaluation : evaluations) {
    const std::string key = key_of(evaluation).key;
    known.push_back(!key.empty() && cache.find(key).has_value());
  }
  return known;
}

}  // namespace kernbench
