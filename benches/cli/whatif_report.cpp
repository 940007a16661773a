#include "benches/cli/whatif_report.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "benches/io/text/key_names.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/report/run_report.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/cost.hpp"
#include "sim/machine/gpu/load_gpu.hpp"

namespace kernbench {
namespace {

double time_of(const Row& row) { return row.metrics.at(kTime); }

/// "2.04 x"
std::string times(double faster) { return formatted("%.2f x", faster); }

/// "+57.1 %": faster; "-3.0 %": slower.
std::string change(const Row& base, const Row& row) {
  if (row.status != "ok") return "";
  const double faster = times_faster(base, row) - 1;
  return std::abs(faster) < kNoEffect ? "=" : (faster > 0 ? "+" : "") + percent(faster);
}

/// "12.5", "free".
std::string added(double cost) { return cost > 0 ? formatted("%.6g", cost) : "free"; }

/// What the stairs compare: gains for what they cost, or for each key, and why.
std::string format_cost(const MachineSpec& machine, const Terminal& terminal) {
  const MachineCost cost = machine_cost(machine);
  if (cost.total) {
    return fact("cost", formatted("%.6g ", *cost.total) + cost.unit + " as it is; a stair gains most for what it adds",
                terminal);
  }
  return cost.missing == "cost"
             ? ""
             : fact("cost", "not computed: the machine file does not say " + cost.missing + "; every key counts alike",
                    terminal);
}

/// What limits it, for how much of the time; of a product on a GPU its clock, power and kernel.
std::vector<TableCell> limit_cells(const Row& row, const MachineSpec& machine) {
  const std::optional<LimitWords> limit = limit_words(row);
  if (!limit) return {};
  std::vector<TableCell> cells{limit_and_busy(limit->what, busy_units(row, machine)),
                               limit->share ? percent(*limit->share) : ""};
  if (!row.metrics.has(kSmClockMhz)) return cells;
  cells.insert(cells.end(), {formatted("%.0f", row.metrics.at(kSmClockMhz)), formatted("%.0f", row.metrics.at(kPowerW)),
                             row.metrics.at(kKernelText)});
  return cells;
}

/// Of a GPU: a number that was fitted to its times, and that nobody can buy more of.
bool is_fitted(const TopologyKey& key, const MachineSpec& machine) {
  if (machine.gpu == nullptr) return false;
  const auto origin = machine.gpu->origins.find(std::string(key.path()));
  return origin != machine.gpu->origins.end() && origin->second.from == NumberSource::kFit;
}

std::string format_stairs(const WhatIfReport& report, const Terminal& terminal) {
  const WhatIf& answer = report.answer;
  const bool costs = machine_cost(report.machine).total.has_value();
  const bool gpu = answer.base.metrics.has(kSmClockMhz);  // not of several points
  Table table({{"", Align::kRight},
               {"change"},
               {"from", Align::kRight, 1},
               {"to", Align::kRight},
               {"time (ns)", Align::kRight},
               {"faster", Align::kRight, 2},
               {"in all", Align::kRight},
               {costs ? "adds (" + report.machine.cost.unit + ")" : "", Align::kRight},
               {"limited by", Align::kLeft, 0, true},
               {kind_of(report.machine) == MachineKind::kPes ? "for" : "", Align::kRight, 3},
               {gpu ? "clock (MHz)" : "", Align::kRight, 3},
               {gpu ? "power (W)" : "", Align::kRight, 3},
               {gpu ? "kernel" : "", Align::kLeft, 4}});
  std::vector<TableCell> base{"", "as it is", "", "", one_decimal(time_of(answer.base)), "", "", ""};
  for (const TableCell& cell : limit_cells(answer.base, report.machine)) base.push_back(cell);
  table.add_row(base);
  const MachineSpec* before = &report.machine;
  for (std::size_t i = 0; i < answer.stairs.size(); ++i) {
    const Stair& stair = answer.stairs[i];
    const Changes keys = each_key_of(stair.changes, *before);
    for (const KeyChange& one : keys) {
      const std::string fitted = is_fitted(one.key, *before) ? " (fitted)" : "";
      std::vector<TableCell> cells{"", std::string(one.key.path()) + fitted, written_value(one.key, *before),
                                   written_value(one.key, stair.machine)};
      if (&one == &keys.front()) {
        cells.front() = std::to_string(i + 1);
        cells.insert(cells.end(), {one_decimal(time_of(stair.row)),
                                   times(stair.faster),
                                   {times(times_faster(answer.base, stair.row)), Style::kGreen},
                                   stair.added_cost ? added(*stair.added_cost) : ""});
        for (const TableCell& cell : limit_cells(stair.row, stair.machine)) cells.push_back(cell);
      }
      table.add_row(cells);
    }
    before = &stair.machine;
  }
  return table.format(terminal);
}

std::string format_effects(const WhatIfReport& report, const Terminal& terminal) {
  const Row& base = report.answer.base;
  Table table({{"key alone"},
               {"now", Align::kRight},
               {"with half", Align::kRight},
               {"with twice", Align::kRight},
               {"with +10 %", Align::kRight},
               {report.machine.gpu != nullptr ? "to buy" : ""}});
  for (const KeyEffect& effect : strong_effects(report.answer)) {
    table.add_row({name_with_others(effect.key, report.machine), written_value(effect.key, report.machine),
                   change(base, effect.half), change(base, effect.twice), change(base, effect.tenth_more),
                   is_fitted(effect.key, report.machine) ? "no: fitted" : ""});
  }
  return table.format(terminal);
}

std::string named(const std::vector<KeyEffect>& effects, const std::function<bool(const KeyEffect&)>& is) {
  std::vector<NamedKey> keys;
  for (const KeyEffect& effect : effects) keys.push_back({std::string(effect.key.path()), is(effect)});
  return names_by_section(keys);
}

/// "217 machines simulated"; "217 machines, 200 known".
std::string runs_text(const WhatIfReport& report) {
  const auto number = [](std::size_t count) { return grouped(static_cast<std::int64_t>(count)); };
  const std::string machines = number(report.answer.runs) + " machines";
  if (report.known == 0) return machines + " simulated";
  if (report.evaluations == report.answer.runs) return machines + ", " + number(report.known) + " known";
  return machines + ", " + number(report.known) + " of " + number(report.evaluations) + " points known";
}

/// "twice sm.clustered: expected at most sm.count, 132, got 240": of the keys that matter, what could not be tried and
/// why. Of a GPU, whose numbers hang together; what only rounding forbids is left out.
std::string refused_text(const WhatIfReport& report) {
  std::vector<std::string> refused;
  if (kind_of(report.machine) == MachineKind::kPes) return "";
  for (const KeyEffect& effect : strong_effects(report.answer)) {
    for (const auto& [factor, row] : {std::pair(kHalf, &effect.half), std::pair(kTwice, &effect.twice),
                                      std::pair(kTenthMore, &effect.tenth_more)}) {
      if (row->status == "ok" || row->reason.find(": expected a value to ") != std::string::npos) continue;
      const std::string path(effect.key.path());
      const bool names_key = row->reason.starts_with(path + ": ");
      refused.push_back(to_text(factor) + " " + path + ": " +
                        (names_key ? row->reason.substr(path.size() + 2) : row->reason));
    }
  }
  return joined(refused, "; ");
}

/// What another mapping, or another kernel of a GPU, gains on the machine as it is.
std::string free_text(const WhatIfReport& report) {
  const double faster = time_of(report.answer.base) / time_of(report.free->row);
  if (faster > 1 + kNoEffect) {
    return "--map '" + report.free->mapping + "' is " + times(faster) + " as fast on the machine as it is, " +
           one_decimal(time_of(report.free->row)) + " ns";
  }
  const Metrics& metrics = report.free->row.metrics;
  return metrics.has(kSimulatedMappings) ? "none of " + counted(metrics.at(kSimulatedMappings), "mapping") +
                                               " that were simulated is faster; map gemm --top N simulates more"
                                         : "no other kernel of the GPU's library is faster";
}

}  // namespace

std::string format_what_if(const WhatIfReport& report, const Terminal& terminal) {
  const WhatIf& answer = report.answer;
  std::string text = styled(report.title, Style::kBold, terminal.colours) + "\n";
  if (report.free) text += fact("free", free_text(report), terminal);
  if (!report.way.empty()) text += fact(report.way_kind, report.way, terminal);
  text += format_cost(report.machine, terminal) + "\n" + format_stairs(report, terminal) + "\n";
  if (answer.stairs.empty() && report.stairs_asked) {
    text += prose("No change of hardware that was tried is 5 % faster.", terminal) + "\n";
  }
  text += format_effects(report, terminal) + "\n";
  const auto ran = [](const KeyEffect& effect) {
    return effect.half.status == "ok" || effect.twice.status == "ok" || effect.tenth_more.status == "ok";
  };
  const auto between = [&](const KeyEffect& effect, double least, double most) {
    const double size = size_of(answer.base, effect);
    return ran(effect) && size >= least && size < most;
  };
  const auto facts = [&](const char* name, const std::function<bool(const KeyEffect&)>& is, const char* more) {
    const std::string names = named(answer.effects, is);
    return names.empty() ? "" : fact(name, names + more, terminal);
  };
  text += facts(
      "below 1 %", [&](const KeyEffect& effect) { return between(effect, kNoEffect, kStrongEffect); }, "");
  text += facts(
      "no effect", [&](const KeyEffect& effect) { return between(effect, 0, kNoEffect); }, "");
  text += facts(
      "not tried", [&](const KeyEffect& effect) { return !ran(effect); },
      ": this machine can have neither half, twice nor 10 % more");
  if (const std::string refused = refused_text(report); !refused.empty()) text += fact("impossible", refused, terminal);
  text += fact("runs", runs_text(report), terminal);
  if (kind_of(report.machine) == MachineKind::kPes) return text;
  return text +
         fact("model", "fitted to the GPU as it is; what it does not know of others is in docs/gpu-model.md", terminal);
}

}  // namespace kernbench
