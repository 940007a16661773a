#include "benches/results/rows/energy_row.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/run_metrics.hpp"

namespace kernbench {
namespace {

constexpr std::string_view kPartPrefix = "energy_";
constexpr std::string_view kPartSuffix = "_pj";

constexpr double kFemtojoulesPerPicojoule = 1000;
/// fJ in a ps are mW.
constexpr double kMilliwattsPerWatt = 1000;

double picojoules(std::int64_t femtojoules) { return static_cast<double>(femtojoules) / kFemtojoulesPerPicojoule; }

/// How much, or what is missing.
bool says_energy(const Row& row) { return row.metrics.has(kEnergyPj) || row.metrics.has(kEnergyMissing); }

/// What is known of each part, the largest first.
std::vector<std::pair<std::string, double>> parts_of(const Row& row) {
  std::vector<std::pair<std::string, double>> parts;
  for (const auto& [name, value] : row.metrics.json().items()) {
    if (name == kEnergyPj.name || !name.starts_with(kPartPrefix) || !name.ends_with(kPartSuffix)) continue;
    const std::size_t length = name.size() - kPartPrefix.size() - kPartSuffix.size();
    parts.emplace_back(name.substr(kPartPrefix.size(), length), value.get<double>());
  }
  std::ranges::stable_sort(parts, std::ranges::greater(), &std::pair<std::string, double>::second);
  return parts;
}

}  // namespace

void add_energy(Row& row, const EnergySpec& energy, const Activity& activity, Picoseconds time) {
  if (!has_energy(energy)) return;
  const RunEnergy run = energy_of(energy, activity, time);
  if (run.total) row.metrics.set(kEnergyPj, picojoules(*run.total));
  if (!run.missing.empty()) row.metrics.set(kEnergyMissing, run.missing);
  for (const EnergyPart& part : run.parts) {
    const Metric<double, std::string> metric{std::string(kPartPrefix).append(part.name).append(kPartSuffix)};
    if (part.femtojoules) row.metrics.set(metric, picojoules(*part.femtojoules));
  }
  if (!run.total || time.value == 0) return;
  const double watts = static_cast<double>(*run.total) / static_cast<double>(time.value) / kMilliwattsPerWatt;
  row.metrics.set(kMeanPower, watts);
  if (row.metrics.has(kTflops) && watts > 0) {
    row.metrics.set(kTflopsPerWatt, row.metrics.at(kTflops) / watts);
  }
}

std::string joules_text(double picojoules) {
  static constexpr std::array kUnits{"pJ", "nJ", "uJ", "mJ", "J"};
  constexpr double kStep = 1000;
  std::size_t unit = 0;
  for (; picojoules >= kStep && unit + 1 < kUnits.size(); ++unit) picojoules /= kStep;
  return formatted("%.4g ", picojoules) + kUnits.at(unit);
}

std::optional<double> stage_energy(const EnergySpec& energy, const Activity& activity) {
  const RunEnergy taken = energy_of(energy, activity, {});
  return taken.total ? std::optional(picojoules(*taken.total)) : std::nullopt;
}

std::string energy_title(const std::vector<Row>& rows) {
  return std::ranges::any_of(rows, says_energy) ? "energy" : "";
}

std::string total_energy_text(const Row& row) {
  return row.metrics.has(kEnergyPj) ? joules_text(row.metrics.at(kEnergyPj)) : "";
}

std::string missing_energy_text(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.metrics.has(kEnergyMissing)) {
      return "energy is not computed: the machine file does not say " + row.metrics.at(kEnergyMissing);
    }
  }
  return "";
}

std::string energy_text(const Row& row) {
  if (!says_energy(row)) return "";
  const bool known = row.metrics.has(kEnergyPj);
  const double total = row.metrics.value_or(kEnergyPj, 0);
  std::string text =
      known ? joules_text(total) : "not computed: the machine file does not say " + row.metrics.at(kEnergyMissing);
  const char* separator = known ? ": " : "; known are ";
  for (const auto& [name, part] : parts_of(row)) {
    text += separator + name + " " + (known && total > 0 ? percent(part / total) : joules_text(part));
    separator = ", ";
  }
  return text;
}

std::string power_text(const Row& row) {
  if (!row.metrics.has(kMeanPower)) return "";
  std::string text = formatted("%.4g W in the mean", row.metrics.at(kMeanPower));
  if (row.metrics.has(kTflopsPerWatt)) {
    text += formatted(", %.4g TFLOPS a watt", row.metrics.at(kTflopsPerWatt));
  }
  return text;
}

}  // namespace kernbench
