#include "sim/plan/distributed_gemm/redistribution.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace kernbench {

namespace {

class Redistribution {
 public:
  explicit Redistribution(const DistributedGemmPlan& plan)
      : plan_(plan), now_(plan.devices.size()), before_(plan.devices.size()) {
    const auto adds = [](const MeshCut& cut) { return cut.dimension == CutDimension::kK; };
    summed_ = std::ranges::any_of(plan.cuts, adds);
  }

  CommandList build() {
    in_turn([this](int device, int step) { gather(device, step, plan_.a, BufferKind::kA, BufferKind::kGatheredA); });
    in_turn([this](int device, int step) { gather(device, step, plan_.b, BufferKind::kB, BufferKind::kGatheredB); });
    for (int device = 0; device < devices(); ++device) multiply(device);
    end_phase();
    in_turn([this](int device, int step) { deliver(device, step); });
    return std::move(list_);
  }

 private:
  [[nodiscard]] int devices() const { return static_cast<int>(plan_.devices.size()); }
  [[nodiscard]] int in_replica() const { return plan_.c.tiles(); }
  [[nodiscard]] const DeviceShare& share(int device) const { return plan_.shares[static_cast<std::size_t>(device)]; }

  /// A phase. In step s each device turns to the s-th device behind it in its replica: no two to the same.
  template <class Turn>
  void in_turn(const Turn& turn) {
    for (int step = 0; step < in_replica(); ++step) {
      for (int device = 0; device < devices(); ++device) {
        if (!share(device).empty()) turn(device, step);
      }
    }
    end_phase();
  }

  void end_phase() {
    for (std::size_t device = 0; device < now_.size(); ++device) {
      if (!now_[device].empty()) before_[device] = std::exchange(now_[device], {});
    }
  }

  [[nodiscard]] int behind(const DistributedMatrix& matrix, int device, int step) const {
    return matrix.owner_for(device, (matrix.tile_of(device) + step) % in_replica());
  }

  [[nodiscard]] Rect needed(int device, BufferKind own) const {
    return own == BufferKind::kA ? share(device).a() : share(device).b();
  }

  /// All of it lies in the device's own tile.
  [[nodiscard]] static bool is_there(const DistributedMatrix& matrix, int device, const Rect& part) {
    return common(matrix.tile(matrix.tile_of(device)), part) == part;
  }

  /// Waits for the phases before of its device and of the `other` one of a copy.
  void append(Command command, int other) {
    for (const int device : {command.device, other}) {
      const std::vector<int>& waits = before_[static_cast<std::size_t>(device)];
      command.waits.insert(command.waits.end(), waits.begin(), waits.end());
      now_[static_cast<std::size_t>(device)].push_back(static_cast<int>(list_.commands().size()));
    }
    list_.append(std::move(command));
  }

  void gather(int device, int step, const DistributedMatrix& matrix, BufferKind own, BufferKind gathered) {
    const Rect whole = needed(device, own);
    if (is_there(matrix, device, whole)) return;
    const int owner = behind(matrix, device, step);
    const Rect tile = matrix.tile(matrix.tile_of(owner));
    const Rect part = common(tile, whole);
    if (part.empty()) return;
    append({.kind = CommandKind::kCopy,
            .device = device,
            .queue = QueueKind::kFetch,
            .out = {{device, gathered, 0}, within(part, whole)},
            .in = {{owner, own, 0}, within(part, tile)}},
           owner);
  }

  [[nodiscard]] BufferPart operand(int device, const DistributedMatrix& matrix, BufferKind own,
                                   BufferKind gathered) const {
    const Rect whole = needed(device, own);
    if (is_there(matrix, device, whole)) return {{device, own, 0}, within(whole, matrix.tile(matrix.tile_of(device)))};
    return {{device, gathered, 0}, at_origin(whole)};
  }

  /// The device's product is its tile of C.
  [[nodiscard]] bool is_final(int device) const {
    return !summed_ && share(device).c() == plan_.c.tile(plan_.c.tile_of(device));
  }

  void multiply(int device) {
    if (share(device).empty()) return;
    const BufferKind kind = is_final(device) ? BufferKind::kC : BufferKind::kPartial;
    append({.kind = CommandKind::kMultiply,
            .device = device,
            .queue = QueueKind::kCompute,
            .out = {{device, kind, 0}, at_origin(share(device).c())},
            .in = operand(device, plan_.a, BufferKind::kA, BufferKind::kGatheredA),
            .second = operand(device, plan_.b, BufferKind::kB, BufferKind::kGatheredB)},
           device);
  }

  /// The owner's own product comes first and stays; parts of a tile of C are equal or have nothing in common.
  void deliver(int device, int step) {
    if (is_final(device)) return;
    const Rect whole = share(device).c();
    const int owner = behind(plan_.c, device, step);
    const Rect tile = plan_.c.tile(plan_.c.tile_of(owner));
    const Rect part = common(tile, whole);
    if (part.empty()) return;
    const BufferPart product{{device, BufferKind::kPartial, 0}, within(part, whole)};
    const BufferPart c{{owner, BufferKind::kC, 0}, within(part, tile)};
    const BufferPart stage{{owner, BufferKind::kStaged, device}, at_origin(part)};
    const bool first = written_.emplace(owner, part.rows.begin, part.columns.begin).second;
    append({.kind = CommandKind::kCopy,
            .device = device,
            .queue = QueueKind::kSend,
            .out = first ? c : stage,
            .in = product},
           owner);
    if (first) return;
    list_.append({.kind = CommandKind::kAdd, .device = owner, .queue = QueueKind::kAccumulate, .out = c, .in = stage});
  }

  const DistributedGemmPlan& plan_;
  bool summed_ = false;                   ///< K is cut: products of several devices are added up
  std::vector<std::vector<int>> now_;     ///< of each device, its commands and copies to and from it in this phase
  std::vector<std::vector<int>> before_;  ///< in the last phase before that had some
  std::set<std::tuple<int, std::int64_t, std::int64_t>> written_;  ///< owner and corner of parts of C
  CommandList list_;
};

}  // namespace

CommandList redistribute_and_multiply(const DistributedGemmPlan& plan) { return Redistribution(plan).build(); }

}  // namespace kernbench
