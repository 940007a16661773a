#include "benches/measured/calibrate/calibration_rows.hpp"

#include <algorithm>

#include "benches/results/rows/checked_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"
#include "sim/plan/dimension.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"

namespace kernbench {
namespace {

constexpr std::int64_t kNarrow = 64;  // the smaller of m and n
constexpr std::int64_t kShortK = 256;
constexpr std::int64_t kLongK = 4;  // of k to the larger of m and n
constexpr double kHugeFlops = 0x1p35;

std::int64_t dimension_of(const CheckedJson& row, const std::string& name) {
  const CheckedJson value = row.at(name);
  const std::int64_t size = value.integer();
  if (size < 1 || size > kLargestDimension) value.expected("a size from 1 to " + std::to_string(kLargestDimension));
  return size;
}

/// A positive number times `scale`, or 0 where there is none.
double positive(const CheckedJson& row, const std::string& name, double scale) {
  if (!row.has(name)) return 0;
  const CheckedJson value = row.at(name);
  const double number = value.number();
  if (!(number > 0) || number > 1e12) value.expected("a number above 0");
  return number * scale;
}

std::string family_of_product(const GpuGemm& gemm) {
  if (gemm.m == gemm.n && gemm.n == gemm.k) return "square";
  const auto [least, most] = std::minmax(gemm.m, gemm.n);
  if (least <= kNarrow) return "narrow";
  if (gemm.k <= kShortK) return "short k";
  if (gemm.k >= kLongK * most) return "long k";
  const double flops = 2 * static_cast<double>(gemm.m) * static_cast<double>(gemm.k) * static_cast<double>(gemm.n);
  return flops >= kHugeFlops ? "huge" : "other";
}

/// Of the first of the kernels that is of the library's kind; "" and the kernel, or why there is none.
std::string kernel_of(const CheckedJson& row, CalibrationRow& into, const GpuSpec& gpu) {
  const CheckedJson kernels = row.at("kernels");
  for (std::size_t i = 0; i < kernels.array().size(); ++i) {
    const std::optional<GpuKernel> kernel = kernel_of_library_name(kernels.at(i).at("name").string());
    if (!kernel) continue;
    into.kernel = *kernel;
    if (kernel->split > 1) into.kernel.split = split_by_rule(*kernel, into.gemm, gpu);
    if (kernel->split > 1 && into.kernel.split == 1) return "K is cut where the rule (49.3) leaves it whole";
    try {
      check_kernel(into.kernel, into.gemm, gpu, into.place);
    } catch (const ConfigError&) {
      return "a kernel that this machine cannot hold";
    }
    return "";
  }
  return "no kernel of the kind that is modelled";
}

/// The dtype, or nothing where the model or the machine has none.
std::optional<Dtype> dtype_of(const CheckedJson& row, const GpuSpec& gpu) {
  const std::string text = row.at("dtype").string();
  const std::optional<Dtype> dtype = kOperandDtypes.find(text == "fp8" ? "fp8_e4m3" : text);
  if (!dtype) row.at("dtype").expected("a dtype such as bf16");
  return tensor_rate(gpu, *dtype) != nullptr ? dtype : std::nullopt;
}

/// Reads one row; returns why it is not used, "" where it is.
std::string read_row(const CheckedJson& row, const GpuSpec& gpu, CalibrationRow& into) {
  into.gemm = {dimension_of(row, "m"), dimension_of(row, "k"), dimension_of(row, "n"), Dtype::kBf16};
  into.warm = positive(row, "warm_burst_us", 1e3);
  into.flushed = positive(row, "hbm_burst_us", 1e3);
  into.steady = positive(row, "warm_steady_us", 1e3);
  into.clock = positive(row, "sm_mhz", 1e-3);
  const std::optional<Dtype> dtype = dtype_of(row, gpu);
  if (!dtype) return row.at("dtype").string() + ": the machine has no section of it";
  into.gemm.dtype = *dtype;
  if (row.has("layout")) {
    const std::string usual = bytes_of(1, *dtype) == 1 ? "nt" : "nn";
    if (row.at("layout").string() != usual) return "layout " + row.at("layout").string() + ": not modelled";
  }
  if (into.warm + into.flushed + into.steady == 0) return "no time";
  into.family = family_of_product(into.gemm);
  return kernel_of(row, into, gpu);
}

}  // namespace

std::string product_text(const GpuGemm& gemm) {
  return std::to_string(gemm.m) + "," + std::to_string(gemm.k) + "," + std::to_string(gemm.n) + "," +
         std::string(name_of(gemm.dtype));
}

CalibrationRows read_calibration_rows(const std::vector<std::filesystem::path>& paths, const GpuSpec& gpu) {
  CalibrationRows all;
  for (const std::filesystem::path& path : paths) {
    const std::string text = read_file(path);
    const Json json = parse_json(text, path.string());
    const CheckedJson rows = CheckedJson(json, path.string()).at("rows");
    CalibrationFile file{path.filename().string(), sha256_hex(text), {}, 0};
    if (std::ranges::find(all.files, file.name, &CalibrationFile::name) != all.files.end()) {
      throw ConfigError(path.string() + ": expected files of different names, by which the machine file names them");
    }
    for (std::size_t i = 0; i < rows.array().size(); ++i) {
      CalibrationRow row;
      row.place = file.name + ": rows[" + std::to_string(i) + "]";
      row.file = all.files.size();
      if (const std::string why = read_row(rows.at(i), gpu, row); !why.empty()) {
        ++all.left_out[why];
        continue;
      }
      ++file.used;
      const std::string product = product_text(row.gemm);
      if (std::ranges::find(file.products, product) == file.products.end()) file.products.push_back(product);
      all.rows.push_back(std::move(row));
    }
    all.files.push_back(std::move(file));
  }
  if (all.rows.empty()) {
    std::string why;
    for (const auto& [reason, count] : all.left_out) why += "; " + std::to_string(count) + ": " + reason;
    throw ConfigError("no row is left to fit to" + why);
  }
  return all;
}

}  // namespace kernbench
