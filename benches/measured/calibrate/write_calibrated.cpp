#include "benches/measured/calibrate/write_calibrated.hpp"

#include <set>

#include "benches/io/files/own_file.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/io/text/json.hpp"
#include "benches/io/text/numbers.hpp"
#include "sim/base/text.hpp"
#include "sim/machine/gpu/gpu_text.hpp"

namespace kernbench {
namespace {

/// A text of JSON is one of YAML.
std::string in_quotes(const std::string& text) { return Json(text).dump(); }

std::string number_text(const std::string& is, const std::string& from, const std::string& note) {
  return "{is: " + is + ", from: " + from + ", note: " + in_quotes(note) + "}";
}

/// The lines of the base's list, and those of these rows that it does not have.
std::string list_of_products(const LoadedGpu& base, const CalibrationRows& rows) {
  std::vector<std::string> lines{"m,k,n,dtype"};
  if (!base.fitted_to.empty()) lines = split(read_file(base.fitted_to), "\n");
  std::erase(lines, "");
  std::set<std::string> known(lines.begin(), lines.end());
  for (const CalibrationFile& file : rows.files) {
    for (const std::string& product : file.products) {
      if (known.insert(product).second) lines.push_back(product);
    }
  }
  return joined(lines, "\n") + "\n";
}

/// "h200_fitted_to.csv" beside h200.yaml.
std::filesystem::path list_beside(const std::filesystem::path& machine) {
  return machine.parent_path() / (machine.stem().string() + "_fitted_to.csv");
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
    const ErrorSummary error = error_on(rows, number.rows, gpu, number.group);
    const std::string is = format_quantity(rounded_number(key, key.ref(copy)), key.dimension);
    const std::string note = counted(static_cast<std::int64_t>(number.rows.size()), "row") + " of " +
                             names_of_files(rows) + ", mean error " + percent(error.mean);
    text = with_gpu_number(text, std::string(key.path), number_text(is, "fit", note));
  }
  if (!base.bases.empty()) {
    const auto folder = std::filesystem::absolute(file.out).parent_path();
    const auto path = std::filesystem::relative(std::filesystem::absolute(base.bases.front()), folder);
    text = with_head_key(text, "base", path.string());
  }
  std::string files;
  for (const CalibrationFile& one : rows.files) files += " " + one.name + " (sha256 " + one.sha256 + ")";
  text = with_heading_line(with_heading_line(text, file.heading), "Rows:" + files);
  const std::filesystem::path list = list_beside(file.out);
  const std::optional<std::string> before =
      std::filesystem::exists(list) ? std::optional(read_file(list.string())) : std::nullopt;
  text = with_head_key(text, "fitted_to", list.filename().string());
  require_own_file(file.out, text);
  write_own_file(list, list_of_products(base, rows));
  try {
    write_file(file.out, text);
  } catch (...) {  // both or none
    if (before) {
      write_file(list, *before);
    } else {
      std::filesystem::remove(list);
    }
    throw;
  }
}

}  // namespace kernbench
