// A GEMM on one PE: by a staging variant, by a mapping, or by the mapping that suits it best (adr/0032-mappings.md).
#include <algorithm>

#include "benches/gemm/mapping_words.hpp"
#include "benches/gemm/on_pes.hpp"
#include "benches/gemm/one_pe_metrics.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/limit.hpp"
#include "benches/results/rows/row_from_run.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/gemm/blocked_gemm.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/mapping_search.hpp"
#include "sim/system/run.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench::one_pe {
namespace {

using MaybeMapping = std::optional<GemmMapping>;

MachineSpec tiled(const MachineSpec& machine, const MaybeMapping& mapping) {
  return mapping ? with_tile(machine, mapping->tile) : machine;
}

GemmBound bound_of(const GemmOnPes& gemm, const MaybeMapping& mapping, const MachineSpec& spec) {
  return mapping ? gemm_bound(MappedGemm(gemm.problem, *mapping), spec)
                 : gemm_bound(gemm.problem, find_gemm_kernel(gemm.way.kernel).residency, spec);
}

/// Of one simulation, with its bound.
Row simulate(const GemmOnPes& gemm, const MachineSpec& machine, const MaybeMapping& mapping,
             const RunSettings& settings) {
  const MachineSpec spec = tiled(machine, mapping);
  const RunResult result = mapping ? run_gemm(machine, gemm.problem, *mapping, settings)
                                   : run_gemm(machine, gemm.problem, gemm.way.kernel, settings);
  Row row = row_from_run(result, spec, gemm.problem);
  flag_under_tile(row, gemm.problem, machine);
  if (mapping) row.metrics.set(kMappingText, to_text(*mapping));
  row.metrics.set(kHbmBursts, result.engine.bursts);
  if (result.hbm_busy_ns) row.metrics.set(kHbmBusy, *result.hbm_busy_ns);
  row.metrics.set(kEngineWakeups, result.engine.wakeups);
  row.metrics.set(kTilesPassedOver, result.tiles_passed_over);
  if (mapping) row.metrics.add({{kStepCount, result.steps}, {kStepsPassedOver, result.steps_passed_over}});
  if (!why_no_bound(machine).empty()) return row;
  const GemmBound bound = bound_of(gemm, mapping, spec);
  row.metrics.set(kBoundTime, bound.pe.ns());
  row.metrics.set(kBoundCompositeTime, bound.composite.ns());
  row.metrics.set(kBoundBottleneck, bound.bottleneck());
  return row;
}

Row simulate(const GemmOnPes& gemm, const MaybeMapping& mapping, const RunSettings& settings) {
  return simulate(gemm, gemm.machine, mapping, settings);
}

/// What is chosen instead of the fastest, and for what.
std::string instead_text(const MappingChoice& choice) {
  const SimulatedMapping& fastest = choice.simulated.front();
  if (is_as_fast(choice.chosen(), fastest)) {
    return "is to 0.01 % as fast as the fastest (" + to_text(fastest.ranked.mapping) + ") and " +
           (choice.chosen().ranked.array < fastest.ranked.array ? "keeps the array busy for less"
                                                                : "moves fewer bytes to and from HBM");
  }
  const auto traffic = [](const SimulatedMapping& one) { return static_cast<double>(one.ranked.traffic); };
  return "takes " + formatted("%.2g %%", 100 * (time_of(choice.chosen()) / time_of(fastest) - 1)) +
         " longer than the fastest (" + to_text(fastest.ranked.mapping) + ") and moves " +
         percent(traffic(choice.chosen()) / traffic(fastest)) + " of its bytes to and from HBM";
}

std::string chosen_text(const MappingChoice& choice) {
  const bool fastest = choice.chosen_index == 0;
  std::string text = (fastest ? "the fastest of " : "of ") + std::to_string(choice.simulated.size()) +
                     " simulated, of " + grouped(choice.tried) + " tried by the closed form";
  std::vector<double> times;
  if (fastest) {
    for (const SimulatedMapping& one : choice.simulated) times.push_back(time_of(one));
  } else {
    text += ", this one " + instead_text(choice);
  }
  text += margin_text(times, choice.over_time);
  if (choice.others_promise) text += "; others have a bound below its time (map gemm --top N simulates more)";
  return text;
}

MappingChoice choose(const GemmOnPes& gemm, std::size_t simulations, const RunSettings& settings) {
  return choose_blocked(gemm.machine, gemm.problem, gemm.way.mapping, simulations,
                        [&](const GemmMapping& mapping) { return simulate(gemm, mapping, without_records(settings)); });
}

Row run_chosen(const GemmOnPes& gemm, const RunSettings& settings) {
  const MappingChoice choice = choose(gemm, kMappingsSimulated, settings);
  const SimulatedMapping& best = choice.chosen();
  Row row = asks_for_records(settings) ? simulate(gemm, best.ranked.mapping, settings) : best.row;
  if (choice.tried > 1) {
    row.metrics.set(kSimulatedMappings, choice.simulated.size());
    row.metrics.set(kChosenText, chosen_text(choice));
  }
  return row;
}

/// The mapping that is kept, where it fits, or that which ranks first, where that is faster.
Row run_kept(const GemmOnPes& gemm, const RunSettings& settings) {
  const GemmMapping kept = complete_mapping(*gemm.way.kept);
  const GemmMapping first = search_mappings(gemm.problem, gemm.machine, gemm.way.mapping, 1).best.front().mapping;
  std::vector<Row> rows;
  try {
    renew_systemc();
    rows.push_back(simulate(gemm, kept, settings));
  } catch (const CapacityError&) {
    rows.clear();  // it does not fit on this machine
  }
  renew_systemc();
  if (rows.empty() || first != kept) rows.push_back(simulate(gemm, first, settings));
  renew_systemc();  // for who simulates next
  const bool is_faster = rows.front().metrics.at(kTime) > kAsFast * rows.back().metrics.at(kTime);
  return is_faster ? rows.back() : rows.front();
}

/// What longer packets than bursts cost the truth: the same run in bursts, as an HBM is read, beside it.
void add_in_bursts(const GemmOnPes& gemm, RunSettings settings, Row& row) {
  if (gemm.machine.simulation.packet <= gemm.machine.die.hbm.burst) return;
  MachineSpec machine = gemm.machine;
  machine.simulation.packet = machine.die.hbm.burst;
  settings = without_records(settings);
  settings.limit = kForever;
  MaybeMapping mapping;
  if (row.metrics.has(kMappingText)) {
    mapping = complete_mapping(parse_mapping(row.metrics.at(kMappingText), "mapping"));
  }
  renew_systemc();
  const Row in_bursts = simulate(gemm, machine, mapping, settings);
  row.metrics.set(kInBurstsTime, in_bursts.windows.at("pe_ns").get<double>());
  if (const auto limit = limit_words(in_bursts)) row.metrics.set(kInBurstsLimitedBy, limit->what);
}

}  // namespace

void check(const GemmOnPes& gemm) {
  if (gemm.asked.placement != kLeastBound) {
    throw ConfigError("placement " + gemm.asked.placement + ": expected several PEs that the matrices are placed on, " +
                      "by over");
  }
  if (!gemm.way.by_mapping()) {
    static_cast<void>(find_gemm_kernel(gemm.way.kernel));
    return;
  }
  expect_one_pe(gemm.way.mapping, "variant");
  if (gemm.asked.variant == kChosenMapping || gemm.way.kept) return;
  try {
    static_cast<void>(search_mappings(gemm.problem, gemm.machine, gemm.way.mapping, 1));
  } catch (const CapacityError&) {
    return;  // its row will say so
  } catch (const ConfigError& error) {
    throw ConfigError("variant " + gemm.asked.variant + ": " + error.what());
  }
}

void require_room(const GemmOnPes& gemm) {
  if (!gemm.way.by_mapping()) {
    static_cast<void>(bound_of(gemm, {}, gemm.machine));
    return;
  }
  try {
    static_cast<void>(search_mappings(gemm.problem, gemm.machine, gemm.way.mapping, 1));
  } catch (const CapacityError& error) {
    throw CapacityError("variant " + gemm.asked.variant + ": " + error.what());
  }
}

Row run(const GemmOnPes& gemm, const RunSettings& settings) {
  if (gemm.way.kept) return run_kept(gemm, settings);
  Row row = gemm.way.by_mapping() ? run_chosen(gemm, settings) : simulate(gemm, {}, settings);
  add_in_bursts(gemm, settings, row);
  return row;
}

Row bound(const GemmOnPes& gemm) {
  if (gemm.way.by_mapping()) return bound_of_blocked(gemm.machine, gemm.problem, gemm.way.mapping);
  return row_from_bound(gemm.problem, find_gemm_kernel(gemm.way.kernel).residency, gemm.machine);
}

MemoryEstimate memory(const GemmOnPes& gemm, bool verify) { return gemm_memory(gemm.machine, gemm.problem, verify); }

std::vector<Way<GemmAsked>> ways(const GemmOnPes& gemm, std::size_t top, const RunSettings& settings) {
  const MappingChoice choice = choose(gemm, top, settings);
  std::vector<Way<GemmAsked>> all;
  for (std::size_t i = 0; i < choice.simulated.size(); ++i) {
    const SimulatedMapping& one = choice.simulated[i];
    Way<GemmAsked>& way = all.emplace_back(Way<GemmAsked>{gemm.asked, one.row});
    way.asked.variant = to_text(one.ranked.mapping);
    way.row.metrics.set(kHbmBytes, one.ranked.traffic);
    way.row.metrics.set(kTcmBytes, one.ranked.tcm);
    if (i == choice.chosen_index) way.row.metrics.set(kChosenText, chosen_text(choice));
  }
  return all;
}

}  // namespace kernbench::one_pe
