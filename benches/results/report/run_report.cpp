// Everything is read from the row; only shares of a window are computed here.
#include "benches/results/report/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/rows/cause_words.hpp"
#include "benches/results/rows/energy_row.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/checked.hpp"
#include "sim/plan/hbm_of_die.hpp"

namespace kernbench {
namespace {

double window_ns(const Row& row) { return row.windows.at("pe_ns").get<double>(); }

/// The time in which the channels were at work in the window, all together; for a memory that follows the keys of its
/// channels.
double hbm_busy_ns(const Row& row) { return row.metrics.at(kHbmBusy); }

double hbm_share(const Row& row, const MachineSpec& machine) {
  return hbm_busy_ns(row) / static_cast<double>(hbm_channels(machine.die)) / window_ns(row);
}

}  // namespace

std::string format_stages(const Row& row, const MachineSpec& machine, const Terminal& terminal) {
  const bool has_energy =
      std::ranges::any_of(row.stages, [](const StageRow& stage) { return stage.energy_pj.has_value(); });
  Table table({{"stage"},
               {"engine", Align::kLeft, 2},
               {"records", Align::kRight, 3},
               {"wall (ns)", Align::kRight},
               {"busy (ns)", Align::kRight, 1},
               {"share", Align::kRight},
               {"bytes", Align::kRight},
               {"GB/s", Align::kRight},
               {has_energy ? "energy" : "", Align::kRight}});
  for (const StageRow& stage : row.stages) {
    const bool moves = stage.bytes > 0 && stage.wall_ns > 0;
    table.add_row({stage.stage, stage.engine, grouped(stage.records), one_decimal(stage.wall_ns),
                   one_decimal(stage.busy_ns), percent(stage.wall_ns / window_ns(row)),
                   stage.bytes > 0 ? grouped(stage.bytes) : "",
                   moves ? one_decimal(static_cast<double>(stage.bytes) / stage.wall_ns) : "",
                   stage.energy_pj ? joules_text(*stage.energy_pj) : ""});
  }
  const HbmSpec& hbm = machine.die.hbm;
  const auto bursts = row.metrics.at(kHbmBursts);
  const bool known = hbm.follows_keys();
  table.add_row({"hbm", known ? std::to_string(hbm_channels(machine.die)) + " channels" : hbm.model, grouped(bursts),
                 "", known ? one_decimal(hbm_busy_ns(row)) : "", known ? percent(hbm_share(row, machine)) : "",
                 grouped(checked_multiply(bursts, hbm.burst, "bytes moved by the HBM", kInBytes)), ""});
  return table.format(terminal);
}

std::string limit_text(const Row& row) {
  const std::optional<LimitWords> limit = limit_words(row);
  return limit ? limit->what + (limit->share ? " " + percent(*limit->share) : "") : "";
}

std::string format_limit(const Row& row, const MachineSpec& machine, const Terminal& terminal) {
  const std::optional<CauseTime> limit = limit_of(row);
  if (!limit) return "";
  std::string all;
  for (const CauseTime& cause : ledger_of(row)) {
    if (cause.share < 0.0005) break;  // what is shown as 0.0 %
    all += (all.empty() ? "" : ", ") + cause_name(cause.cause) + " " + percent(cause.share);
  }
  std::string busy;
  for (const BusyUnit& unit : busy_units(row, machine)) {
    busy += (busy.empty() ? "" : ", ") + unit.name + " " + percent(unit.share);
  }
  return fact("limited by",
              cause_name(limit->cause) + (facts_of(limit->cause).array ? ", at work for " : ", for up to ") +
                  percent(limit->share) + " of the PE window: " + words_of(limit->cause).cure(row, machine),
              terminal) +
         (busy.empty() ? "" : fact("as busy", busy + " of the PE window: more of one alone gains little", terminal)) +
         fact("time spent", all, terminal);
}

std::string fact(const std::string& name, const std::string& value, const Terminal& terminal) {
  constexpr std::size_t kWidth = 12;
  return hanging(name + std::string(name.size() < kWidth ? kWidth - name.size() : 1, ' '), value, terminal.width);
}

std::string format_extras(const Row& row, const std::string& trace_file, const Terminal& terminal) {
  std::string text;
  if (const std::string energy = energy_text(row); !energy.empty()) text += fact("energy", energy, terminal);
  if (const std::string power = power_text(row); !power.empty()) text += fact("power", power, terminal);
  if (row.metrics.has(kValuesCompared)) {
    const auto compared = row.metrics.at(kValuesCompared);
    text += fact("values",
                 compared == 0 ? "no values compared: the kernel calls no expect"
                               : "verified: " + counted(compared, "value") + " compared, all as the kernel expects",
                 terminal);
  } else if (std::ranges::find(row.flags, "verified") != row.flags.end()) {
    text += fact("values", "verified: the result that the simulated machine computed equals the reference", terminal);
  }
  if (!trace_file.empty()) text += fact("trace", trace_file + " (opens in https://ui.perfetto.dev)", terminal);
  return text;
}

}  // namespace kernbench
