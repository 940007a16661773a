#include "benches/cli/probe_report.hpp"

#include <algorithm>

#include "benches/harness/text/numbers.hpp"
#include "benches/harness/text/table.hpp"
#include "sim/base/quantity.hpp"

namespace kernbench {
namespace {

/// To the picosecond.
std::string ns(Picoseconds time) { return formatted("%.3f", time.ns()); }
std::string gbs(double value) { return formatted("%.1f", value); }
std::string size(Bytes bytes) { return format_quantity(bytes, Dimension::kBytes); }

TableCell closed_form(const ProbeOutcome& outcome) {
  const Picoseconds over = outcome.time() - outcome.closed_form();
  if (outcome.exact()) {
    return over == Picoseconds{} ? TableCell("exact", Style::kGreen) : TableCell("differs by " + ns(over), Style::kRed);
  }
  const double percents = 100 * over.ns() / outcome.closed_form().ns();
  return {formatted("bound, %+.1f %%", percents), over < Picoseconds{} ? Style::kRed : Style::kYellow};
}

std::string single_transfers(const ProbeReport& report, bool colours) {
  Table table({{"probe"},
               {"from"},
               {"memory"},
               {"bytes", Align::kRight},
               {"one way (ns)", Align::kRight},
               {"simulated (ns)", Align::kRight},
               {"closed form (ns)", Align::kRight},
               {""},
               {"GB/s", Align::kRight},
               {"path", Align::kRight},
               {"used", Align::kRight},
               {"limited by"}});
  bool any = false;
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const ProbeOutcome& one = report.outcomes[i];
    if (one.probe.contends()) continue;
    any = true;
    const ProbeTransfer& transfer = one.probe.transfers.front();
    std::vector<TableCell> row{one.probe.name, one.initiator, one.memory, size(transfer.bytes), ns(one.alone.way)};
    if (!report.reasons[i].empty()) {
      row.insert(row.end(), {"", ns(one.closed_form()), TableCell("failed", Style::kRed)});
    } else {
      row.insert(row.end(), {ns(one.time()), ns(one.closed_form()), closed_form(one), gbs(one.gbs()),
                             gbs(one.peak_gbs()), percent(one.utilisation()), one.alone.limit});
    }
    table.add_row(row);
  }
  return any ? table.format(colours) + "\n" : "";
}

std::string contention(const ProbeReport& report, bool colours) {
  Table table({{"PEs on one controller", Align::kRight},
               {"bytes each", Align::kRight},
               {"first done (ns)", Align::kRight},
               {"all done (ns)", Align::kRight},
               {"closed form (ns)", Align::kRight},
               {""},
               {"GB/s", Align::kRight},
               {"max-min", Align::kRight},
               {"used", Align::kRight},
               {"bound by"}});
  bool any = false;
  for (std::size_t i = 0; i < report.outcomes.size(); ++i) {
    const ProbeOutcome& one = report.outcomes[i];
    if (!one.probe.contends()) continue;
    any = true;
    const std::string pes = std::to_string(one.probe.transfers.size());
    const std::string bytes = size(one.probe.transfers.front().bytes);
    if (!report.reasons[i].empty()) {
      table.add_row({pes, bytes, "", "", ns(one.closed_form()), TableCell("failed", Style::kRed)});
      continue;
    }
    table.add_row({pes, bytes, ns(std::ranges::min(one.ends)), ns(one.time()), ns(one.closed_form()), closed_form(one),
                   gbs(one.gbs()), gbs(one.peak_gbs()), percent(one.utilisation()), one.contention.bottleneck});
  }
  return any ? table.format(colours) + "\n" : "";
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

std::string hops(const ProbeOutcome& one, bool colours) {
  const bool reads = one.probe.transfers.front().direction == ProbeDirection::kRead;
  std::string text = styled(one.probe.name, Style::kBold, colours) + ": " + one.probe.what + "\n" +
                     terms(one.alone, reads) + (one.alone.bound_because.empty() ? " = " : ", at least ") +
                     ns(one.alone.time) + " ns\n";
  if (!one.alone.bound_because.empty()) text += "a bound, because " + one.alone.bound_because + "\n";
  Table table({{"first packet at"},
               {"GB/s", Align::kRight},
               {"enters (ns)", Align::kRight},
               {"through (ns)", Align::kRight},
               {"takes (ns)", Align::kRight},
               {"all packets (ns)", Align::kRight}});
  for (const ProbeStage& stage : one.alone.stages) {
    table.add_row(
        {stage.name, gbs(stage.bandwidth.gbs()), ns(stage.head), ns(stage.tail), ns(stage.service), ns(stage.work)});
  }
  return text + table.format(colours) + "\n";
}

std::string checks(const ProbeReport& report, bool colours) {
  std::string text;
  for (const ProbeCheck& check : report.checks) {
    const bool fails = !check.failures.empty();
    const Style style = fails ? Style::kRed : check.cases == 0 ? Style::kDim : Style::kGreen;
    const std::string verdict = fails ? "FAIL" : check.cases == 0 ? "----" : "pass";
    text += styled(verdict, style, colours) + "  " + check.name + std::string(13 - check.name.size(), ' ') +
            check.what + " (" + counted(check.cases, "comparison") + ")\n";
    for (const std::string& failure : check.failures) text += "      " + failure + "\n";
  }
  for (const ProbeLeftOut& out : report.left_out) {
    text += styled("none", Style::kDim, colours) + "  " + out.name + ": " + out.reason + "\n";
  }
  return text;
}

}  // namespace

std::string format_probes(const ProbeReport& report, bool colours) {
  std::string text;
  if (report.hops) {
    for (const ProbeOutcome& one : report.outcomes) {
      if (!one.probe.contends()) text += hops(one, colours);
    }
  }
  return text + single_transfers(report, colours) + contention(report, colours) + checks(report, colours);
}

}  // namespace kernbench
