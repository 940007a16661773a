#include "benches/workloads/collective/pe_set.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <string_view>

#include "benches/workloads/collective/machine_part.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// Number of the PE that a text like "0.1.3" names; nothing where it names none.
std::optional<std::int32_t> pe_named(std::string_view text, const MachineSpec& machine) {
  const std::vector<std::string> parts = split(text, ".");
  const std::array counts{machine.system.packages.count(), machine.package.dies.count(), machine.die.routers.count()};
  if (parts.size() != counts.size()) return std::nullopt;
  std::int64_t number = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::int64_t at = -1;
    const char* end = parts[i].data() + parts[i].size();
    const auto [stop, error] = std::from_chars(parts[i].data(), end, at);
    if (error != std::errc() || stop != end || at < 0 || at >= counts.at(i)) return std::nullopt;
    number = number * counts.at(i) + at;
  }
  return static_cast<std::int32_t>(number);
}

[[noreturn]] void refuse(const std::string& option, const std::string& text, const std::string& part,
                         const MachineSpec& machine) {
  const auto last = [](std::int64_t count) { return std::to_string(count - 1); };
  const bool whole = trimmed(part) == trimmed(text);
  throw ConfigError(option + " " + in_quotes(text) + (whole ? "" : ", at " + in_quotes(part)) +
                    ": expected die, package, system, or package.die.pe from 0.0.0 to " +
                    last(machine.system.packages.count()) + "." + last(machine.package.dies.count()) + "." +
                    last(machine.die.routers.count()) +
                    ", a range of these from the first to the last (0.0.0-0.0.1), or several with commas between");
}

}  // namespace

PeSet parse_pes(const std::string& option, const std::string& text, const MachineSpec& machine) {
  if (const auto part = part_by_scale(machine, text)) {
    PeSet all{part->machine, std::vector<std::int32_t>(static_cast<std::size_t>(part->grid.size()))};
    std::iota(all.pes.begin(), all.pes.end(), 0);
    return all;
  }
  PeSet set{machine, {}};
  for (const std::string& part : split(text, ",")) {
    const std::vector<std::string> ends = split(part, "-");
    const auto from = pe_named(trimmed(ends.front()), machine);
    const auto to = pe_named(trimmed(ends.back()), machine);
    if (ends.size() > 2 || !from || !to || *to < *from) refuse(option, text, part, machine);
    for (std::int32_t pe = *from; pe <= *to; ++pe) {
      if (std::ranges::find(set.pes, pe) != set.pes.end()) {
        throw ConfigError(option + " " + in_quotes(text) + " names a PE twice: " + in_quotes(part) +
                          " overlaps what is before it");
      }
      set.pes.push_back(pe);
    }
  }
  return set;
}

}  // namespace kernbench
