// The simulator and the calculator side by side: see compared.hpp.
#include "tests/system/compared.hpp"

#include <map>
#include <sstream>
#include <vector>

#include "sim/system/run.hpp"
#include "tests/support/forked.hpp"

namespace kernbench {
namespace {

using calculator::Outcome;

/// Named numbers, one a line: what comes through the pipe and what is compared.
std::map<std::string, std::int64_t> numbers_of(const Outcome& outcome) {
  std::map<std::string, std::int64_t> numbers = {
      {"pe_start", outcome.pe_start},
      {"pe_end", outcome.pe_end},
      {"composite_start", outcome.composite_start},
      {"composite_end", outcome.composite_end},
      {"tiles", outcome.tiles},
      {"hbm_read", outcome.hbm_read},
      {"hbm_written", outcome.hbm_written},
  };
  for (const auto& [name, stage] : outcome.stages) {
    numbers[name + ".records"] = stage.records;
    numbers[name + ".wall"] = stage.wall;
    numbers[name + ".busy"] = stage.busy;
    numbers[name + ".bytes"] = stage.bytes;
    numbers[name + ".macs"] = stage.macs;
  }
  return numbers;
}

std::string text_of(const Outcome& outcome) {
  std::ostringstream text;
  text << outcome.pe_start << ' ' << outcome.pe_end << ' ' << outcome.composite_start << ' ' << outcome.composite_end
       << ' ' << outcome.tiles << ' ' << outcome.hbm_read << ' ' << outcome.hbm_written;
  for (const auto& [name, stage] : outcome.stages)
    text << ' ' << name << ' ' << stage.records << ' ' << stage.wall << ' ' << stage.busy << ' ' << stage.bytes << ' '
         << stage.macs;
  return text.str();
}

Outcome outcome_of(const std::string& text) {
  std::istringstream in(text);
  Outcome outcome;
  in >> outcome.pe_start >> outcome.pe_end >> outcome.composite_start >> outcome.composite_end >> outcome.tiles >>
      outcome.hbm_read >> outcome.hbm_written;
  for (std::string name; in >> name;) {
    calculator::Stage& stage = outcome.stages[name];
    in >> stage.records >> stage.wall >> stage.busy >> stage.bytes >> stage.macs;
  }
  return outcome;
}

Outcome outcome_of(const RunResult& result) {
  Outcome outcome;
  outcome.pe_start = result.pe.start.value;
  outcome.pe_end = result.pe.end.value;
  outcome.composite_start = result.composite.start.value;
  outcome.composite_end = result.composite.end.value;
  outcome.tiles = result.tiles;
  outcome.hbm_read = result.hbm_read;
  outcome.hbm_written = result.hbm_written;
  for (const StageTotals& stage : result.stages) {
    if (stage.records == 0) continue;
    outcome.stages[stage.stage] = {stage.records, stage.wall.value, stage.busy.value, stage.bytes, stage.macs};
  }
  return outcome;
}

GemmMapping mapping_of(const calculator::Run& run) {
  const calculator::Mapping& mapping = *run.mapping;
  return {mapping.tile,
          mapping.block,
          kLoopOrders.parse(mapping.order, "the case"),
          {true, true},
          mapping.buffers,
          {kSumFormats.parse(mapping.sums, "the case"), mapping.sums_in_hbm ? SumPlace::kHbm : SumPlace::kTcm}};
}

}  // namespace

Outcome simulated(const MachineSpec& machine, const calculator::Run& run) {
  return outcome_of(forked([&] {
    GemmProblem problem;
    problem.m = run.m;
    problem.k = run.k;
    problem.n = run.n;
    problem.dtype = parse_dtype(run.dtype, "the case");
    if (!run.dtype_b.empty()) problem.dtype_b = parse_dtype(run.dtype_b, "the case");
    problem.layout = run.row_major ? Layout::kRowMajor : Layout::kBlocked;
    return text_of(outcome_of(run.mapping ? run_gemm(machine, problem, mapping_of(run))
                                          : run_gemm(machine, problem, run.variant)));
  }));
}

std::string difference(const Outcome& simulated, const Outcome& calculated) {
  const auto ours = numbers_of(simulated);
  const auto theirs = numbers_of(calculated);
  std::ostringstream lines;
  for (const auto& [name, value] : ours) {
    const auto other = theirs.find(name);
    if (other == theirs.end()) {
      lines << name << ": simulated " << value << ", not calculated\n";
    } else if (other->second != value) {
      lines << name << ": simulated " << value << ", calculated " << other->second << "\n";
    }
  }
  for (const auto& [name, value] : theirs)
    if (!ours.contains(name)) lines << name << ": calculated " << value << ", not simulated\n";
  return lines.str();
}

std::string difference_of(const MachineSpec& machine, const calculator::Run& run) {
  return difference(simulated(machine, run), calculate(machine, run));
}

std::string name_of(const calculator::Run& run) {
  std::ostringstream name;
  name << run.m << 'x' << run.k << 'x' << run.n << ' ' << run.variant << (run.row_major ? " row_major " : " blocked ")
       << run.dtype;
  if (run.mapping) name << ' ' << to_text(mapping_of(run));
  return name.str();
}

}  // namespace kernbench
