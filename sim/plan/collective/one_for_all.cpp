#include "sim/plan/collective/one_for_all.hpp"

#include <algorithm>
#include <optional>

#include "sim/plan/collective/message_channel.hpp"
#include "sim/plan/network/node_numbers.hpp"

namespace kernbench {

namespace {

/// Turning the packages by one changes neither the links between them nor what tells channels apart (62.2).
bool turns(const MachineSpec& machine) {
  const GridSpec& packages = machine.system.packages;
  if (packages.count() < 3 || machine.die.hbm.shared()) return false;
  const PackageArrangement arrangement = machine.system.arrangement;
  const bool round = arrangement == PackageArrangement::kRing || arrangement == PackageArrangement::kTorus;
  const bool in_a_row = packages.rows == 1 || packages.columns == 1;
  if (arrangement != PackageArrangement::kFullyConnected && !(round && in_a_row)) return false;
  const NodeNumbers numbers{static_cast<std::int32_t>(machine.package.dies.count()),
                            static_cast<std::int32_t>(machine.die.routers.count()),
                            static_cast<std::int32_t>(machine.die.routers.count())};
  const std::int64_t of_class = std::max<std::int64_t>(machine.die.router.virtual_channels / 2, 1);
  return numbers.per_package() % (of_class * of_class) == 0;
}

class Turned {
 public:
  Turned(const MachineSpec& machine, const CollectiveSchedule& schedule)
      : schedule_(schedule),
        ranks_(machine.package.dies.count() * machine.die.routers.count()),
        aligned_(machine.die.hbm.burst * machine.die.hbm.pseudo_channels) {}

  /// The ranks of each package do what those of package 0 do.
  bool all_alike() {
    for (std::int64_t rank = ranks_; rank < schedule_.size(); ++rank) {
      if (!alike(threads_of(rank % ranks_), threads_of(rank), rank / ranks_)) return false;
    }
    return true;
  }

  /// Each rank of package 0 sends to one rank and takes from one, and one of them sends to another package, which is
  /// the next one or the one before.
  [[nodiscard]] bool is_a_ring() const {
    std::int64_t leave = 0;
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      const std::optional<MessageChannel> out = only_channel(rank, true);
      if (!out || !only_channel(rank, false)) return false;
      const std::int64_t package = out->receiver / ranks_;
      if (package == 0) continue;
      ++leave;
      if (package != 1 && package != schedule_.size() / ranks_ - 1) return false;
    }
    return leave == 1;
  }

 private:
  /// On which the rank sends all that it sends, or takes all that it takes; nothing where there is not one.
  [[nodiscard]] std::optional<MessageChannel> only_channel(std::int32_t rank, bool sends) const {
    std::optional<MessageChannel> only;
    for (const CollectiveThread& thread : threads_of(rank)) {
      for (const CollectiveStep& step : thread) {
        if (step.kind == StepKind::kCopy || (step.kind == StepKind::kSend) != sends) continue;
        const MessageChannel channel = channel_of(rank, step);
        if (only.value_or(channel) != channel) return std::nullopt;
        only = channel;
      }
    }
    return only;
  }

  [[nodiscard]] const std::vector<CollectiveThread>& threads_of(std::int64_t rank) const {
    return schedule_.ranks[static_cast<std::size_t>(rank)];
  }

  bool alike(const std::vector<CollectiveThread>& first, const std::vector<CollectiveThread>& other,
             std::int64_t packages) {
    return std::ranges::equal(first, other, [&](const CollectiveThread& a, const CollectiveThread& b) {
      return std::ranges::equal(
          a, b, [&](const CollectiveStep& x, const CollectiveStep& y) { return alike(x, y, packages); });
    });
  }

  bool alike(const CollectiveStep& first, const CollectiveStep& other, std::int64_t packages) {
    if (first.kind != other.kind || first.phase != other.phase || first.channel != other.channel ||
        first.count != other.count) {
      return false;
    }
    if (!shifted(first.first, other.first, first.count, packages)) return false;
    if (first.kind == StepKind::kCopy) return shifted(first.from, other.from, first.count, packages);
    return other.peer == (first.peer + packages * ranks_) % schedule_.size();
  }

  /// By as much for each package, in whole turns of the pseudo-channels, in all steps; round the end of the buffer.
  bool shifted(std::int64_t first, std::int64_t other, std::int64_t count, std::int64_t packages) {
    const std::int64_t by = (other - first + schedule_.elements) % schedule_.elements;
    if (packages == 1 && a_package_ < 0) a_package_ = by;
    return by == packages * a_package_ % schedule_.elements && by * kElementBytes % aligned_ == 0 &&
           other + count <= schedule_.elements;
  }

  const CollectiveSchedule& schedule_;
  std::int64_t ranks_;  // of a package
  Bytes aligned_;
  std::int64_t a_package_ = -1;  // elements that a step lies further on in the next package; not known yet
};

}  // namespace

bool one_package_stands_for_all(const MachineSpec& machine, const CollectiveSchedule& schedule) {
  const std::int64_t pes = machine.system.packages.count() * machine.package.dies.count() * machine.die.routers.count();
  if (!turns(machine) || schedule.size() != pes || schedule.elements == 0) return false;
  if (machine.pe.message_queue.tier != MemoryTier::kTcm || !machine.die.hbm.follows_keys()) return false;
  Turned turned(machine, schedule);
  return turned.is_a_ring() && turned.all_alike();
}

}  // namespace kernbench
