#include "benches/measured/cases/fitted_products.hpp"

#include <map>
#include <vector>

#include "benches/io/text/csv.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {

std::string product_key(const Json& point) {
  const auto size = [&point](const char* name) { return std::to_string(point.at(name).get<std::int64_t>()); };
  return size("m") + " " + size("k") + " " + size("n") + " " + point.at("dtype").get<std::string>();
}

const std::set<std::string>& fitted_products(const LoadedGpu& gpu) {
  static std::map<std::string, std::set<std::string>> known;
  const auto [entry, is_new] = known.try_emplace(gpu.fitted_to);
  if (!is_new || gpu.fitted_to.empty()) return entry->second;
  std::vector<CsvLine> lines = parse_csv(read_file(gpu.fitted_to), gpu.fitted_to);
  for (const CsvLine& line : lines) {
    if (line.cells.size() != 4) {
      throw ConfigError(gpu.fitted_to + ":" + std::to_string(line.number) + ": expected m, k, n, dtype");
    }
    entry->second.insert(line.cells[0] + " " + line.cells[1] + " " + line.cells[2] + " " + line.cells[3]);
  }
  return entry->second;
}

}  // namespace kernbench
