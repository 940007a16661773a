// The reference table of docs/machine-file.md, generated from the schema.
#include <string>

#include "sim/base/names.hpp"
#include "sim/machine/schema.hpp"

namespace kernbench {
namespace {

constexpr Names<Dimension> kDimensions{"dimension",
                                       {{Dimension::kTime, "time"},
                                        {Dimension::kBandwidth, "bandwidth"},
                                        {Dimension::kFrequency, "frequency"},
                                        {Dimension::kBytes, "bytes"},
                                        {Dimension::kLength, "length"},
                                        {Dimension::kDelayPerLength, "delay per length"},
                                        {Dimension::kEnergy, "energy"},
                                        {Dimension::kEnergyPerByte, "energy per byte"},
                                        {Dimension::kPower, "power"},
                                        {Dimension::kPrice, "price"},
                                        {Dimension::kRatio, "ratio"},
                                        {Dimension::kCount, "count"}}};

std::string value_and_range(const MachineKey& key) {
  if (const auto* field = std::get_if<QuantityField>(&key.field)) {
    return std::string(kDimensions[field->dimension]) + " | " + std::string(field->least) + " to " +
           std::string(field->most);
  }
  if (const auto* field = std::get_if<ChoiceField>(&key.field)) {
    std::string words;
    for (const auto word : field->words) words += (words.empty() ? "`" : ", `") + std::string(word) + '`';
    return "choice | " + words;
  }
  return "name | 1 to 64 letters, digits, `-`, `_`, `.`";
}

std::string default_of(const MachineKey& key) {
  if (key.default_value.empty()) return "required";
  std::string value(key.default_value);
  if (key.needed == NeededWhere::kSeveralPackages) return value + "; with several packages required";
  if (key.needed == NeededWhere::kSeveralDies) return value + "; with several dies required";
  if (key.needed == NeededWhere::kArrayWithoutShape) return value + "; without rows and columns required";
  return value;
}

}  // namespace

std::string machine_file_reference() {
  std::string table =
      "| key | value | range | default | meaning |\n|---|---|---|---|---|\n"
      "| `base` | path | from this file's folder | none | Machine file that this one inherits from. |\n";
  for (const auto& key : machine_keys()) {
    table += "| `" + std::string(key.path) + "` | " + value_and_range(key) + " | " + default_of(key) + " | " +
             std::string(key.meaning) + " |\n";
  }
  return table;
}

}  // namespace kernbench
