// The results document of `kernbench probe`.
#include "benches/cli/probe_report.hpp"
#include "benches/results/rows/results_json.hpp"
#include "benches/results/rows/row_from_transfer.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

constexpr Metric<double> kBandwidthGbs{"bandwidth_gbs"};
constexpr Metric<std::int64_t> kCaseCount{"cases"};
constexpr Metric<double> kEntersTime{"enters_ns"};
constexpr Metric<std::int64_t> kFailureCount{"failures"};
constexpr Metric<double> kServiceTime{"service_ns"};
constexpr Metric<double> kThroughTime{"through_ns"};
constexpr Metric<double> kWorkTime{"work_ns"};

Json point_of(const ProbeOutcome& one) {
  return {{"probe", one.probe.name},
          {"from", one.initiator},
          {"memory", one.memory},
          {"direction", one.probe.transfers.front().direction == ProbeDirection::kRead ? "read" : "write"},
          {"transfers", one.probe.transfers.size()},
          {"bytes", one.probe.transfers.front().bytes}};
}

Row row_of(const ProbeOutcome& one, const std::string& reason) {
  Row row;
  row.point = point_of(one);
  if (reason.empty()) {
    add_transfer(row, one);
    return row;
  }
  add_transfer_plan(row, one);
  row.status = "failed";
  row.reason = reason;
  return row;
}

Row row_of(const ProbeOutcome& one, std::size_t hop) {
  const ProbeStage& stage = one.alone.stages.at(hop);
  Row row;
  row.point = point_of(one);
  row.point["hop"] = hop;
  row.point["at"] = stage.name;
  row.metrics = {{kEntersTime, stage.head.ns()},
                 {kThroughTime, stage.tail.ns()},
                 {kServiceTime, stage.service.ns()},
                 {kWorkTime, stage.work.ns()},
                 {kBandwidthGbs, stage.bandwidth.gbs()}};
  return row;
}

Row row_of(const ProbeCheck& check) {
  Row row;
  row.point = {{"check", check.name}};
  row.metrics = {{kCaseCount, check.cases}, {kFailureCount, check.failures.size()}};
  for (const std::string& failure : check.failures) {
    row.status = "failed";
    row.reason += (row.reason.empty() ? "" : "; ") + failure;
  }
  return row;
}

}  // namespace

Results probe_results(const ProbeReport& report, const LoadedMachine& machine) {
  Results results{"probe", {"sim", machine.spec.name, machine.sha256, kModelVersion, "1"}, Json::object(), {}};
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    results.rows.push_back(row_of(report.outcomes[i], report.reasons[i]));
  }
  for (const ProbeOutcome& one : report.outcomes) {
    if (!report.hops || one.probe.contends() || !one.no_bound.empty()) continue;
    for (std::size_t hop = 0; hop < one.alone.stages.size(); ++hop) results.rows.push_back(row_of(one, hop));
  }
  for (const ProbeCheck& check : report.checks) results.rows.push_back(row_of(check));
  return results;
}

}  // namespace kernbench
