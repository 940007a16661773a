#include "benches/measured/calibrate/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "benches/measured/calibrate/minimise.hpp"
#include "sim/base/errors.hpp"
#include "sim/machine/gpu/gpu_contradictions.hpp"
#include "sim/plan/gpu/gpu_choice.hpp"
#include "sim/plan/gpu/gpu_gemm_time.hpp"
#include "sim/plan/gpu/gpu_power.hpp"

namespace kernbench {
namespace {

constexpr double kUsualError = 0.05;  // beyond it an error counts with its size, not its square
constexpr double kPull = 0.0036;      // towards the base's numbers: what rows do not tell stays
constexpr double kFurthest = 4;       // times the base's number, and a part of it
constexpr double kRounding = 1e-3;    // of a logarithm: four digits
constexpr double kNudge = 1.1;        // that tells which rows see a number
constexpr double kImpossible = 1e3;   // loss of a machine that contradicts itself
constexpr std::size_t kFewestSteady = 5;

/// Which times of bursts alone do not tell: more power and a higher limit are the same.
bool is_of_power(std::string_view path) {
  return path == "power.peak" || path == "power.exponent" || path == "l2.energy" || path == "hbm.energy" ||
         (path.starts_with("tensor.") && path.ends_with(".energy"));
}

/// The group of a key; nothing for those that products do not tell of.
std::optional<CalibrationGroup> group_of(std::string_view path) {
  static const std::vector<std::string_view> kOfProducts{
      "sm.receive",  "sm.store",        "sm.later_store", "tensor.least",   "power.peak",
      "l2.resident", "l2.spill",        "l2.request",     "hbm.bandwidth",  "launch.kernel",
      "launch.cta",  "launch.from_hbm", "split.launch",   "split.bandwidth"};
  const bool tensor = path.starts_with("tensor.");
  if (std::ranges::find(kOfProducts, path) != kOfProducts.end()) return CalibrationGroup::kProducts;
  if (is_of_power(path)) return CalibrationGroup::kProducts;
  if (tensor && (path.ends_with(".share") || path.ends_with(".slice") || path.ends_with(".launch"))) {
    return CalibrationGroup::kProducts;
  }
  if (path == "library.request" || path == "library.receive") return CalibrationGroup::kLibrary;
  return std::nullopt;
}

std::string why_never(std::string_view path) {
  if (path == "launch.drain") return "times tell its sum with launch.kernel only";
  if (path.starts_with("overlap.")) return "fitted, it predicts families that are held out no better";
  return "not told by times of products";
}

bool is_within(std::string_view path, const std::string& key_or_section) {
  return path == key_or_section || path.starts_with(key_or_section + ".");
}

bool contradicts_itself(const GpuSpec& gpu) {
  return std::ranges::any_of(gpu_contradictions(), [&](const auto& one) { return !one.check(gpu).empty(); });
}

void set_number(const FittedNumber& number, double value, GpuSpec& gpu) {
  number.key->ref(gpu) = value;
  for (const GpuKey* follower : number.followers) follower->ref(gpu) = value;
}

double number_of(const FittedNumber& number, const GpuSpec& gpu) {
  GpuSpec copy = gpu;
  return number.key->ref(copy);
}

/// The logarithms of how far a number may go from where it is.
std::pair<double, double> reach_of(const GpuKey& key, double value) {
  const double scale = gpu_scale(key.dimension);
  const double least = static_cast<double>(parse_quantity(key.least, key.dimension)) * scale;
  const double most = static_cast<double>(parse_quantity(key.most, key.dimension)) * scale;
  return {std::log(std::max(value / kFurthest, least) / value), std::log(std::min(value * kFurthest, most) / value)};
}

}  // namespace

bool at_its_limit(const GpuKey& key, double base, double fitted) {
  const auto [low, high] = reach_of(key, base);
  const double gone = std::log(fitted / base);
  return gone <= low + kRounding || gone >= high - kRounding;
}

std::int64_t rounded_number(const GpuKey& key, double value) {
  const double units = value / gpu_scale(key.dimension);
  if (units <= 0) return 0;
  const bool binary = key.dimension == Dimension::kBytes;
  const double step =
      binary ? std::exp2(std::floor(std::log2(units)) - 12) : std::pow(10, std::floor(std::log10(units)) - 3);
  return std::llround(std::round(units / std::max(step, 1.0)) * std::max(step, 1.0));
}

Calibration::Calibration(const LoadedGpu& base, const CalibrationRows& rows, CalibrationSettings settings)
    : base_(base), rows_(rows), settings_(std::move(settings)) {
  check_only();
  find_numbers();
  if (numbers_.empty()) throw ConfigError("no number of GPU " + base_.spec.name + " is left to fit");
  for (const CalibrationGroup group : settings_.groups) {
    std::size_t numbers = 0;
    for (const FittedNumber& number : numbers_) numbers += number.group == group ? 1 : 0;
    std::vector<double> times;
    for (std::size_t row = 0; row < rows_.rows.size(); ++row) add_residuals(group, row, base_.spec, times);
    if (numbers > 0 && times.size() <= numbers) {
      throw ConfigError("group " + std::string(kCalibrationGroups[group]) + ": " + std::to_string(times.size()) +
                        " measured times for " + std::to_string(numbers) + " numbers; expected more times");
    }
  }
}

void Calibration::check_only() const {
  for (const std::string& one : settings_.only) {
    if (std::ranges::none_of(gpu_keys(), [&](const GpuKey& key) { return is_within(key.path, one); })) {
      throw ConfigError("--only " + one + ": expected a key or a section of a GPU's file, such as tensor.fp8");
    }
  }
}

void Calibration::find_numbers() {
  for (const GpuKey& key : gpu_keys()) {
    const std::string path(key.path);
    const auto origin = base_.origins.find(path);
    if (origin == base_.origins.end() || origin->second.from != NumberSource::kFit) continue;
    const std::optional<CalibrationGroup> group = group_of(path);
    if (!group) {
      kept_.push_back({path, why_never(path)});
      continue;
    }
    FittedNumber number{&key, *group, followers_of(path), {}};
    std::string why = why_kept(number);
    if (why.empty()) {
      number.rows = rows_that_see(number);
      if (number.rows.empty()) why = "no row tells of it";
    }
    if (why.empty()) {
      numbers_.push_back(std::move(number));
    } else {
      kept_.push_back({path, why});
    }
  }
}

std::string Calibration::why_kept(const FittedNumber& number) const {
  const std::string_view path = number.key->path;
  if (std::ranges::find(settings_.groups, number.group) == settings_.groups.end()) {
    return "of group " + std::string(kCalibrationGroups[number.group]);
  }
  const auto asked = [&](const std::string& one) { return is_within(path, one); };
  if (!settings_.only.empty() && std::ranges::none_of(settings_.only, asked)) return "not among --only";
  if (number_of(number, base_.spec) <= 0) return "it is 0, of which no multiple is tried";
  const auto steady = static_cast<std::size_t>(
      std::ranges::count_if(rows_.rows, [](const CalibrationRow& row) { return row.steady > 0 && row.clock > 0; }));
  if (is_of_power(path) && steady < kFewestSteady) {
    return "it takes " + std::to_string(kFewestSteady) + " rows with warm_steady_us and sm_mhz to tell powers apart";
  }
  return "";
}

std::vector<const GpuKey*> Calibration::followers_of(std::string_view path) const {
  std::vector<const GpuKey*> followers;
  for (const GpuKey& key : gpu_keys()) {
    const auto origin = base_.origins.find(std::string(key.path));
    const bool same = origin != base_.origins.end() && origin->second.from == NumberSource::kSame;
    if (same && origin->second.note == path) followers.push_back(&key);
  }
  return followers;
}

Calibration::Which Calibration::rows_that_see(const FittedNumber& number) const {
  Which seen;
  GpuSpec more = base_.spec;
  GpuSpec less = base_.spec;
  set_number(number, number_of(number, base_.spec) * kNudge, more);
  set_number(number, number_of(number, base_.spec) / kNudge, less);
  for (std::size_t row = 0; row < rows_.rows.size(); ++row) {
    if (number.group == CalibrationGroup::kLibrary) {  // its choices jump
      if (rows_.rows[row].warm > 0) seen.push_back(row);
      continue;
    }
    std::vector<double> before;
    std::vector<double> after;
    for (const GpuSpec* gpu : {&base_.spec, &base_.spec}) add_residuals(number.group, row, *gpu, before);
    for (const GpuSpec* gpu : {&more, &less}) add_residuals(number.group, row, *gpu, after);
    if (before != after) seen.push_back(row);
  }
  return seen;
}

void Calibration::add_residuals(CalibrationGroup group, std::size_t index, const GpuSpec& gpu,
                                std::vector<double>& into) const {
  const CalibrationRow& row = rows_.rows[index];
  const auto time = [&](const GpuConditions& conditions) {
    return gpu_gemm_time(row.gemm, row.kernel, gpu, conditions).total;
  };
  if (group == CalibrationGroup::kProducts) {
    if (row.warm > 0) into.push_back(std::log(time({}) / row.warm));
    if (row.flushed > 0) into.push_back(std::log(time({.l2 = L2State::kFlushed}) / row.flushed));
    if (row.steady <= 0) return;
    const double clock = steady_clock(row.gemm, row.kernel, gpu, L2State::kWarm);
    into.push_back(std::log(time({.clock = clock}) / row.steady));
    if (row.clock > 0) into.push_back(std::log(clock / row.clock));
  } else if (row.warm > 0) {
    const GpuKernel chosen = choose_gpu_kernel(row.gemm, gpu);
    into.push_back(std::log(gpu_gemm_time(row.gemm, chosen, gpu).total / time({})));
  }
}

double Calibration::loss(CalibrationGroup group, const Which& rows, const GpuSpec& gpu) const {
  if (contradicts_itself(gpu)) return kImpossible;
  std::vector<double> residuals;
  for (const std::size_t row : rows) add_residuals(group, row, gpu, residuals);
  double sum = 0;
  for (const double residual : residuals) {
    const double usual = residual / kUsualError;
    sum += 2 * (std::sqrt(1 + usual * usual) - 1);
  }
  return residuals.empty() ? 0 : sum / static_cast<double>(residuals.size());
}

std::size_t Calibration::budget_of(CalibrationGroup group) const {
  return group == CalibrationGroup::kProducts ? settings_.budget : std::max<std::size_t>(1, settings_.budget / 20);
}

std::size_t Calibration::trials() const {
  std::size_t trials = 0;
  for (const CalibrationGroup group : settings_.groups) trials += budget_of(group);
  return trials;
}

void Calibration::fit(CalibrationGroup group, const Which& rows, GpuSpec& gpu) const {
  std::vector<const FittedNumber*> numbers;
  std::vector<double> start;
  std::vector<double> lowest;
  std::vector<double> highest;
  for (const FittedNumber& number : numbers_) {
    // What no row of these sees stays, as does what only the others tell.
    const bool seen =
        std::ranges::any_of(number.rows, [&](std::size_t r) { return std::ranges::binary_search(rows, r); });
    if (number.group != group || !seen) continue;
    numbers.push_back(&number);
    start.push_back(number_of(number, gpu));
    const auto [low, high] = reach_of(*number.key, start.back());
    lowest.push_back(low);
    highest.push_back(high);
  }
  if (numbers.empty()) return;
  const auto with = [&](const std::vector<double>& logarithms) {
    GpuSpec tried = gpu;
    for (std::size_t i = 0; i < numbers.size(); ++i) set_number(*numbers[i], start[i] * std::exp(logarithms[i]), tried);
    return tried;
  };
  const auto rows_count = static_cast<double>(rows.size());
  const std::vector<double> best = minimise(
      [&](const std::vector<double>& logarithms) {
        if (settings_.tried) settings_.tried(1);
        double pull = 0;
        for (const double distance : logarithms) pull += distance * distance;
        return loss(group, rows, with(logarithms)) + kPull * pull / rows_count;
      },
      lowest, highest, budget_of(group), settings_.seed);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const GpuKey& key = *numbers[i]->key;
    const double value = start[i] * std::exp(best[i]);
    set_number(*numbers[i], static_cast<double>(rounded_number(key, value)) * gpu_scale(key.dimension), gpu);
  }
}

GpuSpec Calibration::fitted_to(const std::vector<std::size_t>& rows) const {
  GpuSpec gpu = base_.spec;
  for (const CalibrationGroup group : {CalibrationGroup::kProducts, CalibrationGroup::kLibrary}) {
    if (std::ranges::find(settings_.groups, group) != settings_.groups.end()) fit(group, rows, gpu);
  }
  return gpu;
}

}  // namespace kernbench
