#include "benches/harness/calibrate/write_calibrated.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "benches/harness/calibrate/machine_text.hpp"
#include "benches/harness/files/write_file.hpp"
#include "benches/harness/text/numbers.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

std::string in_quotes(const std::string& text) {
  YAML::Emitter out;
  out << YAML::DoubleQuoted << text;
  return out.c_str();
}

std::string number_text(const std::string& is, const std::string& from, const std::string& note) {
  return "{is: " + is + ", from: " + from + ", note: " + in_quotes(note) + "}";
}

/// Of the base, without those of files that are named alike, and those of these rows.
std::vector<FittedTo> fitted_lists(const LoadedGpu& base, const CalibrationRows& rows) {
  std::vector<FittedTo> lists;
  for (const FittedTo& one : base.fitted_to) {
    const bool again = std::ranges::find(rows.files, one.rows, &CalibrationFile::name) != rows.files.end();
    if (!again) lists.push_back(one);
  }
  for (const CalibrationFile& file : rows.files) lists.push_back({file.name, file.sha256, file.products});
  return lists;
}

}  // namespace

std::string names_of_files(const CalibrationRows& rows) {
  std::vector<std::string> names;
  for (const CalibrationFile& file : rows.files) names.push_back(file.name);
  return joined(names, ", ");
}

void write_calibrated(const CalibratedFile& file, const LoadedGpu& base, const CalibrationRows& rows,
                      const Calibration& calibration, const GpuSpec& gpu) {
  std::string text = read_file(file.base);
  GpuSpec copy = gpu;
  for (const auto& [path, origin] : base.origins) {
    if (origin.from != NumberSource::kSet) continue;
    text = with_gpu_number(text, path, number_text(origin.written, "assumed", "held while others were fitted"));
  }
  for (const FittedNumber& number : calibration.numbers()) {
    const GpuKey& key = *number.key;
    const CalibrationError error = error_on(rows, number.rows, gpu, number.group);
    const std::string is = format_quantity(rounded_number(key, key.ref(copy)), key.dimension);
    const std::string note = counted(static_cast<std::int64_t>(number.rows.size()), "row") + " of " +
                             names_of_files(rows) + ", mean error " + percent(error.mean);
    text = with_gpu_number(text, std::string(key.path), number_text(is, "fit", note));
  }
  if (!base.bases.empty()) {
    const auto folder = std::filesystem::absolute(file.out).parent_path();
    text = with_base(text, std::filesystem::relative(std::filesystem::absolute(base.bases.front()), folder).string());
  }
  text = with_heading_line(with_fitted_to(text, fitted_lists(base, rows)), file.heading);
  write_file(file.out, text);
}

}  // namespace kernbench
