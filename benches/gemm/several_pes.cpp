// A GEMM over several PEs: by a kernel, or split between them with a mapping of every part (adr/0030, adr/0032).
#include <algorithm>
#include <exception>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "benches/gemm/mapping_words.hpp"
#include "benches/gemm/on_pes.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/gpu_metrics.hpp"
#include "benches/results/rows/row_from_multi_pe.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/gemm/mapping_choice.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/systemc_kernel.hpp"
#include "sim/plan/known_bound.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "sim/system/simulation_memory.hpp"

namespace kernbench::several_pes {
namespace {

/// A way to share it, planned.
struct Candidate {
  MultiPeGemmPlan plan;
  std::optional<MultiPeMapping> mapping{};
  std::string kernel{};  ///< without a mapping; empty: the one that was asked for
};

/// A kernel is simulated where its bound promises that much, for it has no estimate; so are, of its placements, the
/// first ones whose bounds are as near.
constexpr double kKernelPromises = 1.1;
constexpr std::size_t kPlacementsOfKernel = 4;

std::string placement_text(const GemmOnPes& gemm) {
  return gemm.asked.placement == kLeastBound ? "" : gemm.asked.placement;
}

MultiPeGemmRequest request_of(const GemmOnPes& gemm) {
  return {.problem = gemm.problem, .kernel = gemm.way.by_mapping() ? "mapped" : gemm.way.kernel, .pes = gemm.over->pes};
}

MultiPeMappingSearch search(const GemmOnPes& gemm, const NetworkPlan& network, const MappingRequest& asked) {
  try {
    return search_multi_pe_mappings(gemm.over->machine, network, request_of(gemm), asked, placement_text(gemm));
  } catch (const ConfigError& error) {
    throw ConfigError("variant " + gemm.asked.variant + ": " + error.what());
  }
}

Candidate by_kernel(const GemmOnPes& gemm, const NetworkPlan& network) {
  return {choose_placement(gemm.over->machine, network, request_of(gemm), placement_text(gemm))};
}

/// The kernels, each with its best placement and the few whose bounds are near; those that cannot do what is asked for
/// are left out.
std::vector<Candidate> by_all_kernels(const GemmOnPes& gemm, const NetworkPlan& network) {
  std::vector<Candidate> all;
  for (const MultiPeGemmKernel& kernel : multi_pe_gemm_kernels()) {
    MultiPeGemmRequest request = request_of(gemm);
    request.kernel = kernel.name;
    try {
      std::vector<MultiPeGemmPlan> plans = rank_placements(gemm.over->machine, network, request, placement_text(gemm));
      const double least = plans.front().bound.time.ns();
      for (std::size_t i = 0; i < std::min(plans.size(), kPlacementsOfKernel); ++i) {
        if (plans[i].bound.time.ns() <= kKernelPromises * least) all.push_back({plans[i], {}, kernel.name});
      }
    } catch (const ConfigError&) {
      continue;  // by its placements, or for want of room
    }
  }
  return all;
}

Row simulate(const GemmOnPes& gemm, const Candidate& way, const RunSettings& settings) {
  MultiPeGemmRequest request = request_of(gemm);
  request.placement = way.plan.placement;
  request.mapping = way.mapping;
  if (!way.kernel.empty()) request.kernel = way.kernel;
  renew_systemc();
  Row row = row_of_multi_pe_gemm(run_multi_pe_gemm(gemm.over->machine, request, settings), gemm.problem, gemm.machine);
  renew_systemc();  // for who simulates next
  add_plan(way.plan, gemm.over->machine, row);
  row.metrics.set(kChosenPlacement, to_text(way.plan.placement));
  if (way.mapping) row.metrics.set(kMappingText, to_text(*way.mapping));
  if (!way.kernel.empty()) row.metrics.set(kKernelText, way.kernel);
  return row;
}

double time_ns(const Row& row) { return row.metrics.at(kTime); }

struct Simulated {
  Candidate way;
  Row row;
};

struct Choice {
  std::vector<Simulated> simulated;  ///< the fastest first
  std::int64_t planned = 0;
  std::int64_t tried = 0;
  std::optional<Picoseconds> least_bound{};  ///< of what was planned; nothing where none is known
  std::int64_t over_time = 0;
};

const MultiPeGemmBound& least_bound(const MultiPeMappingSearch& all) {
  const auto time = [](const RankedMultiPeMapping& one) { return one.plan.bound.time; };
  return std::ranges::min_element(all.best, {}, time)->plan.bound;
}

/// Ways that are simulated one after the other: none whose bound is not below the fastest one's time.
class Trials {
 public:
  Trials(const GemmOnPes& gemm, const RunSettings& settings) : gemm_(gemm), settings_(without_records(settings)) {}

  void add(const Candidate& way) {
    if (way.plan.bound.time.ns() >= fastest_) return;
    try {
      simulated_.push_back({way, simulate(gemm_, way, settings_)});
      fastest_ = std::min(fastest_, time_ns(simulated_.back().row));
    } catch (const TimeLimitError&) {
      ++over_time_;
      if (error_ == nullptr) error_ = std::current_exception();
    }
  }
  void add(const RankedMultiPeMapping& ranked) {
    MultiPeGemmRequest request = request_of(gemm_);
    request.placement = ranked.plan.placement;
    add({ranked.plan, of_largest_part(gemm_.over->machine, request, ranked.mapping)});
  }
  /// Those that promise less than `time`, which are none of `kernels` any more.
  void add_kernels(std::vector<Candidate>& kernels, double time) {
    std::erase_if(kernels, [&](const Candidate& way) {
      if (kKernelPromises * way.plan.bound.time.ns() >= time) return false;
      add(way);
      return true;
    });
  }
  /// The fastest kernel with other blocks and buffers, where it has such: between near ones an estimate is not enough.
  void add_cuts(const NetworkPlan& network) {
    if (simulated_.empty()) return;
    const Candidate way =
        std::ranges::min_element(simulated_, {}, [](const Simulated& one) { return time_ns(one.row); })->way;
    if (way.kernel.empty()) return;
    MultiPeGemmRequest request = request_of(gemm_);
    request.kernel = way.kernel;
    for (const MultiPeGemmPlan& plan : other_cuts(gemm_.over->machine, network, request, way.plan)) {
      add({plan, {}, way.kernel});
    }
  }
  [[nodiscard]] double fastest() const { return fastest_; }

  /// The fastest first. Throws TimeLimitError where none ended in time.
  void close(Choice& choice) {
    if (simulated_.empty()) std::rethrow_exception(error_);
    std::ranges::stable_sort(simulated_, {}, [](const Simulated& one) { return time_ns(one.row); });
    choice.simulated = std::move(simulated_);
    choice.over_time = over_time_;
  }

 private:
  const GemmOnPes& gemm_;
  RunSettings settings_;
  std::vector<Simulated> simulated_;
  double fastest_ = std::numeric_limits<double>::infinity();
  std::int64_t over_time_ = 0;
  std::exception_ptr error_;
};

/// The first `count` by their estimate, and of more than one the first of each group that is estimated to be faster,
/// and, where nothing is asked of the mapping, kernels, behind the very first, or before it where they are below its
/// bound: that of many mappings the bound is not below their time is known before they are simulated.
Choice choose(const GemmOnPes& gemm, const MappingRequest& asked, std::size_t count, const RunSettings& settings) {
  const NetworkPlan network = plan_network(gemm.over->machine);
  const MultiPeMappingSearch all = search(gemm, network, asked);
  Choice choice{.simulated = {}, .planned = all.planned, .tried = all.tried};
  if (why_no_bound(gemm.machine).empty()) choice.least_bound = least_bound(all).time;
  Trials trials(gemm, settings);
  std::set<std::pair<std::int64_t, MappingGroup>> groups;
  const auto is_first = [&groups](const RankedMultiPeMapping& ranked) {
    return groups.emplace(ranked.mapping.split_k, ranked.group).second;
  };
  std::vector<Candidate> kernels;
  if (count > 1 && asked == MappingRequest{}) kernels = by_all_kernels(gemm, network);
  trials.add_kernels(kernels, all.best.front().plan.bound.time.ns());
  for (std::size_t i = 0; i < std::min(count, all.best.size()); ++i) {
    (void)is_first(all.best[i]);
    trials.add(all.best[i]);
    if (i == 0) trials.add_kernels(kernels, trials.fastest());
  }
  for (const RankedMultiPeMapping& ranked : count > 1 ? all.first_of_groups : std::vector<RankedMultiPeMapping>{}) {
    if (is_first(ranked) && ranked.estimate.ns() < trials.fastest()) trials.add(ranked);
  }
  if (count > 1) trials.add_cuts(network);
  trials.close(choice);
  return choice;
}

std::string chosen_text(const Choice& choice) {
  std::vector<double> times;
  for (const Simulated& one : choice.simulated) times.push_back(time_ns(one.row));
  const std::string least =
      choice.least_bound ? " (the least bound of them is " + one_decimal(choice.least_bound->ns()) + " ns)" : "";
  return "the fastest of " + std::to_string(choice.simulated.size()) + " simulated, of " + grouped(choice.planned) +
         " planned over the PEs" + least + " and " + grouped(choice.tried) +
         " mappings of parts tried by the closed form" + margin_text(times, choice.over_time) +
         "; kernels, such as ring_shift, are simulated where their bounds are a tenth below (--variant all)";
}

/// The mapping that is kept, where it fits, or that which ranks first, where that is faster.
Row run_kept(const GemmOnPes& gemm, const RunSettings& settings) {
  std::optional<Row> kept;
  try {
    kept = choose(gemm, *gemm.way.kept, 1, settings).simulated.front().row;
  } catch (const ConfigError&) {
    // It does not fit on this machine, or its PEs are others.
  }
  const Row first = choose(gemm, gemm.way.mapping, 1, settings).simulated.front().row;
  return kept && time_ns(*kept) <= kAsFast * time_ns(first) ? *kept : first;
}

}  // namespace

void check(const GemmOnPes& gemm) {
  check_multi_pe(gemm.problem, gemm.machine.pe.mac);
  if (!gemm.way.by_mapping()) static_cast<void>(find_multi_pe_gemm_kernel(gemm.way.kernel));
}

MemoryEstimate plan(const GemmOnPes& gemm, const Planning& planning, std::vector<std::string>& notes) {
  const NetworkPlan network = plan_network(gemm.over->machine);
  notes = slot_notes(network, gemm.over->machine);
  // A search takes as long as a run: where it finds nothing that fits, the run says so.
  if (gemm.way.by_mapping() && !planning.verify && !planning.whole) return memory(gemm, false);
  const MultiPeGemmPlan plan =
      gemm.way.by_mapping() ? search(gemm, network, gemm.way.mapping).best.front().plan : by_kernel(gemm, network).plan;
  return multi_pe_gemm_memory(gemm.over->machine, gemm.problem, count(gemm), plan.bytes_of_pe, planning.verify,
                              plan.apart && !planning.verify && !planning.whole);
}

Row run(const GemmOnPes& gemm, const RunSettings& settings) {
  if (gemm.way.kept) return run_kept(gemm, settings);
  if (!gemm.way.by_mapping()) return simulate(gemm, by_kernel(gemm, plan_network(gemm.over->machine)), settings);
  const Choice choice = choose(gemm, gemm.way.mapping, kMappingsSimulated, settings);
  const Simulated& best = choice.simulated.front();
  Row row = asks_for_records(settings) ? simulate(gemm, best.way, settings) : best.row;
  row.metrics.set(kSimulatedMappings, choice.simulated.size());
  row.metrics.set(kChosenText, chosen_text(choice));
  return row;
}

Row bound(const GemmOnPes& gemm) {
  Row row;
  if (const std::string why = why_no_bound(gemm.machine); !why.empty()) {
    row.status = "skipped";
    row.reason = why;
    return row;
  }
  const NetworkPlan network = plan_network(gemm.over->machine);
  MultiPeGemmBound least;
  if (gemm.way.by_mapping()) {
    const MultiPeMappingSearch all = search(gemm, network, gemm.way.mapping);
    least = least_bound(all);
  } else {
    least = by_kernel(gemm, network).plan.bound;
  }
  row.metrics.set(kTime, least.time.ns());
  row.metrics.set(kBottleneck, least.resource);
  return row;
}

/// But for the matrices' values, which a plan places; and of PEs that may be apart, one: plan() knows it.
MemoryEstimate memory(const GemmOnPes& gemm, bool verify) {
  const bool may_be_apart = gemm.way.by_mapping() || find_multi_pe_gemm_kernel(gemm.way.kernel).by_place;
  MemoryEstimate estimate = network_memory(gemm.over->machine);
  estimate.add(multi_pe_gemm_memory(gemm.over->machine, gemm.problem, count(gemm), 0, verify, may_be_apart && !verify));
  return estimate;
}

std::vector<Way<GemmAsked>> ways(const GemmOnPes& gemm, std::size_t top, const RunSettings& settings) {
  const Choice choice = choose(gemm, gemm.way.mapping, std::max(top, kMappingsSimulated), settings);
  std::vector<Way<GemmAsked>> all;
  for (const Simulated& one : choice.simulated) {
    Way<GemmAsked>& way = all.emplace_back(Way<GemmAsked>{gemm.asked, one.row});
    way.asked.variant = one.way.mapping ? to_text(*one.way.mapping) : one.way.kernel;
    way.asked.placement = to_text(one.way.plan.placement);
  }
  all.front().row.metrics.set(kChosenText, chosen_text(choice));
  return all;
}

}  // namespace kernbench::several_pes
