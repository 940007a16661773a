// Texts of options: any is values in the range that they promise, or a ConfigError. The first byte chooses the option.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "benches/cli/sim_noc_rates.hpp"
#include "benches/experiments/whatif/value_list.hpp"
#include "benches/io/text/lists.hpp"
#include "benches/io/text/read_number.hpp"
#include "benches/measured/reference/column_mapping.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/quantity.hpp"
#include "sim/machine/load_machine.hpp"
#include "tests/fuzz/require.hpp"

namespace {

using kernbench::Dimension;

void read_quantity(const std::string& text) {
  constexpr std::array kDimensions{Dimension::kTime,   Dimension::kBandwidth,     Dimension::kFrequency,
                                   Dimension::kBytes,  Dimension::kLength,        Dimension::kDelayPerLength,
                                   Dimension::kEnergy, Dimension::kEnergyPerByte, Dimension::kPower,
                                   Dimension::kPrice,  Dimension::kRatio,         Dimension::kCount};
  for (const Dimension dimension : kDimensions) {
    try {
      const std::int64_t value = kernbench::parse_quantity(text, dimension);
      require(value >= 0);
      require(kernbench::parse_quantity(kernbench::format_quantity(value, dimension), dimension) == value);
    } catch (const kernbench::ConfigError&) {  // not of this dimension
    }
  }
}

void read_sizes(const std::string& text) {
  const auto sizes = kernbench::values_in("--sizes", "size", text, Dimension::kBytes);
  require(!sizes.empty() && sizes.size() <= 1000);
}

void read_rates(const std::string& text) {
  const auto rates = kernbench::parse_rates(text);
  require(!rates.empty());
}

void read_number(const std::string& text) {
  if (const auto value = kernbench::read_number(text)) require(*value - *value == 0);
}

void read_list(const std::string& text) {
  for (const std::string& item : kernbench::list_items("--x", text)) require(!item.empty());
}

void read_columns(const std::string& text) {
  for (const auto& mapping : kernbench::parse_column_mappings(text)) require(!mapping.names.empty());
  (void)kernbench::parse_fixed_values(text);
}

void read_override(const std::string& text) {
  (void)kernbench::parse_machine("schema: kernbench.machine/1\n", "m.yaml", {text});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array kOptions{read_quantity, read_sizes,   read_rates,   read_number,
                                read_list,     read_columns, read_override};
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    kOptions.at((data[0] - std::size_t{'a'}) % kOptions.size())(text);
  } catch (const kernbench::ConfigError& error) {
    require(std::string(error.what()).size() < 10'000 + size);
  }
  return 0;
}
