// `--only FIELD=VALUE,...`: which rows of results are meant.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "benches/results/rows/results.hpp"

namespace kernbench {

class AllowedRows {
 public:
  /// `option` is for messages; of no text every row is allowed. Throws ConfigError for a term without "=".
  AllowedRows(std::string option, const std::string& only);

  /// Every field and value that was asked for is one of some row: else it is a slip. Throws ConfigError with the
  /// nearest.
  void require_known(const std::vector<Results>& all) const;
  /// Drops the rows that have another value, or none. `status` is a field too.
  void keep(Results& results) const;

 private:
  std::string option_;
  std::map<std::string, std::set<std::string>> values_;  ///< by field
};

}  // namespace kernbench
