#include "benches/experiments/search/expression.hpp"

#include <muParser.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/run_metrics.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"
#include "sim/base/unknown_name.hpp"
#include "sim/machine/cost.hpp"
#include "sim/machine/key_paths.hpp"
#include "sim/machine/topology_key.hpp"

namespace kernbench {
namespace {

constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
constexpr const char* kNameCharacters = "0123456789_.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::array kWithUnits{Dimension::kTime,   Dimension::kBandwidth,     Dimension::kFrequency,
                                Dimension::kBytes,  Dimension::kLength,        Dimension::kDelayPerLength,
                                Dimension::kEnergy, Dimension::kEnergyPerByte, Dimension::kPower};
constexpr double kInRatio = 1e6;  ///< base units of a ratio or a price in one

constexpr std::string_view kEnergies = "fJ pJ nJ";

bool is_grid(const std::string& name) {
  return find_machine_key(name + ".rows") != nullptr && find_machine_key(name + ".columns") != nullptr;
}

constexpr const char* kCost = "cost";

/// A key that is a number, the product of rows and columns, or the cost.
bool is_of_machine(const std::string& name) {
  if (name == kCost) return true;
  const std::optional<TopologyKey> key = find_topology_key(name);
  return key ? key->dimension().has_value() : is_grid(name);
}

double of_machine(const std::string& name, const MachineSpec& machine) {
  if (name == kCost) {
    const MachineCost cost = machine_cost(machine);
    if (!cost.total) throw ConfigError("its cost is not known: the machine file has no " + cost.missing);
    return *cost.total;
  }
  if (is_grid(name)) return of_machine(name + ".rows", machine) * of_machine(name + ".columns", machine);
  const TopologyKey key = topology_key(name);
  if (written_value(key, machine) == kNone) throw ConfigError(name + " is not known: none");
  const auto value = static_cast<double>(number_of(key, machine));
  const bool is_in_millionths = key.dimension() == Dimension::kRatio || key.dimension() == Dimension::kPrice;
  return is_in_millionths ? value / kInRatio : value;
}

std::string base_units(const std::string& option, const std::string& number, const std::string& unit,
                       std::vector<std::pair<std::string, Dimension>>& literals) {
  for (const Dimension dimension : kWithUnits) {
    const auto units = units_of(dimension);
    if (std::ranges::none_of(units, [&unit](const Unit& one) { return one.name == unit; })) continue;
    literals.emplace_back(number + " " + unit, dimension);
    try {
      return std::to_string(parse_quantity(number + " " + unit, dimension));
    } catch (const ConfigError& error) {
      throw ConfigError(option + ": " + error.what());
    }
  }
  throw ConfigError(option + ": expected an operator or a unit such as GB/s, MiB or ns behind " + number + ", got " +
                    in_quotes(unit));
}

/// "96 MiB" becomes 100663296, wherever a number has a unit; `literals` tells which had one.
std::string without_units(const std::string& option, const std::string& text,
                          std::vector<std::pair<std::string, Dimension>>& literals) {
  std::string plain;
  for (std::size_t i = 0; i < text.size();) {
    const bool begins_number = std::isdigit(static_cast<unsigned char>(text[i])) != 0 &&
                               (i == 0 || std::string_view(kNameCharacters).find(text[i - 1]) == std::string::npos);
    if (!begins_number) {
      plain += text[i++];
      continue;
    }
    std::size_t end = std::min(text.size(), text.find_first_not_of("0123456789.", i));
    if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
        std::string_view("+-0123456789").find(text[end + 1]) != std::string::npos) {
      end = std::min(text.size(), text.find_first_not_of("0123456789", end + 2));
    }
    const std::string number = text.substr(i, end - i);
    const std::size_t unit = std::min(text.size(), text.find_first_not_of(' ', end));
    std::size_t last = std::min(text.size(), text.find_first_not_of(kLetters, unit));
    if (last > unit && text.substr(last, 2) == "/s") last += 2;
    if (last > unit && text.substr(last, 3) == "/mm") last += 3;
    if (last > unit && text.substr(last, 2) == "/B" &&
        kEnergies.find(text.substr(unit, last - unit)) != kEnergies.npos) {
      last += 2;
    }
    plain += last > unit ? base_units(option, number, text.substr(unit, last - unit), literals) : number;
    i = last > unit ? last : end;
  }
  return plain;
}

/// A name that is no metric of any bench, but near a key of the machine.
void require_no_misspelt_key(const std::string& option, const std::string& name) {
  if (find_topology_key(name)) {
    throw ConfigError(option + ": " + name + " is a word, not a number");
  }
  const std::string section = name.substr(0, name.find('.'));
  const bool may_be_metric = section == name && is_gpu_section(name);  // "launch"
  if (is_any_section(name) && !may_be_metric) {
    throw ConfigError(option + ": " + name + " is a section: expected one of " + names_in_any(name));
  }
  if (is_any_section(section) && !may_be_metric) {
    const std::string near = nearest_key(is_section(section) ? MachineKind::kPes : MachineKind::kGpu, name);
    throw ConfigError(option + ": there is no key " + name + " of a machine" +
                      (near.empty() ? "" : "; did you mean " + near + "?"));
  }
}

bool is_energy_metric(const std::string& name) {
  return name.starts_with("energy_") || name.starts_with("avg_power_w") || name.starts_with("tflops_per_watt");
}

struct Sides {
  std::string left;
  std::string relation;
  std::string right;
};

Sides sides_of(const std::string& option, const std::string& text) {
  for (const char* const relation : {">=", "<=", ">", "<"}) {
    const std::size_t at = text.find(relation);
    if (at == std::string::npos) continue;
    const std::size_t behind = at + std::string_view(relation).size();
    return {std::string(trimmed(text.substr(0, at))), relation, std::string(trimmed(text.substr(behind)))};
  }
  throw ConfigError(option + " " + text + ": expected two sides with >=, <=, > or < between, such as mac_util>=0.8");
}

}  // namespace

Expression::Expression(const std::string& option, const std::string& text)
    : option_(option + " " + text),
      text_(text),
      values_(std::make_unique<std::vector<double>>()),
      parser_(std::make_unique<mu::Parser>()) {
  const std::size_t relation = text.find_first_of("<>=!&|?");
  if (relation != std::string::npos) {
    throw ConfigError(option_ + ": expected + - * / ^ and brackets, got " + in_quotes(text.substr(relation, 1)));
  }
  const std::string plain = without_units(option_, text, written_);
  parser_->DefineNameChars(kNameCharacters);
  try {
    parser_->SetExpr(plain);
    for (const auto& [name, ignored] : parser_->GetUsedVar()) names_.push_back(name);
    values_->resize(names_.size(), 1);
    for (std::size_t i = 0; i < names_.size(); ++i) parser_->DefineVar(names_[i], &(*values_)[i]);
    static_cast<void>(parser_->Eval());
  } catch (const mu::Parser::exception_type& error) {
    throw ConfigError(option_ + ": " + error.GetMsg());
  }
  for (const std::string& name : names_) {
    if (!kernbench::is_of_machine(name)) require_no_misspelt_key(option_, name);
    if (const std::optional<TopologyKey> key = find_topology_key(name)) keyed_.push_back(key->dimension().value());
  }
}

void Expression::require_same_dimensions(const Expression& other) const {
  for (const auto& [text, dimension] : written_) {
    const auto has = [dimension = dimension](const std::vector<Dimension>& keys) {
      return std::ranges::find(keys, dimension) != keys.end();
    };
    if (has(keyed_) || has(other.keyed_)) continue;
    throw ConfigError(option_ + ": expected a key of the machine in that unit beside " + text +
                      "; the unit of a metric is in its name: time_ns <= 9000 is 9 us");
  }
}

Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

bool Expression::is_of_machine() const {
  return std::ranges::all_of(names_, [](const std::string& name) { return kernbench::is_of_machine(name); });
}

double Expression::value(const MachineSpec& machine, const Row* row) const {
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (kernbench::is_of_machine(names_[i])) {
      (*values_)[i] = of_machine(names_[i], machine);
    } else if (row != nullptr && row->metrics.json().contains(names_[i])) {
      (*values_)[i] = row->metrics.json().at(names_[i]).get<double>();
    } else {
      throw ConfigError(option_ + ": this run has no " + names_[i]);
    }
  }
  return parser_->Eval();
}

void Expression::require_known(const MachineSpec& machine) const {
  for (const std::string& name : names_) {
    const std::optional<TopologyKey> key = find_topology_key(is_grid(name) ? name + ".rows" : name);
    if (!key || has_key(machine, *key)) continue;
    const std::string section = left_out_with(machine, *key);
    throw ConfigError(option_ + ": expected keys that " + machine.name + " has, got " + name + ", one of " +
                      (!section.empty()                   ? section + ", which its file leaves out"
                       : key->kind() == MachineKind::kGpu ? "a GPU"
                                                          : "a machine of PEs"));
  }
  if (std::ranges::find(names_, kCost) == names_.end()) return;
  const MachineCost cost = machine_cost(machine);
  if (cost.total) return;
  throw ConfigError(option_ + ": " + machine.name + " has no " + cost.missing +
                    ", so what it costs is not known: expected a machine with prices, such as "
                    "topology/milestone_1h_costed.yaml");
}

void Expression::require_metrics(const Row& row) const {
  for (const std::string& name : names_) {
    if (kernbench::is_of_machine(name)) continue;
    if (row.metrics.json().contains(name)) {
      if (!row.metrics.json().at(name).is_number())
        throw ConfigError(option_ + ": " + name + " is a word, not a number");
      continue;
    }
    if (is_energy_metric(name)) {
      throw ConfigError(option_ + ": this run has no " + name +
                        (row.metrics.has(kEnergyMissing)
                             ? ": the machine file has no " + row.metrics.at(kEnergyMissing)
                             : ": expected a machine with energy keys, such as topology/milestone_1h_costed.yaml"));
    }
    std::vector<std::string> known;
    for (const auto& [metric, value] : row.metrics.json().items()) {
      if (value.is_number() && metric.find('.') == std::string::npos) known.push_back(metric);
    }
    refuse_name("metric", name, known, option_);
  }
}

Condition::Condition(const std::string& option, const std::string& text)
    : text_(text),
      relation_(sides_of(option, text).relation),
      left_(option, sides_of(option, text).left),
      right_(option, sides_of(option, text).right) {
  left_.require_same_dimensions(right_);
  right_.require_same_dimensions(left_);
}

void Condition::require_known(const MachineSpec& machine) const {
  left_.require_known(machine);
  right_.require_known(machine);
}

void Condition::require_metrics(const Row& row) const {
  left_.require_metrics(row);
  right_.require_metrics(row);
}

double Condition::missed_by(const MachineSpec& machine, const Row* row) const {
  const double left = left_.value(machine, row);
  const double right = right_.value(machine, row);
  const double missing = relation_.front() == '>' ? right - left : left - right;
  return missing / std::max(std::abs(right), 1e-300);
}

bool Condition::holds(const MachineSpec& machine, const Row* row) const {
  const double missed = missed_by(machine, row);
  return relation_.size() == 2 ? missed <= 0 : missed < 0;
}

std::vector<Condition> machine_conditions(const std::vector<std::string>& texts) {
  std::vector<Condition> conditions;
  for (const std::string& text : texts) {
    conditions.emplace_back("--where", text);
    if (!conditions.back().is_of_machine()) {
      throw ConfigError("--where " + text + ": expected keys of the machine alone");
    }
  }
  return conditions;
}

}  // namespace kernbench
