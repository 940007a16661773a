#include "sim/plan/distributed_gemm/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/distributed_gemm/redistribution.hpp"

namespace kernbench {

namespace {

/// The buffers into which a device fetches parts of one operand: a part that is still in one is not fetched again.
class FetchBuffers {
 public:
  explicit FetchBuffers(int count) : held_(static_cast<std::size_t>(count)), used_(count - 1) {}

  /// The buffer for `part` of tile `tile`, and whether it has to be fetched.
  std::pair<int, bool> find(int tile, const Rect& part) {
    for (std::size_t slot = 0; slot < held_.size(); ++slot) {
      const auto& held = held_[slot];
      if (held && held->first == tile && held->second == part) {
        used_ = static_cast<int>(slot);
        return {used_, false};
      }
    }
    used_ = (used_ + 1) % static_cast<int>(held_.size());
    held_.at(static_cast<std::size_t>(used_)).emplace(tile, part);
    return {used_, true};
  }

 private:
  std::vector<std::optional<std::pair<int, Rect>>> held_;
  int used_;
};

/// A device's way through its list.
struct Progress {
  explicit Progress(const ScheduleDepth& depth) : a(depth.prefetch), b(depth.prefetch) {}
  std::size_t next = 0;
  FetchBuffers a;
  FetchBuffers b;
  int partials = 0;             ///< for others so far
  std::map<int, int> staged{};  ///< products staged at each other device so far
};

class Builder {
 public:
  Builder(const DistributedGemmPlan& plan, const ScheduleDepth& depth)
      : plan_(plan), outstanding_(depth.outstanding), progress_(plan.devices.size(), Progress(depth)) {
    written_.resize(plan.devices.size());
  }

  CommandList build() {
    zero_what_nobody_writes();
    bool more = true;
    while (more) {  // in turn, so that devices that add to one tile of C get their turns as they will come by
      more = false;
      for (int device = 0; device < devices(); ++device) more = part_of_c(device) || more;
    }
    add_up_replicas();
    return std::move(list_);
  }

 private:
  [[nodiscard]] int devices() const { return static_cast<int>(plan_.devices.size()); }
  [[nodiscard]] const std::vector<DistributedOperation>& operations(int device) const {
    return plan_.devices[static_cast<std::size_t>(device)];
  }

  /// A tile of C is zeroed first unless the parts that will be written cover it.
  void zero_what_nobody_writes() {
    std::vector<std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>> parts(plan_.devices.size());
    for (const auto& of_device : plan_.devices) {
      for (const DistributedOperation& operation : of_device) {
        parts[static_cast<std::size_t>(operation.c_owner)][{operation.m.begin, operation.n.begin}] =
            operation.c().elements();
      }
    }
    for (int device = 0; device < devices(); ++device) {
      const Rect tile = plan_.c.tile(plan_.c.tile_of(device));
      std::int64_t covered = 0;
      for (const auto& part : parts[static_cast<std::size_t>(device)]) covered += part.second;
      if (covered == tile.elements()) continue;
      list_.append({.kind = CommandKind::kZero,
                    .device = device,
                    .queue = QueueKind::kAccumulate,
                    .out = {{device, BufferKind::kC, 0}, at_origin(tile)}});
    }
  }

  BufferPart operand(int device, BufferKind own, const DistributedMatrix& matrix, int tile, int owner, const Rect& part,
                     FetchBuffers& buffers) {
    const BufferPart source{{owner, own, 0}, within(part, matrix.tile(tile))};
    if (owner == device) return source;
    const auto [slot, fetch] = buffers.find(tile, part);
    const BufferKind kind = own == BufferKind::kA ? BufferKind::kFetchedA : BufferKind::kFetchedB;
    const BufferPart place{{device, kind, slot}, at_origin(part)};
    if (fetch) {
      list_.append(
          {.kind = CommandKind::kCopy, .device = device, .queue = QueueKind::kFetch, .out = place, .in = source});
    }
    return place;
  }

  void multiply(int device, const DistributedOperation& operation, const BufferPart& out, bool accumulate) {
    Progress& progress = progress_[static_cast<std::size_t>(device)];
    const BufferPart a =
        operand(device, BufferKind::kA, plan_.a, operation.a_tile, operation.a_owner, operation.a(), progress.a);
    const BufferPart b =
        operand(device, BufferKind::kB, plan_.b, operation.b_tile, operation.b_owner, operation.b(), progress.b);
    list_.append({.kind = CommandKind::kMultiply,
                  .device = device,
                  .queue = QueueKind::kCompute,
                  .out = out,
                  .in = a,
                  .second = b,
                  .accumulate = accumulate});
  }

  /// The device's next operations that give the same part of C, added up; false at the end of its list.
  bool part_of_c(int device) {
    Progress& progress = progress_[static_cast<std::size_t>(device)];
    const std::vector<DistributedOperation>& list = operations(device);
    if (progress.next == list.size()) return false;
    const DistributedOperation& first = list[progress.next];
    const int owner = first.c_owner;
    const BufferPart c{{owner, BufferKind::kC, 0}, within(first.c(), plan_.c.tile(first.c_tile))};
    const bool is_first = first_to_write(owner, c.rect);
    const bool here = owner == device;
    const BufferPart out =
        here ? c : BufferPart{{device, BufferKind::kPartial, progress.partials++ % outstanding_}, at_origin(first.c())};
    bool accumulate = here && !is_first;
    for (; progress.next < list.size() && list[progress.next].c_owner == owner && list[progress.next].c() == first.c();
         ++progress.next) {
      multiply(device, list[progress.next], out, accumulate);
      accumulate = true;
    }
    if (!here) deliver(device, out, c, is_first, progress.staged[owner]);
    return true;
  }

  /// Nobody wrote `part` of the device's tile of C yet. Parts are equal or have nothing in common.
  bool first_to_write(int device, const Rect& part) {
    return written_[static_cast<std::size_t>(device)].emplace(part.rows.begin, part.columns.begin).second;
  }

  /// Brings a product into another device's tile of C: straight there, or by a staging buffer where it is to be added.
  void deliver(int device, const BufferPart& product, const BufferPart& c, bool overwrite, int& staged) {
    if (overwrite) {
      list_.append({.kind = CommandKind::kCopy, .device = device, .queue = QueueKind::kSend, .out = c, .in = product});
      return;
    }
    const int owner = c.buffer.device;
    const BufferPart stage{{owner, BufferKind::kStaged, device * outstanding_ + staged++ % outstanding_},
                           at_origin(c.rect)};
    list_.append(
        {.kind = CommandKind::kCopy, .device = device, .queue = QueueKind::kSend, .out = stage, .in = product});
    list_.append({.kind = CommandKind::kAdd, .device = owner, .queue = QueueKind::kAccumulate, .out = c, .in = stage});
  }

  /// Replica q of a tile of C gets the others' rows of its q-th piece, adds them, and gives the sum to the others.
  void add_up_replicas() {
    const int replicas = plan_.c.replication();
    if (replicas == 1) return;
    for (const bool give_back : {false, true}) {
      for (int tile = 0; tile < plan_.c.tiles(); ++tile) {
        for (int to = 0; to < replicas; ++to) {
          for (int turn = 1; turn < replicas; ++turn) exchange(tile, to, (to + turn) % replicas, give_back);
        }
      }
    }
  }

  void exchange(int tile, int summing, int other, bool give_back) {
    const Rect whole = at_origin(plan_.c.tile(tile));
    const Rect piece{piece_of(whole.rows.size(), plan_.c.replication(), summing), whole.columns};
    if (piece.empty()) return;
    const int owner = plan_.c.owner(tile, summing);
    const int peer = plan_.c.owner(tile, other);
    const BufferPart sum{{owner, BufferKind::kC, 0}, piece};
    const BufferPart part{{peer, BufferKind::kC, 0}, piece};
    if (give_back) {
      list_.append({.kind = CommandKind::kCopy, .device = owner, .queue = QueueKind::kSend, .out = part, .in = sum});
    } else {
      deliver(peer, part, sum, false, progress_[static_cast<std::size_t>(peer)].staged[owner]);
    }
  }

  const DistributedGemmPlan& plan_;
  int outstanding_;
  std::vector<Progress> progress_;
  std::vector<std::set<std::pair<std::int64_t, std::int64_t>>> written_;  ///< corners of parts of each tile of C
  CommandList list_;
};

}  // namespace

CommandList schedule_distributed_gemm(const DistributedGemmPlan& plan, const ScheduleDepth& depth) {
  for (const auto& [buffers, name] : {std::pair(depth.prefetch, "prefetch"), {depth.outstanding, "outstanding"}}) {
    if (buffers >= 1) continue;
    throw ConfigError(std::string(name) + ": expected at least 1 buffer, got " + std::to_string(buffers));
  }
  return plan.method == DistributedMethod::kDtensor ? redistribute_and_multiply(plan) : Builder(plan, depth).build();
}

std::vector<DeviceTraffic> traffic_of(const CommandList& list, int devices, ElementBytes bytes) {
  std::vector<DeviceTraffic> traffic(static_cast<std::size_t>(devices));
  for (const Command& command : list.commands()) {
    if (command.kind != CommandKind::kCopy) continue;
    const int from = command.in.buffer.device;
    const int to = command.out.buffer.device;
    if (from == to) continue;
    const bool operand = command.in.buffer.kind == BufferKind::kA || command.in.buffer.kind == BufferKind::kB;
    const Bytes moved = command.in.rect.elements() * (operand ? bytes.operand : bytes.result);
    traffic[static_cast<std::size_t>(from)].sent += moved;
    traffic[static_cast<std::size_t>(to)].received += moved;
  }
  return traffic;
}

}  // namespace kernbench
