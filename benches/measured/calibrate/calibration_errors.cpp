#include "benches/measured/calibrate/calibration_errors.hpp"

#include <algorithm>
#include <functional>

#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

enum class Measured { kWarm, kFlushed, kSteady, kChosen };

double measured_time(const CalibrationRow& row, Measured what) {
  if (what == Measured::kFlushed) return row.flushed;
  return what == Measured::kSteady ? row.steady : row.warm;
}

double predicted_time(const CalibrationRow& row, Measured what, const GpuSpec& gpu) {
  switch (what) {
    case Measured::kWarm:
      break;
    case Measured::kFlushed:
      return gpu_gemm_time(row.gemm, row.kernel, gpu, {.l2 = L2State::kFlushed}).total;
    case Measured::kSteady: {
      const double clock = steady_clock(row.gemm, row.kernel, gpu, L2State::kWarm);
      return gpu_gemm_time(row.gemm, row.kernel, gpu, {.clock = clock}).total;
    }
    case Measured::kChosen:
      return gpu_gemm_time(row.gemm, choose_gpu_kernel(row.gemm, gpu), gpu).total;
  }
  return gpu_gemm_time(row.gemm, row.kernel, gpu).total;
}

std::string decade_of(const CalibrationRow& row) {
  const double time = row.warm > 0 ? row.warm : row.flushed;
  if (time < 5e3) return "below 5 us";
  if (time < 20e3) return "5 to 20 us";
  return time < 100e3 ? "20 to 100 us" : "100 us and more";
}

class PartsOfRows {
 public:
  PartsOfRows(const CalibrationRows& rows, const CalibratedMachines& machines) : rows_(rows), machines_(machines) {}

  void add(const std::string& what, const std::string& value, const std::vector<Measured>& measured,
           const std::function<bool(const CalibrationRow&)>& takes) {
    std::vector<double> before;
    std::vector<double> after;
    std::vector<double> held_out;
    for (std::size_t i = 0; i < rows_.rows.size(); ++i) {
      const CalibrationRow& row = rows_.rows[i];
      if (!takes(row)) continue;
      for (const Measured one : measured) {
        const double time = measured_time(row, one);
        if (time <= 0) continue;
        before.push_back(predicted_time(row, one, machines_.before) / time);
        after.push_back(predicted_time(row, one, machines_.after) / time);
        if (machines_.held_out.empty()) continue;
        held_out.push_back(predicted_time(row, one, machines_.held_out[machines_.machine_of[i]]) / time);
      }
    }
    if (before.empty()) return;
    parts.push_back({what, value, summary_of(before), summary_of(after), summary_of(held_out)});
  }

  void add_each(const std::string& what, const std::function<std::string(const CalibrationRow&)>& value_of) {
    std::vector<std::string> values;
    for (const CalibrationRow& row : rows_.rows) {
      const std::string value = value_of(row);
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
    std::ranges::sort(values);
    for (const std::string& value : values) {
      add(what, value, {Measured::kWarm, Measured::kFlushed},
          [&](const CalibrationRow& row) { return value_of(row) == value; });
    }
  }

  std::vector<CalibrationPart> parts;

 private:
  const CalibrationRows& rows_;
  const CalibratedMachines& machines_;
};

}  // namespace

std::vector<std::string> families_of(const CalibrationRows& rows) {
  std::vector<std::string> families;
  for (const CalibrationRow& row : rows.rows) {
    if (std::ranges::find(families, row.family) == families.end()) families.push_back(row.family);
  }
  std::ranges::sort(families);
  return families;
}

std::vector<CalibrationPart> calibration_parts(const CalibrationRows& rows, const CalibratedMachines& machines) {
  PartsOfRows parts(rows, machines);
  const auto all = [](const CalibrationRow&) { return true; };
  parts.add("bursts", "", {Measured::kWarm, Measured::kFlushed}, all);
  parts.add("burst", "warm", {Measured::kWarm}, all);
  parts.add("burst", "flushed", {Measured::kFlushed}, all);
  parts.add("burst", "warm, kernel by rule", {Measured::kChosen}, all);
  parts.add("steady", "warm", {Measured::kSteady}, all);
  parts.add_each("dtype", [](const CalibrationRow& row) { return std::string(name_of(row.gemm.dtype)); });
  parts.add_each("time", decade_of);
  parts.add_each("family", [](const CalibrationRow& row) { return row.family; });
  return parts.parts;
}

ErrorSummary error_on(const CalibrationRows& rows, const std::vector<std::size_t>& which, const GpuSpec& gpu,
                      CalibrationGroup group) {
  std::vector<Measured> measured{Measured::kWarm, Measured::kFlushed, Measured::kSteady};
  if (group == CalibrationGroup::kLibrary) measured = {Measured::kChosen};
  std::vector<double> ratios;
  for (const std::size_t row : which) {
    for (const Measured one : measured) {
      const double time = measured_time(rows.rows[row], one);
      if (time > 0) ratios.push_back(predicted_time(rows.rows[row], one, gpu) / time);
    }
  }
  return summary_of(ratios);
}

}  // namespace kernbench
