#include "benches/cli/probe_report.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"
#include "benches/io/text/table.hpp"
#include "benches/io/text/wrap.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

/// To the picosecond.
std::string ns(Picoseconds time) { return formatted("%.3f", time.ns()); }
std::string gbs(double value) { return formatted("%.1f", value); }
std::string size(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

/// What the closed form says; `otherwise` where there is none.
std::string if_known(const ProbeOutcome& outcome, const std::string& text, const std::string& otherwise = "") {
  return outcome.no_bound.empty() ? text : otherwise;
}

TableCell closed_form(const ProbeOutcome& outcome) {
  if (!outcome.no_bound.empty()) return {"none", Style::kDim};
  const Picoseconds over = outcome.time() - outcome.closed_form();
  if (outcome.exact()) {
    return over == Picoseconds{} ? TableCell("exact", Style::kGreen) : TableCell("differs by " + ns(over), Style::kRed);
  }
  const double percents = 100 * over.ns() / outcome.closed_form().ns();
  return {formatted("bound, %+.1f %%", percents), over < Picoseconds{} ? Style::kRed : Style::kYellow};
}

/// Of writes to an HBM that is slower than the way there: what `path` leaves out (21.9).
std::string beyond_path(const ProbeReport& report, const Terminal& terminal) {
  const auto outruns = [](const ProbeOutcome& one) {
    return !one.probe.contends() && one.no_bound.empty() && one.alone.posted &&
           one.alone.stages.back().bandwidth < one.alone.slowest_bandwidth;
  };
  const auto write = std::ranges::find_if(report.outcomes, outruns);
  if (write == report.outcomes.end()) return "";
  return prose("path of a write to HBM is the way into its queues; when these are full the HBM takes " +
                   gbs(write->alone.stages.back().bandwidth.gbs()) + " GB/s, as `kernbench topology show` has it",
               terminal);
}

std::string single_transfers(const ProbeReport& report, const Terminal& terminal) {
  Table table({{"probe"},
               {"from", Align::kLeft, 6},
               {"memory", Align::kLeft, 5},
               {"bytes", Align::kRight, 1},
               {"one way (ns)", Align::kRight, 7},
               {"simulated (ns)", Align::kRight},
               {"closed form (ns)", Align::kRight, 8},
               {"closed form"},
               {"GB/s", Align::kRight, 2},
               {"path", Align::kRight, 4},
               {"used", Align::kRight, 3},
               {"limited by", Align::kLeft, 0, true}});
  bool any = false;
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const ProbeOutcome& one = report.outcomes[i];
    if (one.probe.contends()) continue;
    any = true;
    const ProbeTransfer& transfer = one.probe.transfers.front();
    std::vector<TableCell> row{one.probe.name, one.initiator, one.memory, size(transfer.bytes), ns(one.alone.way)};
    if (!report.reasons[i].empty()) {
      row.insert(row.end(), {"", if_known(one, ns(one.closed_form())), TableCell("failed", Style::kRed)});
    } else {
      row.insert(row.end(), {ns(one.time()), if_known(one, ns(one.closed_form())), closed_form(one), gbs(one.gbs()),
                             if_known(one, gbs(one.peak_gbs())), if_known(one, percent(one.utilisation())),
                             if_known(one, one.alone.limit, one.no_bound)});
    }
    table.add_row(row);
  }
  return any ? table.format(terminal) + beyond_path(report, terminal) + "\n" : "";
}

std::string contention(const ProbeReport& report, const Terminal& terminal) {
  Table table({{"PEs on one controller", Align::kRight},
               {"bytes each", Align::kRight, 4},
               {"first done (ns)", Align::kRight, 3},
               {"all done (ns)", Align::kRight},
               {"closed form (ns)", Align::kRight, 5},
               {"closed form"},
               {"GB/s", Align::kRight, 1},
               {"max-min", Align::kRight, 2},
               {"used", Align::kRight, 1},
               {"bound by", Align::kLeft, 0, true}});
  bool any = false;
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const ProbeOutcome& one = report.outcomes[i];
    if (!one.probe.contends()) continue;
    any = true;
    const std::string pes = std::to_string(one.probe.transfers.size());
    const std::string bytes = size(one.probe.transfers.front().bytes);
    if (!report.reasons[i].empty()) {
      table.add_row({pes, bytes, "", "", if_known(one, ns(one.closed_form())), TableCell("failed", Style::kRed)});
      continue;
    }
    table.add_row({pes, bytes, ns(std::ranges::min(one.ends)), ns(one.time()), if_known(one, ns(one.closed_form())),
                   closed_form(one), gbs(one.gbs()), if_known(one, gbs(one.peak_gbs())),
                   if_known(one, percent(one.utilisation())), if_known(one, one.contention.bottleneck, one.no_bound)});
  }
  return any ? table.format(terminal) + "\n" : "";
}

/// "4.000 set-up + 2.030 request + ...", terms that are 0 left out.
std::string terms(const ProbeTime& time, bool reads) {
  std::string text;
  const auto add = [&text](Picoseconds term, const char* name) {
    if (term == Picoseconds{}) return;
    text += (text.empty() ? "" : " + ") + ns(term) + " " + name;
  };
  add(time.setup, "set-up");
  if (reads) {
    add(time.request, "request");
    add(time.memory_service, "burst");
    add(time.memory_latency, "memory latency");
  }
  add(time.slowest, "slowest link or port");
  add(time.way, "way");
  if (!reads) {
    if (!time.posted) add(time.memory_service, "burst");
    add(time.memory_latency, "memory latency");
    add(time.acknowledgement, "acknowledgement");
  }
  add(time.queueing, ("for " + grouped(time.packets - 1) + " packets more").c_str());
  return text;
}

std::string hops(const ProbeOutcome& one, const Terminal& terminal) {
  const bool reads = one.probe.transfers.front().direction == ProbeDirection::kRead;
  const std::string title = prose(one.probe.name + ": " + one.probe.what, terminal);
  std::string text = styled(one.probe.name, Style::kBold, terminal.colours) + title.substr(one.probe.name.size());
  if (!one.no_bound.empty()) return text + prose(one.no_bound, terminal) + "\n";
  text += prose(
      terms(one.alone, reads) + (one.alone.bound_because.empty() ? " = " : ", at least ") + ns(one.alone.time) + " ns",
      terminal);
  if (!one.alone.bound_because.empty()) text += prose("a bound, because " + one.alone.bound_because, terminal);
  Table table({{"first packet at"},
               {"GB/s", Align::kRight},
               {"enters (ns)", Align::kRight},
               {"through (ns)", Align::kRight},
               {"takes (ns)", Align::kRight, 1},
               {"all packets (ns)", Align::kRight, 2}});
  for (const ProbeStage& stage : one.alone.stages) {
    table.add_row(
        {stage.name, gbs(stage.bandwidth.gbs()), ns(stage.head), ns(stage.tail), ns(stage.service), ns(stage.work)});
  }
  return text + table.format(terminal) + "\n";
}

std::string checks(const ProbeReport& report, const Terminal& terminal) {
  std::string text;
  for (const ProbeCheck& check : report.checks) {
    const bool fails = !check.failures.empty();
    const Style style = fails ? Style::kRed : check.cases == 0 ? Style::kDim : Style::kGreen;
    const std::string verdict = fails ? "FAIL" : check.cases == 0 ? "----" : "pass";
    const std::string head = verdict + "  " + check.name + std::string(13 - check.name.size(), ' ');
    const std::string line =
        hanging(head, check.what + " (" + counted(check.cases, "comparison") + ")", terminal.width);
    text += styled(verdict, style, terminal.colours) + line.substr(verdict.size());
    for (const std::string& failure : check.failures) text += hanging("      ", failure, terminal.width);
  }
  for (const ProbeLeftOut& out : report.left_out) {
    const std::string line = hanging("none  ", out.name + ": " + out.reason, terminal.width);
    text += styled("none", Style::kDim, terminal.colours) + line.substr(4);
  }
  return text;
}

}  // namespace

std::string format_probes(const ProbeReport& report, const Terminal& terminal) {
  std::string text;
  if (report.hops) {
    for (const ProbeOutcome& one : report.outcomes) {
      if (!one.probe.contends()) text += hops(one, terminal);
    }
  }
  return text + single_transfers(report, terminal) + contention(report, terminal) + checks(report, terminal);
}

}  // namespace kernbench
