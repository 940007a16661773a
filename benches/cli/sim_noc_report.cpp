#include "benches/cli/sim_noc_report.hpp"

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/sha256.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kWakeupsPerFlitHop{"wakeups_per_flit_hop"};

std::string mesh_name(const FlitMeshConfig& mesh) {
  return std::to_string(mesh.rows) + "x" + std::to_string(mesh.columns);
}

/// The network as an object: the "machine" of these results.
Json network_json(const NocTest& test) {
  const FlitMeshConfig& mesh = test.mesh;
  return {{"network", std::string(kNocNetworks[test.network])},
          {"mesh", mesh_name(mesh)},
          {"virtual_channels", mesh.virtual_channels},
          {"buffer_flits", mesh.buffer_flits},
          {"router_cycles", mesh.router_cycles},
          {"link_cycles", mesh.link_cycles},
          {"credit_cycles", mesh.credit_cycles}};
}

/// Beyond what the options say: where packet routers cannot be the same (17.25).
std::string differences(const NocTest& test) {
  const FlitMeshConfig& mesh = test.mesh;
  if (test.network == NocNetwork::kFlits) return "";
  if (mesh.buffer_flits >= 2 * mesh.packet_flits) return ", packet routers";
  return ", packet routers: buffers hold two packets all the same, " +
         counted(std::int64_t{2} * mesh.packet_flits, "flit");
}

std::string listed(const std::vector<std::int32_t>& nodes) {
  std::string text;
  for (const std::int32_t node : nodes) text += (text.empty() ? "" : ",") + std::to_string(node);
  return text;
}

/// "1x8" blocks, or "3,12" nodes.
std::string group_name(const TrafficGroups& groups) {
  if (!groups.nodes.empty()) return listed(groups.nodes);
  return std::to_string(groups.rows) + "x" + std::to_string(groups.columns);
}

std::string traffic_name(const TrafficSpec& traffic) {
  std::string name = std::string(kTrafficPatterns[traffic.pattern]) + " traffic";
  if (!traffic.multicast()) return name;
  return name + (traffic.groups.nodes.empty() ? " in blocks of " : " to nodes ") + group_name(traffic.groups);
}

Json point_of(const NocTest& test) {
  Json point = network_json(test);
  point["traffic"] = std::string(kTrafficPatterns[test.traffic.pattern]);
  if (test.traffic.pattern == TrafficPattern::kHotspot) {
    point["hotspot_nodes"] = listed(test.traffic.hot_nodes);
    point["hotspot_fraction"] = test.traffic.hot_fraction;
  }
  if (test.traffic.multicast()) point["group"] = group_name(test.traffic.groups);
  point["packet_flits"] = test.mesh.packet_flits;
  point["rate"] = test.rate;
  point["seed"] = test.seed;
  point["warm_up_cycles"] = test.warm_up;
  point["measure_cycles"] = test.measure;
  return point;
}

Json metrics_of(const NocResult& result) {
  return {{"latency_cycles", result.mean_latency},
          {"latency_p50_cycles", result.p50_latency},
          {"latency_p99_cycles", result.p99_latency},
          {"latency_max_cycles", result.max_latency},
          {"offered_flits_per_node_cycle", result.offered},
          {"accepted_flits_per_node_cycle", result.accepted},
          {"channel_load", result.channel_load},
          {"mean_hops", result.mean_hops},
          {"packets", result.packets},
          {"undelivered_packets", result.undelivered},
          {"cycles", result.cycles},
          {"flit_hops", result.flit_hops},
          {"engine_wakeups", result.wakeups}};
}

/// Where packets have several receivers: the others are of copies.
Json metrics_of_copies(const NocResult& result) {
  return {{"latency_last_cycles", result.last_latency},
          {"accepted_as_offered_flits_per_node_cycle", result.accepted_as_offered}};
}

double per_flit_hop(const NocResult& result) {
  return result.flit_hops == 0 ? 0 : static_cast<double>(result.wakeups) / static_cast<double>(result.flit_hops);
}

}  // namespace

Json noc_result_to_json(const NocResult& result) {
  Json json = metrics_of(result);
  json.update(metrics_of_copies(result));
  json["saturated"] = result.saturated;
  json["cpu_s"] = result.cpu_s;
  return json;
}

NocResult noc_result_from_json(const Json& json) {
  NocResult result;
  json.at("latency_cycles").get_to(result.mean_latency);
  json.at("latency_p50_cycles").get_to(result.p50_latency);
  json.at("latency_p99_cycles").get_to(result.p99_latency);
  json.at("latency_max_cycles").get_to(result.max_latency);
  json.at("offered_flits_per_node_cycle").get_to(result.offered);
  json.at("accepted_flits_per_node_cycle").get_to(result.accepted);
  json.at("latency_last_cycles").get_to(result.last_latency);
  json.at("accepted_as_offered_flits_per_node_cycle").get_to(result.accepted_as_offered);
  json.at("channel_load").get_to(result.channel_load);
  json.at("mean_hops").get_to(result.mean_hops);
  json.at("packets").get_to(result.packets);
  json.at("undelivered_packets").get_to(result.undelivered);
  json.at("cycles").get_to(result.cycles);
  json.at("flit_hops").get_to(result.flit_hops);
  json.at("engine_wakeups").get_to(result.wakeups);
  json.at("saturated").get_to(result.saturated);
  json.at("cpu_s").get_to(result.cpu_s);
  return result;
}

std::string format_noc_report(const std::vector<NocRow>& rows, const Terminal& terminal) {
  const NocTest& test = rows.front().test;
  const FlitMeshConfig& mesh = test.mesh;
  std::string text =
      styled(mesh_name(mesh) + " mesh, " + traffic_name(test.traffic) + ", " + counted(mesh.packet_flits, "flit") +
                 " a packet",
             Style::kBold, terminal.colours) +
      "\n" +
      prose(counted(mesh.virtual_channels, "virtual channel") + " of " + counted(mesh.buffer_flits, "flit") + ", " +
                std::to_string(mesh.router_cycles) + " router + " + counted(mesh.link_cycles, "link cycle") +
                " a hop, " + grouped(test.warm_up) + " cycles of warm-up, " + grouped(test.measure) +
                " measured, seed " + std::to_string(test.seed) + differences(test),
            terminal) +
      "\n";
  const bool several = test.traffic.multicast();
  Table table({{"rate", Align::kRight},
               {"latency (cycles)", Align::kRight},
               {"p50", Align::kRight, 2},
               {"p99", Align::kRight},
               {"max", Align::kRight, 1},
               {several ? "last" : "", Align::kRight},
               {"accepted", Align::kRight},
               {several ? "as offered" : "", Align::kRight},
               {"load", Align::kRight},
               {"hops", Align::kRight, 3},
               {"packets", Align::kRight, 4},
               {"flit-hops", Align::kRight, 5},
               {"wake-ups each", Align::kRight, 6},
               {"million/s", Align::kRight, 7},
               {"", Align::kLeft, 0, true}});
  for (const NocRow& row : rows) {
    const NocResult& result = row.result;
    if (!row.reason.empty()) {
      table.add_row({formatted("%g", row.test.rate), "", "", "", "", "", "", "", "", "", "", "", "", "",
                     TableCell("failed: " + row.reason, Style::kRed)});
      continue;
    }
    std::string state = result.saturated ? "saturated" : "";
    if (result.saturated && result.undelivered > 0) state += ", " + grouped(result.undelivered) + " undelivered";
    if (result.packets == 0) state = "no packet of the window arrived: a longer --measure, or fewer --packet-flits";
    // Of packets that there are: a latency of 0 would be a claim.
    const auto of_packets = [&result](std::string text) { return result.packets == 0 ? "" : std::move(text); };
    const auto of_several = [several](std::string text) { return several ? std::move(text) : ""; };
    table.add_row(
        {formatted("%g", row.test.rate), of_packets(formatted("%.2f", result.mean_latency)),
         of_packets(grouped(result.p50_latency)), of_packets(grouped(result.p99_latency)),
         of_packets(grouped(result.max_latency)), of_several(formatted("%.2f", result.last_latency)),
         formatted("%.4f", result.accepted), of_several(formatted("%.4f", result.accepted_as_offered)),
         formatted("%.2f", result.channel_load), of_packets(formatted("%.2f", result.mean_hops)),
         grouped(result.packets), grouped(result.flit_hops), of_packets(formatted("%.3f", per_flit_hop(result))),
         result.cpu_s > 0 ? formatted("%.1f", static_cast<double>(result.flit_hops) / result.cpu_s / 1e6) : "",
         TableCell(state, Style::kYellow)});
  }
  text += table.format(terminal) + "\n";
  return text +
         prose(std::string(several ? "latency: of each receiver's copy; last: mean of the packets' last copies; "
                                     "as offered: what is accepted ÷ receivers of a packet; "
                                   : "") +
                   "rate and accepted: flits per node and cycle; load: flits a cycle that the most loaded channel is "
                   "offered, of 1 that it carries; hops: routers visited; wake-ups each: of the "
                   "engine, for one flit-hop; million/s: flit-hops per second of CPU time",
               terminal);
}

Results noc_results(const std::vector<NocRow>& rows) {
  const NocTest& test = rows.front().test;
  Results results;
  results.bench = "sim-noc";
  results.source = {"sim", "mesh-" + mesh_name(test.mesh), sha256_hex(network_json(test).dump()), kModelVersion, "1"};
  for (const NocRow& noc : rows) {
    Row row;
    row.point = point_of(noc.test);
    if (noc.reason.empty()) {
      Json metrics = metrics_of(noc.result);
      if (test.traffic.multicast()) metrics.update(metrics_of_copies(noc.result));
      row.metrics = Metrics(metrics);
      row.metrics.set(kWakeupsPerFlitHop, per_flit_hop(noc.result));
      if (noc.result.saturated) row.flags.emplace_back("saturated");
    } else {
      row.status = "failed";
      row.reason = noc.reason;
    }
    results.rows.push_back(std::move(row));
  }
  return results;
}

}  // namespace kernbench
