#include "benches/traces/events/trace_warnings.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/traces/events/gemm_shape.hpp"
#include "benches/traces/events/trace_steps.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench::traces {
namespace {

constexpr double kPsPerMicrosecond = 1e6;

std::string microseconds_in_words(TracePs time) {
  return formatted("%.3f µs", static_cast<double>(time) / kPsPerMicrosecond);
}

std::string counted_events(std::size_t count, const char* what) {
  return counted(static_cast<std::int64_t>(count), what);
}

/// Kernels that begin before an earlier one of their stream has ended.
std::string overlaps_in_streams(const RankTrace& trace) {
  std::unordered_map<TraceId, TracePs> ends;
  std::size_t count = 0;
  TracePs time = 0;
  for (const GpuEvent& event : trace.gpu_events) {
    const auto [end, is_first] = ends.try_emplace(event.stream, event.end());
    if (is_first) continue;
    if (event.start < end->second) {
      ++count;
      time += std::min(event.end(), end->second) - event.start;
    }
    end->second = std::max(end->second, event.end());
  }
  if (count == 0) return "";
  return counted_events(count, "GPU event") + " overlap others of their stream by " + microseconds_in_words(time) +
         ": durations are suspect";
}

std::string missing_communication(const RankTrace& trace) {
  const bool has_any = std::ranges::any_of(
      trace.gpu_events, [](const GpuEvent& event) { return event.activity == GpuActivity::kCommunication; });
  if (has_any || trace.distributed.world_size <= 1) return "";
  return "NO COMMUNICATION among " + std::to_string(trace.distributed.world_size) +
         " ranks: all kernels count as computation; name the kernels that communicate with --comm REGEX";
}

std::string missing_shapes(const RankTrace& trace) {
  const auto missing = std::ranges::count_if(
      trace.gemm_ops, [&trace](const GemmOp& op) { return !trace.gemm_shapes[op.shape].is_known(); });
  if (missing == 0) return "";
  return "no shapes of " + std::to_string(missing) + " of " + counted_events(trace.gemm_ops.size(), "GEMM call") +
         ": profile with record_shapes=True (recorded sizes that are of no product count as none)";
}

std::string missing_types(const RankTrace& trace) {
  const auto missing = std::ranges::count_if(trace.gemm_ops, [&trace](const GemmOp& op) {
    const GemmShape& shape = trace.gemm_shapes[op.shape];
    return shape.is_known() && !are_types_known(shape);
  });
  if (missing == 0) return "";
  return "no element type that is known of A or B of " + std::to_string(missing) + " of " +
         counted_events(trace.gemm_ops.size(), "GEMM call") + ": their operations and rates are not known";
}

/// GEMMs by their kernels' names alone.
std::string missing_operators(const RankTrace& trace) {
  std::size_t count = 0;
  TracePs time = 0;
  for (const GpuEvent& event : trace.gpu_events) {
    if (!trace.counts(event) || !event.is_gemm || event.gemm_op != kNoId) continue;
    ++count;
    time += event.duration;
  }
  if (count == 0) return "";
  return counted_events(count, "kernel") + " of " + microseconds_in_words(time) +
         " named like a GEMM without an operator: what they multiply is not known, launches of one name may differ in "
         "it";
}

/// A graph's kernels have one launch, outside of the operators that were captured.
std::string launched_by_graphs(const RankTrace& trace) {
  std::size_t count = 0;
  std::size_t all = 0;
  double time = 0;
  double all_time = 0;
  for (const GpuEvent& event : trace.gpu_events) {
    const bool computes = event.kind == GpuEventKind::kKernel && event.activity == GpuActivity::kComputation;
    if (!computes || !trace.counts(event)) continue;
    ++all;
    all_time += static_cast<double>(event.duration);
    if (event.gemm_op != kNoId || event.launch == kNoId || !trace.launches[event.launch].is_of_graph) continue;
    ++count;
    time += static_cast<double>(event.duration);
  }
  if (count == 0) return "";
  return std::to_string(count) + " of " + counted_events(all, "kernel") + " that compute (" +
         percent(all_time > 0 ? time / all_time : 0) +
         " of their time) launched by graphs: without operators, so GEMMs among them have no shape";
}

std::string outside_of_steps(const RankTrace& trace) {
  if (trace.steps.empty()) return "";
  std::size_t count = 0;
  TracePs time = 0;
  for (const GpuEvent& event : trace.gpu_events) {
    if (!trace.counts(event) || step_of(trace, event)) continue;
    ++count;
    time += event.duration;
  }
  if (count == 0) return "";
  return counted_events(count, "GPU event") + " of " + microseconds_in_words(time) + " outside of all " +
         counted_events(trace.steps.size(), "step") + ": steps are cut, or work began before them";
}

std::string left_out(const RankTrace& trace) {
  if (!trace.has_runtime_events)
    return "no runtime events: every GPU event counts, and none has an operator by its launch";
  std::size_t count = 0;
  TracePs time = 0;
  for (const GpuEvent& event : trace.gpu_events) {
    if (event.is_linked) continue;
    ++count;
    time += event.duration;
  }
  if (count == 0) return "";
  return counted_events(count, "GPU event") + " of " + microseconds_in_words(time) +
         " have no launch in the file, as work from before it began: only --unlinked counts them";
}

/// Warnings that differ in their numbers alone.
struct AlikeWarnings {
  std::string kind;
  FileWarning first;
  std::int64_t count = 0;
};

std::string without_numbers(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.' || c == ',' || c == '+' || c == '-'; });
  return text;
}

}  // namespace

std::vector<std::string> warning_lines(const std::vector<FileWarning>& warnings) {
  std::vector<AlikeWarnings> all;
  for (const FileWarning& warning : warnings) {
    std::string kind = without_numbers(warning.warning);
    const auto found = std::ranges::find(all, kind, &AlikeWarnings::kind);
    if (found == all.end()) {
      all.push_back({std::move(kind), warning, 1});
    } else {
      ++found->count;
    }
  }
  std::vector<std::string> lines;
  for (const AlikeWarnings& alike : all) {
    lines.push_back(alike.first.file + ": " + alike.first.warning);
    if (alike.count > 1) lines.back() += "; and " + counted(alike.count - 1, "other file") + " alike";
  }
  return lines;
}

std::vector<std::string> warning_lines(const std::vector<PlacedTrace>& traces) {
  std::vector<FileWarning> warnings;
  for (const PlacedTrace& placed : traces) {
    const std::string file = printable(placed.trace.file.string());
    for (const std::string& warning : placed.trace.warnings) warnings.push_back({file, warning});
  }
  return warning_lines(warnings);
}

std::string skipped(const RankTrace& trace) {
  std::string text;
  if (trace.bad_events > 0) {
    text = counted_events(trace.bad_events, "event") + " that did not parse left out (--skip-bad)";
  }
  if (!trace.truncated_at) return text;
  return text + (text.empty() ? "" : "; ") + "the file is truncated at byte " + std::to_string(*trace.truncated_at) +
         ", or its last event does not end: what follows, base time and ranks too where they stood there, is missing";
}

void add_warnings(RankTrace& trace) {
  std::vector<std::string> all;
  all.push_back(missing_communication(trace));
  all.push_back(skipped(trace));
  all.push_back(left_out(trace));
  all.push_back(overlaps_in_streams(trace));
  all.push_back(missing_shapes(trace));
  all.push_back(missing_types(trace));
  all.push_back(missing_operators(trace));
  all.push_back(launched_by_graphs(trace));
  all.push_back(outside_of_steps(trace));
  for (std::string& warning : all) {
    if (!warning.empty()) trace.warnings.push_back(std::move(warning));
  }
}

}  // namespace kernbench::traces
