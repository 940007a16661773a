#include "benches/gemm/on_pes.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/network/buffer_room.hpp"
#include "sim/system/run.hpp"

namespace kernbench {
namespace {

GemmOnPes place_on_pes(const MachineSpec& machine, const GemmAsked& asked) {
  GemmOnPes gemm{asked, problem_of(asked), way_of(asked.variant), machine, {}};
  if (asked.over == kOnePe) {
    one_pe::check(gemm);
  } else {
    gemm.over = parse_pes("over", asked.over, machine);
    several_pes::check(gemm);
  }
  return gemm;
}

std::string title_on_pes(const GemmOnPes& gemm) {
  const std::string what =
      "gemm " + problem_text(gemm.problem) + " " + (gemm.way.by_mapping() ? "mapped" : gemm.way.kernel);
  return gemm.over ? what + " over " + counted(several_pes::count(gemm), "PE") + " of " + gemm.machine.name
                   : what + " on " + gemm.machine.name;
}

/// Warnings and notes are of machines whose PEs send each other something.
Planned plan_on_pes(const std::vector<GemmOnPes>& all, const Planning& planning) {
  Planned planned;
  for (const GemmOnPes& gemm : all) {
    std::string why;
    MemoryEstimate memory;
    try {
      if (gemm.over) {
        if (planned.warnings.empty()) planned.warnings = buffer_warnings(gemm.over->machine);
        planned.notes.clear();  // the same of each
        memory = several_pes::plan(gemm, planning, planned.notes);
      } else {
        one_pe::require_room(gemm);
        memory = one_pe::memory(gemm, planning.verify);
      }
    } catch (const ConfigError& error) {
      if (!planning.choice) throw;
      why = error.what();
    }
    planned.skipped.push_back(why);
    planned.memory.push_back(std::move(memory));
  }
  if (all.size() > 1 && !why_no_bound(all.front().machine).empty()) {
    planned.notes.push_back(why_no_bound(all.front().machine));
  }
  const bool none = std::ranges::none_of(planned.skipped, [](const std::string& why) { return why.empty(); });
  if (none) throw ConfigError("no variant can do it: " + planned.skipped.front());
  return planned;
}

Row run_on_pes(const GemmOnPes& gemm, const RunSettings& settings) {
  return gemm.over ? several_pes::run(gemm, settings) : one_pe::run(gemm, settings);
}

Row bound_on_pes(const GemmOnPes& gemm) { return gemm.over ? several_pes::bound(gemm) : one_pe::bound(gemm); }

MemoryEstimate memory_on_pes(const GemmOnPes& gemm, bool verify) {
  return gemm.over ? several_pes::memory(gemm, verify) : one_pe::memory(gemm, verify);
}

/// In tiles of the machine's array, and what is done before them.
double cost_on_pes(const GemmOnPes& gemm) {
  constexpr double kSetUpOfPe = 50;
  constexpr double kMappings = 12;  // simulated where one is chosen, about
  const TileShape& tile = gemm.machine.pe.mac.tile;
  const double pes = gemm.over ? static_cast<double>(several_pes::count(gemm)) : 1;
  const double run =
      kSetUpOfPe * pes + static_cast<double>(gemm.problem.macs()) / static_cast<double>(tile.m * tile.k * tile.n);
  return gemm.way.by_mapping() ? kMappings * run : run;
}

std::string report_on_pes(const GemmOnPes& gemm, const Row& row, const Terminal& terminal) {
  return gemm.over ? several_pes::report(gemm, row, terminal) : one_pe::report(gemm, row, terminal);
}

std::vector<Way<GemmAsked>> ways_on_pes(const GemmOnPes& gemm, std::size_t top, const RunSettings& settings) {
  if (!gemm.way.by_mapping()) {
    throw ConfigError("variant " + gemm.way.kernel +
                      ": expected auto, or parts of a mapping, of which the rest is chosen");
  }
  return gemm.over ? several_pes::ways(gemm, top, settings) : one_pe::ways(gemm, top, settings);
}

std::string ways_table_on_pes(const GemmOnPes& gemm, const std::vector<Row>& rows, std::size_t top,
                              const Terminal& terminal) {
  return gemm.over ? several_pes::ways_table(gemm, rows, top, terminal) : one_pe::ways_table(gemm, rows, top, terminal);
}

/// By the mapping of the machine as it is, or by that which ranks first on the changed one, where that is faster
/// (35.5). Two simulations, not as many as are compared for the machine as it is: there are hundreds of machines.
GemmAsked changed_on_pes(const GemmAsked& asked, const Row& base, bool hold) {
  GemmAsked changed = asked;
  if (hold && !way_of(asked.variant).by_mapping()) {
    throw ConfigError("--keep-mapping: expected no kernel by --variant, which stays anyway");
  }
  if (!base.metrics.has(kMappingText)) return changed;
  const std::string mapping = base.metrics.at(kMappingText);
  changed.variant = hold ? mapping : with_kept(asked.variant, mapping);
  return changed;
}

std::optional<GemmAsked> freely_on_pes(const GemmOnPes& gemm) {
  if (gemm.way.by_mapping()) return std::nullopt;
  GemmAsked best = gemm.asked;
  best.variant = kChosenMapping;
  return best;
}

}  // namespace

bool asks_for_records(const RunSettings& settings) { return settings.verify || settings.sink != nullptr; }

RunSettings without_records(RunSettings settings) {
  settings.verify = false;
  settings.sink = nullptr;
  return settings;
}

WorkloadAnswers gemm_on_pes(const Axes<GemmAsked>& axes) {
  const Answers<GemmAsked, GemmOnPes> answers{.columns = {{"time_ns", "time (ns)"},
                                                          {"bound_ns", "bound (ns)"},
                                                          {"mac_util", "MAC util", true},
                                                          {"useful_eff", "useful eff", true},
                                                          {"network_bytes", "network (B)"},
                                                          {"idle_pes", "idle PEs"},
                                                          {"replicated_bytes", "replicated before (B)"},
                                                          {"work_imbalance", "work imbalance", true},
                                                          {"busiest_link_util", "busiest link", true},
                                                          {"bound_bottleneck", "bound by"},
                                                          {"chosen_placement", "matrices"}},
                                              .multi_pe = true,
                                              .smaller = "a smaller problem, fewer PEs",
                                              .plan = plan_on_pes,
                                              .place = place_on_pes,
                                              .title = title_on_pes,
                                              .run = run_on_pes,
                                              .memory = memory_on_pes,
                                              .cost = cost_on_pes,
                                              .bound = bound_on_pes,
                                              .report = report_on_pes,
                                              .ways = ways_on_pes,
                                              .ways_table = ways_table_on_pes,
                                              .changed = changed_on_pes,
                                              .freely = freely_on_pes};
  return answers.of(axes);
}

}  // namespace kernbench
