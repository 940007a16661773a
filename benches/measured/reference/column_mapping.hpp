// `--columns our_name=Their Name[unit]*factor,...`: how the columns of somebody's table become fields and metrics.
#pragma once

#include <string>
#include <vector>

namespace kernbench {

struct ColumnMapping {
  std::vector<std::string> names;  ///< of ours; several where a cell holds several numbers
  std::string column;              ///< theirs
  std::string unit;                ///< taken off a cell's end; between the numbers where a cell holds several
  double factor = 1;               ///< their number x factor = ours
};

/// A comma separates only where a name and = follow it, so that their names may hold commas. Throws ConfigError that
/// shows the form.
[[nodiscard]] std::vector<ColumnMapping> parse_column_mappings(const std::string& text);

/// `--with name=value,...`: what is the same in every row, as (name, value).
[[nodiscard]] std::vector<std::pair<std::string, std::string>> parse_fixed_values(const std::string& text);

}  // namespace kernbench
