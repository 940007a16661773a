// The options that say which collective, of which size, over which ranks of a machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benches/cli/machine_options.hpp"
#include "benches/harness/collective/collective_case.hpp"
#include "benches/harness/program/command.hpp"
#include "benches/harness/text/json.hpp"

namespace kernbench {

inline constexpr std::string_view kAllAlgorithms = "all";  ///< --algorithm: those that do the collective

struct CollectiveOptions {
  enum class Asks : std::uint8_t { kOne, kSeveral };  ///< collectives in one call

  std::string collective = "all_reduce";
  std::string algorithms = "ring";
  std::string sizes = "1MiB";
  std::string scale;  ///< empty: usual_scale(), where no ranks are asked for
  std::int64_t ranks = 0;
  std::string ranks_per = "pe";
  std::int32_t root = 0;
  std::string root_die = "centre";
  std::string chunk;   ///< empty: usual_chunk()
  std::string packet;  ///< empty: the machine's
  const Option* root_option = nullptr;
  const Option* root_die_option = nullptr;

  void add_to(CommandSpec& command, Asks asks);
};

/// The machine with --packet. Throws ConfigError as MachineOptions::load, where it has no message queues, and where the
/// collective has no root that was named.
[[nodiscard]] LoadedMachine load_for_collective(const MachineOptions& machine, const CollectiveOptions& options);

/// Each algorithm once, "all" as all that do the collective. Throws ConfigError for unknown names.
[[nodiscard]] std::vector<std::string> algorithms_of(const CollectiveOptions& options);

/// The smallest of die, package and system that has more than one rank, else system.
[[nodiscard]] std::string usual_scale(const CollectiveOptions& options, const MachineSpec& machine);

/// Throws ConfigError where the machine has not so many ranks.
[[nodiscard]] MachinePart collective_part(const CollectiveOptions& options, const MachineSpec& machine);

/// One of them. Throws ConfigError that names the option for an unknown word or a quantity that is none.
[[nodiscard]] CollectiveCase collective_case(const CollectiveOptions& options, const std::string& algorithm,
                                             Bytes bytes, const MachinePart& part);

/// The point of its row: what ran, over which ranks.
[[nodiscard]] Json collective_point(const CollectiveOptions& options, const CollectiveCase& what,
                                    const MachinePart& part);

/// "all_reduce, 8 ranks on milestone-1h: 1x1 packages of 1x1 dies of 2x4 PEs, packets of 256 B".
[[nodiscard]] std::string collective_title(const CollectiveOptions& options, const MachinePart& part,
                                           const LoadedMachine& machine);

}  // namespace kernbench
