#include "benches/results/rows/energy_row.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "benches/io/text/numbers.hpp"

namespace kernbench {
namespace {

constexpr std::string_view kEnergy = "energy_pj";
constexpr std::string_view kMissing = "energy_missing";
constexpr std::string_view kPower = "avg_power_w";
constexpr std::string_view kEfficiency = "tflops_per_watt";
constexpr std::string_view kPartPrefix = "energy_";
constexpr std::string_view kPartSuffix = "_pj";

constexpr double kFemtojoulesPerPicojoule = 1000;
/// fJ in a ps are mW.
constexpr double kMilliwattsPerWatt = 1000;

double picojoules(std::int64_t femtojoules) { return static_cast<double>(femtojoules) / kFemtojoulesPerPicojoule; }

/// How much, or what is missing.
bool says_energy(const Row& row) { return row.metrics.contains(kEnergy) || row.metrics.contains(kMissing); }

/// What is known of each part, the largest first.
std::vector<std::pair<std::string, double>> parts_of(const Row& row) {
  std::vector<std::pair<std::string, double>> parts;
  for (const auto& [name, value] : row.metrics.items()) {
    if (name == kEnergy || !name.starts_with(kPartPrefix) || !name.ends_with(kPartSuffix)) continue;
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
  if (run.total) row.metrics[kEnergy] = picojoules(*run.total);
  if (!run.missing.empty()) row.metrics[kMissing] = run.missing;
  for (const EnergyPart& part : run.parts) {
    const std::string name = std::string(kPartPrefix).append(part.name).append(kPartSuffix);
    if (part.femtojoules) row.metrics[name] = picojoules(*part.femtojoules);
  }
  if (!run.total || time.value == 0) return;
  const double watts = static_cast<double>(*run.total) / static_cast<double>(time.value) / kMilliwattsPerWatt;
  row.metrics[kPower] = watts;
  if (row.metrics.contains("tflops") && watts > 0) {
    row.metrics[kEfficiency] = row.metrics.at("tflops").get<double>() / watts;
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
  return row.metrics.contains(kEnergy) ? joules_text(row.metrics.at(kEnergy).get<double>()) : "";
}

std::string missing_energy_text(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.metrics.contains(kMissing)) {
      return "energy is not computed: the machine file does not say " + row.metrics.at(kMissing).get<std::string>();
    }
  }
  return "";
}

std::string energy_text(const Row& row) {
  if (!says_energy(row)) return "";
  const bool known = row.metrics.contains(kEnergy);
  const double total = row.metrics.value(kEnergy, 0.0);
  std::string text = known
                         ? joules_text(total)
                         : "not computed: the machine file does not say " + row.metrics.at(kMissing).get<std::string>();
  const char* separator = known ? ": " : "; known are ";
  for (const auto& [name, part] : parts_of(row)) {
    text += separator + name + " " + (known && total > 0 ? percent(part / total) : joules_text(part));
    separator = ", ";
  }
  return text;
}

std::string power_text(const Row& row) {
  if (!row.metrics.contains(kPower)) return "";
  std::string text = formatted("%.4g W in the mean", row.metrics.at(kPower).get<double>());
  if (row.metrics.contains(kEfficiency)) {
    text += formatted(", %.4g TFLOPS a watt", row.metrics.at(kEfficiency).get<double>());
  }
  return text;
}

}  // namespace kernbench
