#include "benches/results/rows/limit.hpp"

#include <algorithm>

#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/concurrent_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"
#include "sim/plan/hbm_of_die.hpp"

namespace kernbench {

void add_ledger(Row& row, const Ledger::Closed& ledger) {
  for (const Cause cause : kCauses.values()) {
    if (ledger.time.of(cause) > Picoseconds{}) row.metrics.set(ledger_metric(cause), ledger.time.of(cause).ns());
  }
  const Cause limit = ledger.limit();
  if (ledger.time.sum() == Picoseconds{}) return;  // of a program without a call
  row.metrics.set(kLimitedBy, kCauses[limit]);
  row.metrics.set(kLimitedByShare,
                  static_cast<double>((facts_of(limit).array ? ledger.time.of(limit) : ledger.worth(limit)).value) /
                      static_cast<double>(ledger.time.sum().value));
}

void add_ledgers(Row& row, const std::vector<PeReport>& pes) {
  const auto last = std::ranges::max_element(pes, {}, &PeReport::end);
  if (last == pes.end()) return;
  row.metrics.set(kCriticalPe, last->name);
  row.windows["pe_ns"] = last->end.ns();
  add_ledger(row, last->ledger);
  for (const Cause cause : kCauses.values()) {
    const auto time = [cause](const PeReport& pe) { return pe.ledger.time.of(cause); };
    const auto [least, most] = std::ranges::minmax_element(pes, {}, time);
    if (time(*most) == Picoseconds{}) continue;
    Picoseconds sum;
    for (const PeReport& pe : pes) sum += time(pe);
    row.metrics.set(ledger_metric(cause, "mean"), sum.ns() / static_cast<double>(pes.size()));
    row.metrics.set(ledger_metric(cause, "min"), time(*least).ns());
    row.metrics.set(ledger_metric(cause, "max"), time(*most).ns());
  }
}

std::vector<CauseSpread> ledger_spread_of(const Row& row) {
  std::vector<CauseSpread> causes;
  for (const Cause cause : kCauses.values()) {
    const auto ns = [&](const auto& metric) { return row.metrics.value_or(metric, 0); };
    const CauseSpread spread{cause, ns(ledger_metric(cause)), ns(ledger_metric(cause, "mean")),
                             ns(ledger_metric(cause, "min")), ns(ledger_metric(cause, "max"))};
    if (spread.max_ns > 0) causes.push_back(spread);
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), &CauseSpread::mean_ns);
  return causes;
}

std::optional<CauseTime> limit_of(const Row& row) {
  if (!row.metrics.has(kLimitedByShare)) return std::nullopt;
  const double share = row.metrics.at(kLimitedByShare);
  return CauseTime{kCauses.parse(row.metrics.at(kLimitedBy)), share * row.windows.at("pe_ns").get<double>(), share};
}

std::optional<LimitWords> limit_words(const Row& row) {
  if (const std::optional<CauseTime> limit = limit_of(row)) return LimitWords{cause_name(limit->cause), limit->share};
  if (!row.metrics.has(kLimitedBy)) return std::nullopt;
  return LimitWords{row.metrics.at(kLimitedBy)};
}

std::vector<CauseTime> ledger_of(const Row& row) {
  std::vector<CauseTime> causes;
  for (const Cause cause : kCauses.values()) {
    const std::optional<double> ns = row.metrics.find(ledger_metric(cause));
    if (ns) causes.push_back({cause, *ns, *ns / row.windows.at("pe_ns").get<double>()});
  }
  std::ranges::stable_sort(causes, std::ranges::greater(), &CauseTime::ns);
  return causes;
}

double wall_of(const Row& row, const std::string& name) {
  const auto stage = std::ranges::find(row.stages, name, &StageRow::stage);
  return stage == row.stages.end() ? 0 : stage->wall_ns;
}

std::vector<BusyUnit> busy_units(const Row& row, const MachineSpec& machine) {
  constexpr double kBusy = 0.95;
  if (!row.windows.contains("pe_ns") || row.metrics.has(kCriticalPe)) return {};
  const double window = row.windows.at("pe_ns").get<double>();
  std::vector<BusyUnit> busy;
  const auto add = [&](const std::string& name, double time) {
    if (time > kBusy * window) busy.push_back({name, time / window});
  };
  add(cause_name(Cause::kMac), wall_of(row, "mac"));
  add(cause_name(Cause::kFetch), wall_of(row, "fetch"));
  add(cause_name(Cause::kEpilogue), wall_of(row, "vector"));
  add("store unit", wall_of(row, "store"));
  if (row.metrics.has(kHbmBusy)) {
    const auto channels = static_cast<double>(hbm_channels(machine.die));
    add(cause_name(Cause::kHbm), row.metrics.at(kHbmBusy) / channels);
  }
  return busy.size() > 1 ? busy : std::vector<BusyUnit>{};
}

std::string limit_and_busy(const std::string& limit, const std::vector<BusyUnit>& busy) {
  std::vector<std::string> names{limit};
  for (const BusyUnit& unit : busy) {
    const bool same =
        unit.name == limit || (unit.name == cause_name(Cause::kMac) && limit == cause_name(Cause::kArrayFill));
    if (!same) names.push_back(unit.name);
  }
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : joined(names, ", ") + " and " + last;
}

}  // namespace kernbench
