#include "benches/cli/over_plans.hpp"

#include "benches/cli/machine_options.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/errors.hpp"
#include "sim/plan/network/network_size.hpp"
#include "sim/plan/network/slot_room.hpp"

namespace kernbench {

Json plan_to_json(const GemmOverPlan& plan) {
  return {{"placement", to_text(plan.placement)}, {"bound_ps", plan.bound.time.value},
          {"resource", plan.bound.resource},      {"idle", plan.idle},
          {"bytes_of_pe", plan.bytes_of_pe},      {"tcm", plan.tcm},
          {"replicated", plan.replicated},        {"apart", plan.apart}};
}

GemmOverPlan plan_from_json(const Json& json) {
  return {.placement = parse_placement(json.at("placement").get<std::string>(), {}),
          .bound = {Picoseconds{json.at("bound_ps").get<std::int64_t>()}, json.at("resource").get<std::string>()},
          .idle = json.at("idle"),
          .bytes_of_pe = json.at("bytes_of_pe"),
          .tcm = json.at("tcm"),
          .replicated = json.at("replicated"),
          .apart = json.at("apart")};
}

OverWays plan_ways(const ChildOptions& options, const MachineSpec& machine, const std::vector<std::string>& variants,
                   const std::function<GemmOverPlan(const NetworkPlan& plan, const std::string& variant)>& plan) {
  static_cast<void>(options.fitted({{"network of machine " + machine.name, network_memory(machine), kSmallerMachine}}));
  const std::string planned = plan_in_child(options, [&] {
    const NetworkPlan network = plan_network(machine);
    Json ways = Json::array();
    for (const std::string& variant : variants) {
      try {
        ways.push_back(plan_to_json(plan(network, variant)));
      } catch (const ConfigError& error) {
        ways.push_back({{"refused", error.what()}});
      }
    }
    Json links = Json::array();
    for (const NetworkLink& link : network.links) links.push_back(link.name);
    return Json{{"ways", ways}, {"notes", slot_notes(network, machine)}, {"links", links}}.dump();
  });
  const Json json = Json::parse(planned);
  OverWays all{.ways = {},
               .notes = json.at("notes").get<std::vector<std::string>>(),
               .links = json.at("links").get<std::vector<std::string>>()};
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const Json& way = json.at("ways").at(i);
    const bool refused = way.contains("refused");
    all.ways.push_back({.variant = variants[i],
                        .plan = refused ? GemmOverPlan{} : plan_from_json(way),
                        .refused = refused ? way.at("refused").get<std::string>() : ""});
  }
  return all;
}

std::string describe_placement(const Row& row) {
  const auto whole = [&row](const char* name) { return row.metrics.at(name).get<std::int64_t>(); };
  std::string text = row.point.at("placement").get<std::string>() + "; ";
  const std::int64_t idle = whole("idle_pes");
  text +=
      idle == 0 ? "every PE has a tile" : std::to_string(idle) + " of " + counted(whole("pes"), "PE") + " have no tile";
  if (row.metrics.contains("bound_bottleneck")) {
    text += "; bound by " + row.metrics.at("bound_bottleneck").get<std::string>();
  }
  if (whole("replicated_bytes") == 0) return text;
  return text + "; replicated before the run begins, not in the time: " + grouped(whole("replicated_bytes")) +
         " B of others in every PE, whose port takes " + one_decimal(row.metrics.at("replicated_ns").get<double>()) +
         " ns for them at least";
}

}  // namespace kernbench
