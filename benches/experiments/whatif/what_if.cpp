#include "benches/experiments/whatif/what_if.hpp"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "benches/experiments/whatif/whatif_metrics.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/cost.hpp"

namespace kernbench {
namespace {

constexpr double kAsWell = 0.01;  ///< of the speed

/// Runs each machine once, however often it is asked for.
class Evaluations {
 public:
  explicit Evaluations(const Evaluate& evaluate) : evaluate_(evaluate) {}

  /// The machine with each set of changes; "skipped" where there is no such machine.
  std::vector<Row> of(const MachineSpec& machine, const std::vector<Changes>& sets) {
    std::vector<std::string> forms;
    std::vector<MachineSpec> missing;
    std::vector<std::string> missing_forms;
    std::map<std::string, Row> none;
    for (const Changes& changes : sets) {
      try {
        const MachineSpec spec = changed(machine, changes);
        forms.push_back(machine_sha256(spec));
        if (known_.contains(forms.back()) || std::ranges::count(missing_forms, forms.back()) > 0) continue;
        missing.push_back(spec);
        missing_forms.push_back(forms.back());
      } catch (const ConfigError& error) {
        forms.push_back("no machine: " + std::string(error.what()));
        Row& row = known_[forms.back()];
        row.status = "skipped";
        row.reason = error.what();
      }
    }
    const std::vector<Row> rows = missing.empty() ? std::vector<Row>{} : evaluate_(missing);
    for (std::size_t i = 0; i < rows.size(); ++i) known_[missing_forms[i]] = rows[i];
    runs_ += rows.size();
    std::vector<Row> answer;
    for (const std::string& form : forms) answer.push_back(known_.at(form));
    return answer;
  }

  [[nodiscard]] std::size_t runs() const { return runs_; }

 private:
  const Evaluate& evaluate_;
  std::map<std::string, Row> known_;  // by the machine's hash
  std::size_t runs_ = 0;
};

/// Of the window.
double worth_of(const Row& row, const CoupledKeys& path) {
  double worth = 0;
  for (const Cause cause : path.causes) worth += row.metrics.value_or(ledger_metric(cause), 0);
  return worth / row.metrics.at(kTime);
}

/// Whether one of its keys alone changes the time of the first machine.
bool has_effect(const WhatIf& answer, const CoupledKeys& path) {
  return std::ranges::any_of(answer.effects, [&](const KeyEffect& effect) {
    return std::ranges::count(path.better, effect.key, &KeyChange::key) > 0 &&
           size_of(answer.base, effect) >= kNoEffect;
  });
}

bool has_ledger(const Row& row) { return row.metrics.has(kLimitedByShare); }

/// The path, of a GPU without the keys that change nothing of the first machine either way (35.14): those of other
/// dtypes and other kernels.
CoupledKeys followed(CoupledKeys path, const WhatIf& answer, MachineKind kind) {
  if (kind == MachineKind::kPes) return path;
  std::erase_if(path.better, [&](const KeyChange& change) {
    const auto effect = std::ranges::find(answer.effects, change.key, &KeyEffect::key);
    return effect == answer.effects.end() || size_of(answer.base, *effect) == 0;
  });
  return path;
}

/// Without the keys that it does as well without, the first of them first.
Changes fewest_of(Changes set, const MachineSpec& machine, Evaluations& evaluations) {
  const Row all = evaluations.of(machine, {set}).front();
  for (std::size_t i = 0; i < set.size() && set.size() > 1;) {
    Changes less = set;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    if (times_faster(all, evaluations.of(machine, {less}).front()) < 1 - kAsWell) {
      ++i;
    } else {
      set = std::move(less);
    }
  }
  return set;
}

/// What may be bought next (35.4).
std::vector<Changes> candidates_of(const WhatIf& answer, const MachineSpec& first, const MachineSpec& machine,
                                   const Row& now, const WhatIfLimits& limits, Evaluations& evaluations) {
  std::vector<Changes> candidates;
  for (const KeyEffect& effect : answer.effects) {
    if (!may_be_bought(effect.key)) continue;
    for (const auto& [factor, row] : {std::pair(kTwice, &effect.twice), std::pair(kHalf, &effect.half)}) {
      const KeyChange change{effect.key, factor};
      if (times_faster(answer.base, *row) > 1 && within_reach(change, machine, first)) candidates.push_back({change});
    }
  }
  for (const CoupledKeys& known : coupled_keys(kind_of(first))) {
    const CoupledKeys path = followed(known, answer, kind_of(first));
    if (path.better.empty()) continue;
    if (has_ledger(now) ? worth_of(now, path) < limits.least_worth : !has_effect(answer, path)) continue;
    for (Changes& set : candidates_on(path, machine, first, limits.together)) {
      candidates.push_back(path.whole ? fewest_of(set, machine, evaluations) : std::move(set));
    }
  }
  return candidates;
}

/// What a set of changes is worth: what is free comes before all that costs something.
enum class Price : std::uint8_t { kSome, kNone };
struct Worth {
  Price price = Price::kSome;
  double gain = 0;  ///< ln(times as fast), for each unit of what it costs, or for each key
  auto operator<=>(const Worth&) const = default;
};

Worth worth_of(double faster, const Changes& changes, std::optional<double> added_cost) {
  const double gain = std::log(faster);
  if (!added_cost) return {Price::kSome, gain / static_cast<double>(changes.size())};
  return *added_cost > 0 ? Worth{Price::kSome, gain / *added_cost} : Worth{Price::kNone, gain};
}

std::optional<double> added_cost(const MachineSpec& before, const MachineSpec& after) {
  const std::optional<double> cost = machine_cost(before).total;
  const std::optional<double> then = machine_cost(after).total;
  return cost && then ? std::optional(*then - *cost) : std::nullopt;
}

/// The set that is worth most, of equal ones the first; nothing where none gains enough.
std::optional<Stair> next_stair(const WhatIf& answer, const MachineSpec& first, const MachineSpec& machine,
                                const Row& now, Evaluations& evaluations, const WhatIfLimits& limits) {
  const std::vector<Changes> candidates = candidates_of(answer, first, machine, now, limits, evaluations);
  const std::vector<Row> rows = evaluations.of(machine, candidates);
  std::optional<Stair> best;
  Worth most;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double faster = times_faster(now, rows[i]);
    if (faster < limits.least_faster) continue;
    Stair stair{candidates[i], changed(machine, candidates[i]), rows[i], faster};
    stair.added_cost = added_cost(machine, stair.machine);
    const Worth worth = worth_of(faster, stair.changes, stair.added_cost);
    if (worth <= most) continue;
    most = worth;
    best = std::move(stair);
  }
  return best;
}

/// Of what all these stairs changed, each key once.
std::string settings_of(std::span<const Stair> stairs) {
  const MachineSpec& machine = stairs.back().machine;
  std::vector<TopologyKey> keys;
  for (const Stair& stair : stairs) {
    for (const KeyChange& change : each_key_of(stair.changes, machine)) {
      if (std::ranges::count(keys, change.key) == 0) keys.push_back(change.key);
    }
  }
  std::string text;
  for (const TopologyKey& key : keys) {
    text += (text.empty() ? "" : "; ") + std::string(key.path()) + "=" + written_value(key, machine);
  }
  return text;
}

Row with_point(Row row, const std::string& what, const std::string& set, const Row& base) {
  row.point = Json{{"what", what}, {"set", set}};
  if (row.status == "ok") row.metrics.set(kTimesFaster, times_faster(base, row));
  return row;
}

KeyCurve curve_of(const KeyEffect& effect, const WhatIf& answer, const MachineSpec& machine, Evaluations& evaluations) {
  const std::vector<Row> ends = evaluations.of(machine, {{{effect.key, kQuarter}}, {{effect.key, kFourTimes}}});
  KeyCurve curve{
      effect.key,
      {{kQuarter, ends[0]}, {kHalf, effect.half}, {{}, answer.base}, {kTwice, effect.twice}, {kFourTimes, ends[1]}}};
  std::erase_if(curve.values, [](const KeyCurve::Value& value) { return value.row.status != "ok"; });
  return curve;
}

void add_key_row(std::vector<Row>& rows, const Row& row, const KeyChange& change, const WhatIf& answer,
                 const MachineSpec& machine) {
  rows.push_back(with_point(row, "key", setting_of(change, machine), answer.base));
  rows.back().point["with"] = to_text(change.factor);
}

}  // namespace

double times_faster(const Row& before, const Row& after) {
  if (before.status != "ok" || after.status != "ok") return 1;
  return before.metrics.at(kTime) / after.metrics.at(kTime);
}

WhatIf what_if(const MachineSpec& machine, const Evaluate& evaluate, const WhatIfLimits& limits) {
  Evaluations evaluations(evaluate);
  WhatIf answer;
  answer.base = evaluations.of(machine, {{}}).front();
  if (answer.base.status == "skipped") throw ConfigError(answer.base.reason);
  if (answer.base.status != "ok") throw SimulationError(answer.base.reason);

  std::vector<Changes> alone;
  for (const TopologyKey& key : hardware_keys(machine)) {
    for (const Factor factor : {kHalf, kTwice, kTenthMore}) alone.push_back({{key, factor}});
  }
  const std::vector<Row> rows = evaluations.of(machine, alone);
  for (std::size_t i = 0; i < rows.size(); i += 3) {
    answer.effects.push_back({alone[i].front().key, rows[i], rows[i + 1], rows[i + 2]});
  }
  const Stair* last = nullptr;
  while (answer.stairs.size() < limits.stairs) {
    std::optional<Stair> next = next_stair(answer, machine, last != nullptr ? last->machine : machine,
                                           last != nullptr ? last->row : answer.base, evaluations, limits);
    if (!next) break;
    answer.stairs.push_back(std::move(*next));
    last = &answer.stairs.back();
  }
  for (const KeyEffect& effect : strong_effects(answer)) {
    if (answer.curves.size() == limits.curves) break;
    if (kind_of(machine) == MachineKind::kGpu && !may_be_bought(effect.key)) continue;  // 35.14
    answer.curves.push_back(curve_of(effect, answer, machine, evaluations));
  }
  answer.runs = evaluations.runs();
  return answer;
}

double size_of(const Row& base, const KeyEffect& effect) {
  double size = 0;
  for (const Row* row : {&effect.half, &effect.twice, &effect.tenth_more}) {
    size = std::max(size, std::abs(std::log(times_faster(base, *row))));
  }
  return size;
}

std::vector<KeyEffect> strong_effects(const WhatIf& answer) {
  std::vector<KeyEffect> effects = answer.effects;
  std::erase_if(effects, [&](const KeyEffect& effect) { return size_of(answer.base, effect) < kStrongEffect; });
  std::ranges::stable_sort(effects, std::ranges::greater(),
                           [&](const KeyEffect& effect) { return size_of(answer.base, effect); });
  return effects;
}

std::optional<std::size_t> knee_of(const KeyCurve& curve) {
  const std::vector<KeyCurve::Value>& values = curve.values;
  if (values.size() < 2) return std::nullopt;
  const bool more_is_better = times_faster(values.front().row, values.back().row) >= 1;
  // Counted from the good end.
  const auto at = [&](std::size_t i) { return more_is_better ? values.size() - 1 - i : i; };
  std::size_t knee = 0;
  while (knee + 1 < values.size() && times_faster(values[at(knee + 1)].row, values[at(knee)].row) - 1 < kStrongEffect) {
    ++knee;
  }
  return knee == 0 ? std::nullopt : std::optional(at(knee));
}

std::vector<Row> rows_of(const WhatIf& answer, const MachineSpec& machine) {
  std::vector<Row> rows{with_point(answer.base, "base", "", answer.base)};
  if (answer.free) rows.push_back(with_point(answer.free->row, "mapping", answer.free->mapping, answer.base));
  const std::span<const Stair> stairs = answer.stairs;
  for (std::size_t i = 0; i < stairs.size(); ++i) {
    rows.push_back(with_point(stairs[i].row, "stair", settings_of(stairs.first(i + 1)), answer.base));
    if (stairs[i].added_cost) rows.back().metrics.set(kAddedCost, *stairs[i].added_cost);
  }
  for (const KeyEffect& effect : answer.effects) {
    add_key_row(rows, effect.half, {effect.key, kHalf}, answer, machine);
    add_key_row(rows, effect.twice, {effect.key, kTwice}, answer, machine);
    add_key_row(rows, effect.tenth_more, {effect.key, kTenthMore}, answer, machine);
  }
  for (const KeyCurve& curve : answer.curves) {
    for (const auto& [factor, row] : curve.values) {
      if (factor == kQuarter || factor == kFourTimes) add_key_row(rows, row, {curve.key, factor}, answer, machine);
    }
  }
  return rows;
}

}  // namespace kernbench
