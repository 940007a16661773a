// `kernbench sim gemm --map` and `kernbench map gemm`: mappings of a GEMM, chosen and compared.
#include <algorithm>
#include <memory>
#include <optional>

#include "benches/cli/gpu_gemm.hpp"
#include "benches/cli/in_bursts.hpp"
#include "benches/cli/sim_gemm.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/program/command_group.hpp"
#include "benches/harness/program/option_values.hpp"
#include "benches/harness/run/mapping_choice.hpp"
#include "benches/harness/run/progress.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/capacity_error.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {
namespace {

constexpr const char* kMapExamples = R"(Examples:
  kernbench map gemm --m 4096 --k 4096 --n 4096 --top 10
  kernbench map gemm --m 1024 --k 1024 --n 1024 --over die --top 10      and how K is split between the PEs
  kernbench map gemm --m 2048 --k 2048 --n 2048 --map 'order=mnk stream=none' --set 'pe.tcm.capacity=1 MiB'

A mapping is written as --map of `kernbench sim gemm` takes it.)";

MappingSearch mappings_of(const GemmProblem& problem, const MachineSpec& machine, const MappingRequest& request,
                          std::size_t simulations) {
  expect_one_pe(request, "--map");
  try {
    return mappings_to_simulate(problem, machine, request, simulations);
  } catch (const CapacityError& error) {
    throw CapacityError(std::string("--map: ") + error.what());
  }
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
  if (choice.others_promise) {
    text += "; others have a bound below its time (map gemm --top N simulates more)";
  }
  return text;
}

std::string traffic_text(const SimulatedMapping& best, const GemmProblem& problem, const MachineSpec& machine) {
  const auto moved = static_cast<double>(best.row.metrics.at("hbm_read_bytes").get<std::int64_t>() +
                                         best.row.metrics.at("hbm_written_bytes").get<std::int64_t>());
  const double least = least_traffic(problem, machine.pe.tcm.capacity);
  return grouped(static_cast<std::int64_t>(moved)) + " B to and from HBM, " + formatted("%.2f times", moved / least) +
         " what any order of the sums moves at least with this TCM";
}

std::string format_choices(const MappingChoice& choice, const GemmProblem& problem, const LoadedMachine& machine,
                           std::size_t top, const Look& look) {
  Table table({{"tile"},
               {"block"},
               {"order"},
               {"buffers", Align::kRight},
               {"streamed"},
               {"sums", Align::kLeft, 1},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"MAC util", Align::kRight},
               {"HBM (B)", Align::kRight, 1},
               {"TCM (B)", Align::kRight, 1},
               {"bound by", Align::kLeft, 0, true}});
  for (const SimulatedMapping& one : choice.simulated) {
    if (top-- == 0) break;
    const GemmMapping& mapping = one.ranked.mapping;
    table.add_row({to_text(mapping.tile), to_text(mapping.block), std::string(kLoopOrders[mapping.order]),
                   std::to_string(mapping.buffers), streamed_text(mapping),
                   mapping.block.k < problem.k ? to_text(mapping.sums) : "", one_decimal(time_of(one)),
                   one_decimal(one.ranked.bound.ns()), percent(one.row.metrics.at("mac_util").get<double>()),
                   grouped(one.ranked.traffic), grouped(one.ranked.tcm),
                   one.row.metrics.value("bound_bottleneck", "")});
  }
  return styled(gemm_title(problem, "mapped", machine), Style::kBold, look.colours) + "\n" + table.format(look) + "\n" +
         fact("mapping", to_text(choice.chosen().ranked.mapping), look) + fact("chosen", chosen_text(choice), look) +
         fact("traffic", traffic_text(choice.chosen(), problem, machine.spec), look);
}

struct MapGemmOptions : SimGemmOptions {
  std::int64_t top = 10;
};

int run_map_gemm(const MapGemmOptions& options) {
  if (is_gpu(*options.machine)) return run_map_gemm_gpu(options, static_cast<std::size_t>(options.top));
  check_over(options);
  if (!options.over.empty()) return run_map_gemm_over(options, static_cast<std::size_t>(options.top));
  const LoadedMachine machine = options.machine->load();
  const GemmProblem problem = problem_of(options);
  const auto top = static_cast<std::size_t>(options.top);
  const MappingRequest request = parse_mapping(options.map.empty() ? "auto" : options.map, "--map");
  const MappingChoice choice = choose_gemm_mapping(options, problem, machine, request, top);
  const auto tables = [&](const Look& look) { return format_choices(choice, problem, machine, top, look); };
  std::vector<Row> rows;
  for (const SimulatedMapping& one : choice.simulated) rows.push_back(one.row);
  options.output.deliver(tables, results_documents([&] { return as_results(rows, "map-gemm", machine); }));
  return 0;
}

std::function<int()> set_up_map_gemm(CommandSpec& command) {
  auto options = std::make_shared<MapGemmOptions>();
  add_gemm_shape(command, *options);
  command.add_option("--map", options->map, "What of a mapping is not left to be chosen, as of sim gemm --map [auto]")
      .type_name("MAPPING");
  command
      .add_option("--top", options->top,
                  "So many are shown, of those that are simulated: as many, or more where they are small")
      .rule(whole_number(1, 1000))
      .type_name("N")
      .show_default();
  add_over(command, *options);
  options->add_to(command);
  command.footer(kMapExamples);
  return [options] { return run_map_gemm(*options); };
}

std::function<int()> set_up_map(CommandSpec& command) {
  command.footer(kMapExamples);
  add_commands(command, {{1, "gemm", "Mappings of C = A x B on one PE, or over several, compared", set_up_map_gemm}});
  return {};  // one of them is run
}

const bool map_registered =
    register_command({16, "map", "Compare mappings of a workload: time, traffic, TCM, limit", set_up_map});

}  // namespace

std::string streamed_text(const GemmMapping& mapping) {
  return std::string(mapping.blocks.a ? "" : "A") + (mapping.blocks.b ? "" : "B");
}

bool asks_for_records(const SimGemmOptions& options) { return options.verify || !options.trace.empty(); }

SimGemmOptions without_records(SimGemmOptions options) {
  options.verify = false;
  options.trace.clear();
  return options;
}

std::string margin_text(const std::vector<double>& times, std::int64_t over_time) {
  std::string text;
  if (times.size() > 1) text += "; the next takes " + percent(times[1] / times[0] - 1) + " longer";
  if (over_time > 0) text += "; " + grouped(over_time) + " that passed --time-limit are left out";
  return text;
}

MappingChoice choose_gemm_mapping(const SimGemmOptions& options, const GemmProblem& problem,
                                  const LoadedMachine& machine, const MappingRequest& request,
                                  std::size_t simulations) {
  std::optional<Progress> progress;
  MappingSimulation simulation;
  simulation.simulate = [&](const GemmMapping& mapping) {
    return simulate_gemm(options, problem, {"mapped", mapping}, machine);
  };
  simulation.on_begin = [&](std::size_t count, double cost) {
    progress.emplace("mappings", count, 0, cost, Progress::Shows::kBar);
  };
  simulation.on_done = [&](double cost) { progress->point_done("", cost, false); };
  simulation.bytes_cost = bytes_cost(machine.spec);
  return choose_mapping(mappings_of(problem, machine.spec, request, simulations),
                        request.tile.value_or(machine.spec.pe.mac.tile), simulations, simulation);
}

int run_sim_gemm_mapped(const SimGemmOptions& options) {
  const LoadedMachine machine = options.machine->load();
  const GemmProblem problem = problem_of(options);
  const MappingRequest request = parse_mapping(options.map, "--map");
  const MappingChoice choice =
      choose_gemm_mapping(without_records(options), problem, machine, request, kMappingsSimulated);
  SimulatedMapping best = choice.chosen();
  if (asks_for_records(options)) best.row = simulate_gemm(options, problem, {"mapped", best.ranked.mapping}, machine);
  const MachineSpec tiled = with_tile(machine.spec, best.ranked.mapping.tile);
  const std::optional<Row> in_bursts = simulate_in_bursts(options, problem, {"mapped", best.ranked.mapping}, machine);
  const auto tables = [&](const Look& look) {
    return format_gemm(options, problem, best.row, tiled, gemm_title(problem, "mapped", machine), look) +
           fact("mapping", to_text(best.ranked.mapping), look) +
           (choice.tried > 1 ? fact("chosen", chosen_text(choice), look) : "") +
           fact("traffic", traffic_text(best, problem, machine.spec), look) +
           format_in_bursts(best.row, in_bursts, machine.spec, look);
  };
  options.deliver(tables, as_results({best.row}, "sim-gemm", machine), machine, gemm_title(problem, "mapped", machine));
  return 0;
}

}  // namespace kernbench
