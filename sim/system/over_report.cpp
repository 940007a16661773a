#include "sim/system/over_report.hpp"

#include "sim/base/checked.hpp"

namespace kernbench {

namespace {

PeReport report_of_pe(System& system, std::int32_t pe, Picoseconds end) {
  PeReport report;
  report.name = system.plan().node(system.pe_node(pe)).name;
  report.end = end;
  const std::string prefix = std::string(system.pe(pe).name()) + ".";
  const auto add = [](Bytes& sum, Bytes bytes) { sum = checked_add(sum, bytes, "bytes that a PE moves", kInBytes); };
  for (const OpChannel& channel : system.log().channels()) {
    if (!channel.engine().starts_with(prefix) || channel.records() == 0) continue;
    const Stage& stage = channel.stage();
    if (stage == kMacStage) {
      report.array += channel.wall();
      report.macs += channel.macs();
    }
    if (stage == kLoadStage || stage == kDmaInStage) add(report.read, channel.bytes());
    if (stage == kSendStage) add(report.sent, channel.bytes());
    if (stage == kDmaOutStage || stage == kStoreOutStage) add(report.written, channel.bytes());
  }
  return report;
}

void count_link_use(const System& system, OverResult& result) {
  const std::vector<LinkTotals> totals = system.network().totals();
  for (std::size_t i = 0; i < totals.size(); ++i) {
    result.link_bytes = checked_add(result.link_bytes, totals[i].bytes, "bytes on all links", kInBytes);
    if (totals[i].busy <= result.busiest_link_time) continue;
    result.busiest_link_time = totals[i].busy;
    result.busiest_link = system.plan().links[i].name;
  }
}

}  // namespace

OverResult report_of(System& system, const KernelLaunch& launch) {
  OverResult result;
  result.time = launch.end();
  for (std::size_t rank = 0; rank < launch.pes().size(); ++rank) {
    const std::int32_t pe = launch.pes()[rank];
    result.pes.push_back(report_of_pe(system, pe, launch.ends()[rank]));
    result.engine.bursts += system.partition(pe).bursts();
  }
  count_link_use(system, result);
  result.engine.wakeups = system.calendar().wakeups();
  return result;
}

}  // namespace kernbench
