#include "sim/system/multi_pe_report.hpp"

#include <algorithm>
#include <map>
#include <string_view>

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

void add(Bytes& sum, Bytes bytes) { sum = checked_add(sum, bytes, "bytes that a PE moves", kInBytes); }

void add(PeReport& report, const OpChannel& channel) {
  const Stage& stage = channel.stage();
  if (stage == kMacStage) {
    report.array += channel.wall();
    report.macs += channel.macs();
  }
  if (stage == kVectorStage) report.vector += channel.wall();
  if (stage == kLoadStage || stage == kDmaInStage || stage == kReceiveStage) add(report.read, channel.bytes());
  if (stage == kSendStage) add(report.sent, channel.bytes());
  if (stage == kDmaOutStage || stage == kStoreOutStage) add(report.written, channel.bytes());
}

}  // namespace

std::vector<PeReport> reports_of(System& system, const std::vector<std::int32_t>& pes) {
  std::vector<PeReport> reports(pes.size());
  std::map<std::string_view, PeReport*> by_module;
  for (std::size_t i = 0; i < pes.size(); ++i) {
    reports[i].name = system.pe_name(pes[i]);
    by_module[system.pe(pes[i]).name()] = &reports[i];
  }
  for (const OpChannel& channel : system.log().channels()) {
    const std::string_view engine = channel.engine();
    const auto report = by_module.find(engine.substr(0, engine.find('.')));
    if (report != by_module.end() && channel.records() > 0) add(*report->second, channel);
  }
  return reports;
}

std::vector<PeReport> reports_of(System& system, const KernelLaunch& launch) {
  std::vector<PeReport> reports = reports_of(system, launch.pes());
  for (std::size_t rank = 0; rank < launch.pes().size(); ++rank) {
    reports[rank].end = launch.ends()[rank];
    reports[rank].ledger = system.pe(launch.pes()[rank]).ledger().close(launch.ends()[rank]);
  }
  return reports;
}

std::vector<NetworkLinkWork> network_links(const System& system) {
  const std::vector<LinkTotals> totals = system.network().totals();
  std::vector<NetworkLinkWork> links;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const NetworkLink& link = system.plan().links[i];
    links.push_back({link.name, totals[i].busy, link.dimension == kEndpointLink});
  }
  return links;
}

NetworkLinkWork busiest(const std::vector<NetworkLinkWork>& links) {
  NetworkLinkWork busiest;
  for (const NetworkLinkWork& link : links) {
    if (!link.port && link.time > busiest.time) busiest = link;
  }
  return busiest;
}

void add_traffic(const System& system, MultiPeResult& result) {
  result.activity = system.activity();
  if (const OwnWires* wires = system.wires(); wires != nullptr) {
    result.port_bytes = wires->bytes();
    return;
  }
  const std::vector<LinkTotals> totals = system.network().totals();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const bool port = system.plan().links[i].dimension == kEndpointLink;
    Bytes& sum = port ? result.port_bytes : result.network_bytes;
    sum = checked_add(sum, totals[i].bytes, "bytes on all links", kInBytes);
  }
}

std::vector<ControllerWork> controllers_of(const System& system, const std::vector<std::int32_t>& pes) {
  std::vector<ControllerWork> all;
  if (!system.plan().shares_hbm) return all;
  std::map<std::int32_t, std::int32_t> pe_of_die;
  for (const std::int32_t pe : pes) pe_of_die.emplace(pe / system.plan().numbers.die_routers, pe);
  for (const auto& [die, pe] : pe_of_die) {
    const auto controllers = system.hbm_controllers(pe);
    const std::vector<std::int32_t> nodes = system.plan().hbm_controllers(die);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NetworkNode& node = system.plan().node(nodes[i]);
      const std::int64_t columns = system.machine().die.routers.columns;
      const std::string place =
          std::to_string(node.at.router / columns) + ',' + std::to_string(node.at.router % columns);
      all.push_back(
          {node.name + " (router " + place + ')', die, controllers[i]->bursts() * system.machine().die.hbm.burst});
    }
  }
  return all;
}

std::optional<BusiestController> busiest_of(const std::vector<ControllerWork>& controllers) {
  const auto most = std::ranges::max_element(controllers, {}, &ControllerWork::bytes);
  if (most == controllers.end() || most->bytes == 0) return std::nullopt;
  std::int64_t count = 0;
  double sum = 0;
  for (const ControllerWork& work : controllers) {
    if (work.die != most->die) continue;
    ++count;
    sum += static_cast<double>(work.bytes);
  }
  return BusiestController{most->name, static_cast<double>(count * most->bytes) / sum};
}

MultiPeResult report_of(System& system, const KernelLaunch& launch) {
  MultiPeResult result;
  result.time = launch.end();
  result.pes = reports_of(system, launch);
  result.engine.bursts = system.bursts(launch.pes());
  add_traffic(system, result);
  result.activity.pes = static_cast<std::int64_t>(launch.pes().size());
  result.busiest_link = busiest(network_links(system));
  result.controllers = controllers_of(system, launch.pes());
  result.simulated = result.activity.pes;
  result.engine.wakeups = system.calendar().wakeups();
  result.compared = launch.compared();
  return result;
}

}  // namespace kernbench
