#include "benches/overlap_sweep/point.hpp"

#include <algorithm>

#include "benches/workloads/open_axis.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/plan/dimension.hpp"

namespace kernbench {
namespace {

constexpr const char* kApart = "apart";    ///< channel_pes: they multiply nothing
constexpr const char* kShared = "shared";  ///< they multiply too
constexpr const char* kNoInjection = "none";
constexpr std::int64_t kMostSteps = 1000;
constexpr std::int64_t kMostLayers = 100;
constexpr Picoseconds kLaunch = from_ns(500);
constexpr Picoseconds kLatency = from_ns(1000);
constexpr Picoseconds kGap = from_ns(200);

AxisValue read_bucket(const std::string& text) {
  const Bytes bytes = parse_quantity(text, Dimension::kBytes);
  return {format_quantity(bytes, Dimension::kBytes), Json{{"bucket_bytes", bytes}}};
}

AxisValue read_channel_pes(const std::string& text) {
  const std::vector<std::string> known{kApart, kShared};
  if (std::ranges::count(known, text) == 0) refuse_name("use of the channels' PEs", text, known);
  return {text, Json(text)};
}

AxisValue read_injections(const std::string& text) { return {text, Json(text)}; }

}  // namespace

std::vector<Axis> overlap_sweep_axes() {
  return {count_axis("channels", {28, 42, 56, 70}, 1, kLargestDimension),
          count_axis("threads", {256, 512}, 1, kLargestDimension),
          {"channel_pes", {kApart}, OpenAxis{{}, read_channel_pes}},
          count_axis("layers", 3, 1, kMostLayers),
          count_axis("batch", 256, 1, kLargestDimension),
          count_axis("hidden", 768, 1, kLargestDimension),
          {"bucket", {read_bucket("1 MiB")}, OpenAxis{Dimension::kBytes, read_bucket}},
          count_axis("steps", 3, 1, kMostSteps),
          {"inject", {kNoInjection}, OpenAxis{{}, read_injections}}};
}

OverlapCase overlap_case(const MachineSpec& machine, const Point& point) {
  const std::int64_t hidden = point.at("hidden");
  const TrainingLayer layer{.m = point.at("batch"), .k = hidden, .n = hidden};
  const std::vector<TrainingLayer> layers(point.at("layers").get<std::size_t>(), layer);
  OverlapCase asked{.setup = {.step = plan_training_step(layers, point.at("bucket_bytes").get<Bytes>()),
                              .channels = point.at("channels"),
                              .shared = point.at("channel_pes") == kShared,
                              .threads = point.at("threads"),
                              .launch = kLaunch,
                              .latency = kLatency,
                              .gap = kGap},
                    .steps = point.at("steps"),
                    .injections = {}};
  const std::string inject = point.at("inject");
  if (inject == kNoInjection) return asked;
  const auto ranks = static_cast<std::int32_t>(machine.system.packages.count());
  asked.injections = parse_injections(inject, {ranks, asked.steps, &asked.setup.step}, "--inject");
  return asked;
}

}  // namespace kernbench
