// `kernbench sim gemm --over --map` and `kernbench map gemm --over`: how K is split between PEs, where matrices lie,
// and the mapping of every PE's part, chosen and compared.
#include <algorithm>
#include <limits>

#include "benches/cli/over_run.hpp"
#include "benches/cli/sim_report.hpp"
#include "benches/harness/run/mapping_choice.hpp"
#include "benches/harness/run/progress.hpp"
#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "benches/harness/text/wrap.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/plan/network/slot_room.hpp"
#include "sim/system/mapped_over.hpp"

namespace kernbench {
namespace {

struct Candidates {
  std::vector<OverWay> ways;
  std::int64_t tried = 0;
  std::vector<std::string> notes;
};

OverMapping mapping_from(const std::string& text) {
  const MappingRequest all = parse_mapping(text, "a mapping");
  return {{all.tile.value(), all.block.value(), all.order.value(), all.blocks.value(), all.buffers.value(),
           all.sums.value()},
          all.split_k.value()};
}

OverMappingSearch search_of(const OverAsked& asked, const NetworkPlan& network, const MappingRequest& request) {
  try {
    return search_over_mappings(asked.over.machine, network, asked.request(""), request, asked.options.placement);
  } catch (const ConfigError& error) {
    throw ConfigError(std::string("--map: ") + error.what());
  }
}

Candidates candidates_of(const OverAsked& asked, const MappingRequest& request) {
  const MachineSpec& machine = asked.over.machine;
  static_cast<void>(
      asked.options.child.fitted({{"network of machine " + machine.name, network_memory(machine), kSmallerMachine}}));
  const std::string planned = plan_in_child(asked.options.child, [&] {
    const NetworkPlan network = plan_network(machine);
    const OverMappingSearch search = search_of(asked, network, request);
    Json ways = Json::array();
    for (const RankedOverMapping& ranked : search.best) {
      Json way = plan_to_json(ranked.plan);
      way["mapping"] = to_text(ranked.mapping);
      ways.push_back(std::move(way));
    }
    return Json{{"ways", ways}, {"tried", search.tried}, {"notes", slot_notes(network, machine)}}.dump();
  });
  const Json json = Json::parse(planned);
  Candidates candidates{.ways = {}, .tried = json.at("tried"), .notes = json.at("notes")};
  for (const Json& way : json.at("ways")) {
    candidates.ways.push_back({.variant = "mapped",
                               .plan = plan_from_json(way),
                               .mapping = mapping_from(way.at("mapping").get<std::string>())});
  }
  return candidates;
}

struct ChosenSplit {
  std::vector<Row> rows;  ///< the fastest first
  OverWay fastest{};
  std::size_t planned = 0;
  std::int64_t tried = 0;
  std::int64_t over_time = 0;
};

double time_ns(const Row& row) { return row.metrics.at("time_ns").get<double>(); }

/// The first `count` by their estimate, but none whose bound is not below the fastest one's time.
ChosenSplit choose(const OverAsked& asked, const MappingRequest& request, std::size_t count) {
  const Candidates candidates = candidates_of(asked, request);
  print_notes(candidates.notes);
  ChosenSplit choice{.rows = {}, .planned = candidates.ways.size(), .tried = candidates.tried};
  count = std::min(count, candidates.ways.size());
  Progress progress("mappings", count, 0, static_cast<double>(count), Progress::Shows::kBar);
  double fastest = std::numeric_limits<double>::infinity();
  std::exception_ptr over_time;
  for (std::size_t i = 0; i < count; ++i) {
    const OverWay& way = candidates.ways[i];
    if (way.plan.bound.time.ns() < fastest) {
      try {
        Row row = simulate_over(asked, way);
        row.point = over_point(asked.options, asked.problem, way);
        if (time_ns(row) < fastest) choice.fastest = way;
        fastest = std::min(fastest, time_ns(row));
        choice.rows.push_back(std::move(row));
      } catch (const TimeLimitError&) {
        ++choice.over_time;
        if (over_time == nullptr) over_time = std::current_exception();
      }
    }
    progress.point_done("", 1, false);
  }
  progress.clear();
  if (choice.rows.empty()) std::rethrow_exception(over_time);
  std::ranges::stable_sort(choice.rows, {}, time_ns);
  return choice;
}

std::string chosen_text(const ChosenSplit& choice) {
  const std::string text = "the fastest of " + std::to_string(choice.rows.size()) + " simulated, of " +
                           grouped(static_cast<std::int64_t>(choice.planned)) + " planned over the PEs and " +
                           grouped(choice.tried) + " mappings of parts tried by the closed form";
  std::vector<double> times;
  for (const Row& row : choice.rows) times.push_back(time_ns(row));
  return text + margin_text(times, choice.over_time) +
         "; ways without --map, such as ring_shift, are not among them (sim gemm --over without --map)";
}

std::string format_choices(const OverAsked& asked, const ChosenSplit& choice, std::size_t top, const Look& look) {
  Table table({{"split_k", Align::kRight},
               {"placement", Align::kLeft, 1},
               {"tile"},
               {"block"},
               {"order"},
               {"buffers", Align::kRight},
               {"streamed"},
               {"sums", Align::kLeft, 1},
               {"time (ns)", Align::kRight},
               {"bound (ns)", Align::kRight},
               {"MAC util", Align::kRight},
               {"network (B)", Align::kRight, 1},
               {"bound by", Align::kLeft, 0, true}});
  for (const Row& row : choice.rows) {
    if (top-- == 0) break;
    const OverMapping mapping = mapping_from(row.point.at("mapping").get<std::string>());
    const bool bounded = row.metrics.contains("bound_ns");
    table.add_row({std::to_string(mapping.split_k), row.point.at("placement").get<std::string>(),
                   to_text(mapping.local.tile), to_text(mapping.local.block),
                   std::string(kLoopOrders[mapping.local.order]), std::to_string(mapping.local.buffers),
                   streamed_text(mapping.local), to_text(mapping.local.sums), one_decimal(time_ns(row)),
                   bounded ? one_decimal(row.metrics.at("bound_ns").get<double>()) : "",
                   percent(row.metrics.at("mac_util").get<double>()),
                   grouped(row.metrics.at("network_bytes").get<std::int64_t>()),
                   bounded ? row.metrics.at("bound_bottleneck").get<std::string>() : ""});
  }
  return styled(asked.title() + ", mapped", Style::kBold, look.colours) + "\n" + table.format(look) + "\n";
}

std::string format_chosen(const ChosenSplit& choice, const Look& look) {
  return fact("mapping", choice.rows.front().point.at("mapping").get<std::string>() + ", of the largest part", look) +
         fact("chosen", chosen_text(choice), look);
}

}  // namespace

int run_sim_gemm_over_mapped(const SimGemmOptions& options) {
  const OverAsked asked = over_asked(options);
  warn_of_buffers(asked.over.machine);
  const SimGemmOptions quick = without_records(options);
  ChosenSplit choice = choose({quick, asked.machine, asked.over, asked.problem}, parse_mapping(options.map, "--map"),
                              kMappingsSimulated);
  if (asks_for_records(options)) {
    choice.rows.front() = simulate_over(asked, choice.fastest);
    choice.rows.front().point = over_point(asked.options, asked.problem, choice.fastest);
  }
  const auto tables = [&](const Look& look) {
    return format_choices(asked, choice, 1, look) + format_over_run(asked, choice.rows.front(), look) +
           format_chosen(choice, look);
  };
  options.deliver(tables, as_results({choice.rows.front()}, "sim-gemm-over", asked.machine), asked.machine,
                  asked.title());
  return 0;
}

int run_map_gemm_over(const SimGemmOptions& options, std::size_t top) {
  const OverAsked asked = over_asked(options);
  const ChosenSplit choice = choose(asked, parse_mapping(options.map.empty() ? "auto" : options.map, "--map"), top);
  const auto tables = [&](const Look& look) {
    return format_choices(asked, choice, top, look) + format_chosen(choice, look);
  };
  options.output.deliver(tables, results_documents([&] { return as_results(choice.rows, "map-gemm", asked.machine); }));
  return 0;
}

}  // namespace kernbench
