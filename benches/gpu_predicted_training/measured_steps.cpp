#include "benches/gpu_predicted_training/measured_steps.hpp"

#include <algorithm>
#include <array>

#include "benches/io/files/source_tree.hpp"
#include "benches/measured/reference/store.hpp"
#include "benches/results/rows/measured_metrics.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "benches/workloads/open_axis.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/system/gpu/gpu_training.hpp"

namespace kernbench {
namespace {

constexpr const char* kMeasuredBench = "gpu-overlap";

/// A field of the points, and what it may be; from 0 on where 0 is the library's own.
struct TrainingField {
  const char* name;
  std::int64_t least;
  std::int64_t most;
};
constexpr std::array<TrainingField, 6> kTrainingFields{{{"channels", 0, kLargestDimension},
                                                        {"threads", 0, kLargestDimension},
                                                        {"layers", 1, kMostTrainingLayers},
                                                        {"hidden", 1, kLargestDimension},
                                                        {"batch", 1, kLargestDimension},
                                                        {"gpus", 1, kLargestDimension}}};

/// Layers, hidden and batch are what a folder of traces says of itself.
Json model_of(const std::filesystem::path& traces) {
  const std::filesystem::path file = traces / "config.json";
  try {
    return Json::parse(read_file(file)).at("model");
  } catch (const Json::exception& error) {
    throw ConfigError(file.string() + ": expected a model: " + error.what());
  }
}

std::vector<MeasuredStep> read_measured_steps() {
  std::vector<MeasuredStep> steps;
  const auto root = in_source_tree(kReferenceFolder);
  for (const ReferenceFolder& folder : all_references(root)) {
    if (folder.published) continue;
    const std::optional<Results> results = read_reference(root, folder.name, kMeasuredBench);
    if (!results) continue;
    for (const Row& row : results->rows) {
      if (row.status != "ok" || !row.metrics.has(kTime) || !row.metrics.has(kTraceFolder)) continue;
      const auto traces = root / folder.name / row.metrics.at(kTraceFolder);
      Json known = model_of(traces);
      known.update(row.point);
      Json point = Json::object();
      for (const TrainingField& field : kTrainingFields) point[field.name] = known.at(field.name);
      steps.push_back({std::move(point), folder.name, row, traces});
    }
  }
  return steps;
}

/// Whatever else the point has, as keys of a machine in a sweep.
bool is_of(const MeasuredStep& step, const Json& point) {
  return std::ranges::all_of(
      kTrainingFields, [&](const TrainingField& field) { return step.point.at(field.name) == point.at(field.name); });
}

/// Of a field, in the order in which they come.
std::vector<int> measured_values(const char* field) {
  std::vector<int> values;
  for (const MeasuredStep& step : measured_steps()) {
    const int value = step.point.at(field);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

}  // namespace

const std::vector<MeasuredStep>& measured_steps() {
  static const std::vector<MeasuredStep> kSteps = read_measured_steps();
  return kSteps;
}

const MeasuredStep* measured_step(const std::string& device, const Json& point) {
  const auto step = std::ranges::find_if(
      measured_steps(), [&](const MeasuredStep& one) { return one.device == device && is_of(one, point); });
  return step == measured_steps().end() ? nullptr : &*step;
}

traces::StepTimes analysed(const MeasuredStep& step) {
  const auto ranks = traces::read_traces(traces::find_trace_files({step.traces}, ""), {});
  const std::int64_t of_a_step = 3 * step.point.at("layers").get<std::int64_t>() - 1;
  const std::int64_t calls = traces::gemm_calls(ranks.front());
  if (calls == 0 || calls % of_a_step != 0) {
    throw ConfigError(step.traces.string() + ": expected " + std::to_string(of_a_step) + " products a step, got " +
                      std::to_string(calls));
  }
  return traces::step_times(ranks, calls / of_a_step);
}

std::vector<Axis> training_axes() {
  std::vector<Axis> axes;
  for (const TrainingField& field : kTrainingFields) {
    axes.push_back(count_axis(field.name, measured_values(field.name), field.least, field.most));
  }
  return axes;
}

bool is_training_point(const Point& point) {
  bool all_known = true;
  for (const TrainingField& field : kTrainingFields) {
    const std::vector<int> values = measured_values(field.name);
    all_known = all_known && std::ranges::find(values, point.at(field.name).get<std::int64_t>()) != values.end();
  }
  const auto is_point = [&point](const MeasuredStep& step) { return is_of(step, point); };
  return !all_known || std::ranges::any_of(measured_steps(), is_point);
}

}  // namespace kernbench
