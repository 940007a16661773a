#include "benches/traces/events/rank_trace_builder.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "benches/io/text/numbers.hpp"
#include "benches/traces/events/classify.hpp"
#include "benches/traces/events/decimal_time.hpp"
#include "benches/traces/events/gemm_shape.hpp"
#include "benches/traces/events/linking.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::traces {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";
constexpr std::string_view kGraphLaunch = "GraphLaunch";  // cudaGraphLaunch, cuGraphLaunch, hipGraphLaunch

/// The number behind "ProfilerStep#", or what the expression's first group holds; -1 where that is none.
std::int64_t step_number(const std::string& digits) {
  const bool is_number =
      !digits.empty() && digits.size() < 18 && digits.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoll(digits) : -1;
}

std::string signature_key(const CollectiveSignature& signature) {
  std::string key;
  for (const std::string* text : {&signature.kind, &signature.dtype, &signature.group, &signature.group_ranks}) {
    key += *text + '\0';
  }
  return key + std::to_string(signature.in_elements) + ' ' + std::to_string(signature.out_elements) + ' ' +
         std::to_string(signature.group_size);
}

std::string shape_key(const GemmShape& shape) {
  std::string key;
  for (const std::string* text :
       {&shape.op, &shape.dtype_a, &shape.dtype_b, &shape.dtype_c, &shape.dtype_added, &shape.layout}) {
    key += *text + '\0';
  }
  for (const std::int64_t size : {shape.m, shape.n, shape.k, shape.batch, shape.added}) {
    key += ' ' + std::to_string(size);
  }
  return key;
}

}  // namespace

bool RankTraceBuilder::is_step(std::string_view name) const {
  if (options_.step_mark) return std::regex_search(name.begin(), name.end(), *options_.step_mark);
  return name.starts_with(kProfilerStep);
}

bool RankTraceBuilder::wants(EventCategory category, std::string_view name) {
  switch (category) {
    case EventCategory::kOperator:
      return is_gemm_op(name);
    case EventCategory::kCpuMark:
    case EventCategory::kGpuMark:
      return is_step(name);
    case EventCategory::kOther:
      return false;
    default:
      return true;
  }
}

void RankTraceBuilder::first_time(std::string_view digits) {
  const std::optional<Int128> origin = picoseconds_from_microseconds(digits);
  if (!origin) return;  // the event that has it is refused if it is wanted; times are then relative to 0
  origin_ = *origin;
  trace_.origin_us = digits;
}

TraceId RankTraceBuilder::name_id(std::string_view name) {
  key_.assign(name);
  const auto [found, is_new] = name_ids_.try_emplace(key_, static_cast<TraceId>(trace_.names.size()));
  if (is_new) {
    trace_.names.push_back(key_);
    is_communication_.push_back(-1);
    is_gemm_.push_back(-1);
  }
  return found->second;
}

TraceId RankTraceBuilder::track_id(const TraceEvent& event) {
  std::string track(event.pid);
  track += '/';
  track += event.tid;
  return name_id(track);
}

TraceId RankTraceBuilder::shape_id(const TraceEvent& event) {
  GemmShape shape = gemm_shape_of(event);
  const auto [found, is_new] =
      shape_ids_.try_emplace(shape_key(shape), static_cast<TraceId>(trace_.gemm_shapes.size()));
  if (is_new) trace_.gemm_shapes.push_back(std::move(shape));
  return found->second;
}

TraceId RankTraceBuilder::collective_id(const TraceEvent& event) {
  if (event.collective.empty()) return kNoId;
  CollectiveSignature signature{
      std::string(event.collective), std::string(event.dtype),       event.in_elements, event.out_elements,
      std::string(event.group),      std::string(event.group_ranks), event.group_size};
  const auto [found, is_new] =
      signature_ids_.try_emplace(signature_key(signature), static_cast<TraceId>(trace_.signatures.size()));
  if (is_new) trace_.signatures.push_back(std::move(signature));
  trace_.collectives.push_back({found->second, event.sequence});
  return static_cast<TraceId>(trace_.collectives.size() - 1);
}

GpuActivity RankTraceBuilder::activity_of(const TraceEvent& event, TraceId name) {
  std::int8_t& known = is_communication_[name];
  if (known < 0) {
    const std::string& text = trace_.names[name];
    const bool named = options_.communication && std::regex_search(text, *options_.communication);
    known = static_cast<std::int8_t>(named ? 1 : is_communication_name(text) ? 2 : 0);
  }
  const bool is_kernel = event.category == EventCategory::kKernel;
  if (known == 1 || (is_kernel && (known == 2 || !event.collective.empty()))) return GpuActivity::kCommunication;
  const bool copies =
      event.category == EventCategory::kMemcpy || (is_kernel && is_copy_kernel_name(trace_.names[name]));
  return copies ? GpuActivity::kCopy : GpuActivity::kComputation;
}

bool RankTraceBuilder::is_named_like_gemm(TraceId name) {
  std::int8_t& known = is_gemm_[name];
  if (known < 0) known = is_gemm_name(trace_.names[name]) ? 1 : 0;
  return known == 1;
}

void RankTraceBuilder::take_gpu_event(const TraceEvent& event, EventTimes times) {
  const TraceId name = name_id(event.name);
  GpuEvent kept;
  kept.start = times.start;
  kept.duration = times.end - times.start;
  kept.correlation = event.correlation.value_or(0);
  kept.name = name;
  kept.stream = track_id(event);
  kept.activity = activity_of(event, name);
  kept.collective = collective_id(event);
  kept.is_gemm = event.category == EventCategory::kKernel && kept.activity == GpuActivity::kComputation &&
                 is_named_like_gemm(name);
  if (event.category == EventCategory::kMemcpy) kept.kind = GpuEventKind::kMemcpy;
  if (event.category == EventCategory::kMemset) kept.kind = GpuEventKind::kMemset;
  trace_.gpu_events.push_back(kept);
  external_ids_.push_back(event.external_id.value_or(0));
}

void RankTraceBuilder::take_mark(const TraceEvent& event, EventTimes times) {
  std::string digits;
  if (options_.step_mark) {
    std::match_results<std::string_view::const_iterator> match;
    if (!std::regex_search(event.name.begin(), event.name.end(), match, *options_.step_mark)) return;
    if (match.size() > 1) digits = match[1].str();
  } else {
    digits = event.name.substr(kProfilerStep.size());
  }
  Mark mark{step_number(digits), times};
  // The same annotation stands once a stream.
  const std::string key = mark.number >= 0    ? "#" + digits
                          : event.external_id ? std::to_string(*event.external_id)
                                              : "@" + std::to_string(times.start);
  Marks& marks = event.category == EventCategory::kGpuMark ? gpu_marks_ : cpu_marks_;
  const auto [found, is_new] = marks.try_emplace(key, mark);
  if (is_new) return;
  EventTimes& hull = found->second.times;
  hull = {std::min(hull.start, times.start), std::max(hull.end, times.end)};
}

std::string RankTraceBuilder::take(const TraceEvent& event) {
  if (event.ts.empty()) {
    ++without_time_;
    return "";
  }
  EventTimes times;
  if (std::string wrong = read_times(event.ts, event.duration, origin_, times); !wrong.empty()) return wrong;
  switch (event.category) {
    case EventCategory::kRuntime:
      trace_.has_runtime_events = true;
      if (event.correlation.value_or(0) != 0) {
        const bool is_of_graph = event.name.find(kGraphLaunch) != std::string_view::npos;
        trace_.launches.push_back({times.start, times.end, *event.correlation, track_id(event), kNoId, is_of_graph});
      }
      break;
    case EventCategory::kOperator:
      trace_.gemm_ops.push_back(
          {times.start, times.end, event.external_id.value_or(0), track_id(event), shape_id(event)});
      break;
    case EventCategory::kCpuMark:
    case EventCategory::kGpuMark:
      take_mark(event, times);
      break;
    default:
      take_gpu_event(event, times);
  }
  return "";
}

void RankTraceBuilder::make_steps() {
  const bool of_gpu = cpu_marks_.empty();
  const Marks& marks = of_gpu ? gpu_marks_ : cpu_marks_;
  for (const auto& [key, mark] : marks) trace_.steps.push_back({mark.number, mark.times.start, mark.times.end});
  std::ranges::sort(trace_.steps, {},
                    [](const TraceStep& step) { return std::tuple(step.start, step.end, step.number); });
  for (std::size_t i = 0; i < trace_.steps.size(); ++i) {
    if (trace_.steps[i].number < 0) trace_.steps[i].number = static_cast<std::int64_t>(i);
  }
  if (!marks.empty()) trace_.step_source = of_gpu ? StepSource::kGpuAnnotations : StepSource::kCpuAnnotations;
}

RankTrace RankTraceBuilder::finish() {
  if (trace_.gpu_events.empty()) {
    throw ConfigError("has no GPU event (cat kernel, gpu_memcpy or gpu_memset): profile with ProfilerActivity.CUDA");
  }
  if (without_time_ > 0) {
    trace_.warnings.push_back(counted(static_cast<std::int64_t>(without_time_), "event") + " without ts left out");
  }
  link_events(trace_, external_ids_);
  make_steps();
  return std::move(trace_);
}

}  // namespace kernbench::traces
