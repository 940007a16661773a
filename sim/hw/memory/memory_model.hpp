// Memory models by name: what `die.hbm.model` of a machine file chooses from (adr/0029, docs/memory-models.md).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/source_place.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/hw/memory/memory_port.hpp"
#include "sim/machine/machine_spec.hpp"

namespace kernbench {

/// One PE's HBM partition, whatever simulates it. It answers the reads of one client in the order of their arrival, and
/// acknowledges writes in theirs.
class HbmPartition : public MemoryPort {
 public:
  /// Read, and taken in to be written.
  [[nodiscard]] virtual std::int64_t bursts() const = 0;
  /// Time until `end` in which a pseudo-channel was at work, all of them together, in ns; nothing where the model has
  /// no channels that it knows of.
  [[nodiscard]] virtual std::optional<double> busy_ns(Picoseconds end) const = 0;
  /// What it does is noted from now on, and counted on where it repeats itself (adr/0047). Returns the bytes after
  /// which addresses are served alike; 0, and nothing is noted, where there are none.
  [[nodiscard]] virtual Bytes follow(Repetition& /*repetition*/) { return 0; }
};

struct MemoryModel {
  std::string name;
  std::string summary;
  /// A partition, a module called `name`.
  std::unique_ptr<HbmPartition> (*make)(const std::string& name, Calendar& calendar, const HbmSpec& spec) = nullptr;
};

/// For `make` of a class with this constructor.
template <class Partition>
std::unique_ptr<HbmPartition> make_partition(const std::string& name, Calendar& calendar, const HbmSpec& spec) {
  return std::make_unique<Partition>(name.c_str(), calendar, spec);
}

/// `const RegisterMemoryModel kRegistered({"name", "summary", make_partition<Partition>});` in its own file.
class RegisterMemoryModel {
 public:
  explicit RegisterMemoryModel(MemoryModel model, SourcePlace place = SourcePlace::here());
};

/// In alphabetical order.
[[nodiscard]] const std::vector<MemoryModel>& memory_models();

/// The partition that the machine names. Throws ConfigError for a name that no model has.
[[nodiscard]] std::unique_ptr<HbmPartition> make_hbm_partition(const std::string& name, Calendar& calendar,
                                                               const HbmSpec& spec);

}  // namespace kernbench
