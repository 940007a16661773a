#include "sim/plan/distributed_gemm/distributed_program.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "sim/base/errors.hpp"
#include "sim/plan/partition_allocator.hpp"

namespace kernbench {

namespace {

/// What a buffer holds at one time: the cells of a part of a matrix.
struct Contents {
  GlobalPart part;
  std::vector<std::pair<Rect, PlacedCell>> cells;  // row by row
};

using PlaceOfPe = std::vector<Address>;  // by PE

void refuse_replication(const GemmPlacement& placement) {
  for (const PlacementPolicy policy : {placement.a, placement.b, placement.c}) {
    if (policy != PlacementPolicy::kReplicate) continue;
    throw ConfigError(
        "--place " + to_text(placement) +
        ": over the PEs of a device expected rows, columns or blocks: each element lies once on a device");
  }
}

/// Of the PE that has most of it, in tiles.
std::int64_t largest_part(const PlacedMatrix& matrix) { return matrix.tiles(0).elements(); }

/// The policy whose largest part is the smallest; of equal ones the first that suits the matrix (44.2).
PlacedMatrix most_even(OperandOf matrix, const MatrixLayout& shape, int pes) {
  constexpr auto kRows = PlacementPolicy::kRows;
  constexpr auto kColumns = PlacementPolicy::kColumns;
  constexpr auto kBlocks = PlacementPolicy::kBlocks;
  using Order = std::array<PlacementPolicy, 3>;
  const Order order = matrix == OperandOf::kA   ? Order{kRows, kBlocks, kColumns}
                      : matrix == OperandOf::kB ? Order{kColumns, kBlocks, kRows}
                                                : Order{kBlocks, kColumns, kRows};
  PlacedMatrix best(shape, order.front(), pes);
  for (const PlacementPolicy policy : {order[1], order[2]}) {
    PlacedMatrix other(shape, policy, pes);
    if (largest_part(other) < largest_part(best)) best = std::move(other);
  }
  return best;
}

class ProgramBuilder {
 public:
  ProgramBuilder(const DistributedGemmPlan& plan, const CommandList& list, const MachineSpec& machine,
                 const DeviceMemories& devices)
      : plan_(plan),
        list_(list),
        machine_(machine),
        devices_(devices),
        globals_(global_parts(plan, list)),
        cuts_(dimension_cuts(plan, globals_)) {}

  DistributedProgram build() {
    reserve();
    for (const auto& [buffer, part] : tile_buffers()) {
      for (const auto& [rect, placed] : tile(buffer, part).cells) {
        program_.tiles.push_back({buffer.device, {part.matrix, rect}, placed});
      }
    }
    for (std::size_t i = 0; i < globals_.size(); ++i) add(list_.commands()[i], globals_[i]);
    return std::move(program_);
  }

 private:
  [[nodiscard]] int pes(int device) const {
    return static_cast<int>(devices_.memories.at(static_cast<std::size_t>(device)).size());
  }

  [[nodiscard]] std::vector<std::pair<BufferId, GlobalPart>> tile_buffers() const {
    std::vector<std::pair<BufferId, GlobalPart>> buffers;
    for (int device = 0; device < static_cast<int>(devices_.memories.size()); ++device) {
      const auto add = [&](BufferKind kind, OperandOf of, const DistributedMatrix& matrix) {
        const Rect tile = matrix.tile(matrix.tile_of(device));
        if (!tile.empty()) buffers.push_back({{device, kind, 0}, {of, tile}});
      };
      add(BufferKind::kA, OperandOf::kA, plan_.a);
      add(BufferKind::kB, OperandOf::kB, plan_.b);
      add(BufferKind::kC, OperandOf::kC, plan_.c);
    }
    return buffers;
  }

  [[nodiscard]] std::vector<Rect> cells_of(const GlobalPart& part) const {
    std::vector<Rect> cells;
    for (const Interval& rows : pieces_between(cuts_.rows_of(part.matrix), part.rect.rows)) {
      for (const Interval& columns : pieces_between(cuts_.columns_of(part.matrix), part.rect.columns)) {
        cells.push_back({rows, columns});
      }
    }
    return cells;
  }

  [[nodiscard]] PlacedMatrix unplaced(OperandOf matrix, const Rect& cell, int pes) const {
    const TileShape& tile = machine_.pe.mac.tile;
    MatrixLayout shape{.rows = cell.rows.size(),
                       .columns = cell.columns.size(),
                       .tile_rows = matrix == OperandOf::kB ? tile.k : tile.m,
                       .tile_columns = matrix == OperandOf::kA ? tile.k : tile.n,
                       .burst = machine_.die.hbm.burst};
    if (matrix == OperandOf::kC) shape.dtype = Dtype::kFp32;
    if (!devices_.placement) return most_even(matrix, shape, pes);
    const GemmPlacement& policies = *devices_.placement;
    const PlacementPolicy policy = matrix == OperandOf::kA   ? policies.a
                                   : matrix == OperandOf::kB ? policies.b
                                                             : policies.c;
    return {shape, policy, pes};
  }

  /// Room for a buffer in each partition: that of the part that takes most of it.
  void reserve() {
    std::map<BufferId, PlaceOfPe> most;
    const auto holds = [&](const BufferId& buffer, const GlobalPart& part) {
      PlaceOfPe& bytes = most[buffer];
      bytes.resize(static_cast<std::size_t>(pes(buffer.device)));
      std::vector<PartitionAllocator> rooms(bytes.size(), PartitionAllocator(machine_.die, Layout::kBlocked));
      for (const Rect& cell : cells_of(part)) {
        const PlacedMatrix placed = unplaced(part.matrix, cell, pes(buffer.device));
        for (std::size_t pe = 0; pe < rooms.size(); ++pe)
          rooms[pe].place(placed.part(static_cast<int>(pe)).footprint());
      }
      for (std::size_t pe = 0; pe < rooms.size(); ++pe) bytes[pe] = std::max(bytes[pe], rooms[pe].used());
    };
    for (const auto& [buffer, part] : tile_buffers()) holds(buffer, part);
    for (std::size_t i = 0; i < globals_.size(); ++i) {
      const BufferId& buffer = list_.commands()[i].out.buffer;
      if (!is_tile(buffer.kind)) holds(buffer, globals_[i].holds);
    }
    std::map<std::pair<int, std::size_t>, PartitionAllocator> partitions;
    for (const auto& [buffer, bytes] : most) {
      PlaceOfPe& place = places_[buffer];
      for (std::size_t pe = 0; pe < bytes.size(); ++pe) {
        auto& partition = partitions.try_emplace({buffer.device, pe}, machine_.die, Layout::kBlocked).first->second;
        place.push_back(partition.place(bytes[pe]));
      }
    }
    for (const auto& [pe, partition] : partitions) {
      partition.check_capacity();
      program_.bytes_of_pe = std::max(program_.bytes_of_pe, partition.used());
    }
  }

  [[nodiscard]] Contents contents(const BufferId& buffer, const GlobalPart& part) const {
    Contents contents{part, {}};
    PlaceOfPe next = places_.at(buffer);
    const std::vector<MemoryNode>& memories = devices_.memories.at(static_cast<std::size_t>(buffer.device));
    const Bytes alignment = machine_.die.hbm.burst * machine_.die.hbm.pseudo_channels;
    for (const Rect& cell : cells_of(part)) {
      PlacedMatrix placed = unplaced(part.matrix, cell, pes(buffer.device));
      for (std::size_t pe = 0; pe < next.size(); ++pe) {
        placed.place(static_cast<int>(pe), next[pe], memories[pe]);
        next[pe] = ceil_div(next[pe] + placed.part(static_cast<int>(pe)).footprint(), alignment) * alignment;
      }
      contents.cells.emplace_back(cell, std::make_shared<const PlacedMatrix>(std::move(placed)));
    }
    return contents;
  }

  const Contents& tile(const BufferId& buffer, const GlobalPart& part) {
    const auto known = held_.find(buffer);
    return known != held_.end() ? known->second : held_.emplace(buffer, contents(buffer, part)).first->second;
  }

  /// The cells that a part of a buffer consists of.
  [[nodiscard]] std::map<std::pair<std::int64_t, std::int64_t>, PlacedCell> cells(const BufferId& buffer,
                                                                                  const GlobalPart& part) const {
    std::map<std::pair<std::int64_t, std::int64_t>, PlacedCell> found;
    for (const auto& [rect, placed] : held_.at(buffer).cells) {
      if (common(rect, part.rect) == rect) found.emplace(std::pair(rect.rows.begin, rect.columns.begin), placed);
    }
    return found;
  }

  void add(const Command& command, const GlobalCommand& global) {
    DeviceCommand done{.kind = command.kind, .device = command.device, .queue = command.queue, .waits = command.waits};
    if (!is_tile(command.out.buffer.kind)) {
      const bool same =
          held_.contains(command.out.buffer) && held_.at(command.out.buffer).part.rect == global.holds.rect;
      if (!same) held_.insert_or_assign(command.out.buffer, contents(command.out.buffer, global.holds));
    }
    if (command.kind == CommandKind::kMultiply) {
      multiply(command, global, done);
    } else {
      const bool zero = command.kind == CommandKind::kZero;
      const auto from =
          zero ? std::map<std::pair<std::int64_t, std::int64_t>, PlacedCell>{} : cells(command.in.buffer, global.in);
      for (const auto& [at, to] : cells(command.out.buffer, global.out)) {
        done.moves.push_back({zero ? nullptr : from.at(at), to});
      }
      const int source = command.in.buffer.device;
      done.other = source == command.device ? command.out.buffer.device : source;
    }
    program_.commands.push_back(std::move(done));
  }

  void multiply(const Command& command, const GlobalCommand& global, DeviceCommand& done) const {
    const auto a = cells(command.in.buffer, global.in);
    const auto b = cells(command.second.buffer, global.second);
    const auto c = cells(command.out.buffer, global.out);
    for (const auto& [c_at, c_cell] : c) {
      bool adds = command.accumulate;
      for (const Interval& k : pieces_between(cuts_.k, global.in.rect.columns)) {
        const PlacedCell& a_cell = a.at({c_at.first, k.begin});
        GemmProblem problem{.m = c_cell->shape().rows, .k = k.size(), .n = c_cell->shape().columns};
        problem.dtype_c = Dtype::kFp32;
        problem.adds = adds;
        done.products.push_back({problem, a_cell, b.at({k.begin, c_at.second}), c_cell});
        adds = true;
      }
    }
  }

  const DistributedGemmPlan& plan_;
  const CommandList& list_;
  const MachineSpec& machine_;
  const DeviceMemories& devices_;
  std::vector<GlobalCommand> globals_;
  DimensionCuts cuts_;
  std::map<BufferId, PlaceOfPe> places_;
  std::map<BufferId, Contents> held_;
  DistributedProgram program_;
};

}  // namespace

DistributedProgram distributed_program(const DistributedGemmPlan& plan, const CommandList& list,
                                       const MachineSpec& machine, const DeviceMemories& devices) {
  if (devices.placement) refuse_replication(*devices.placement);
  return ProgramBuilder(plan, list, machine, devices).build();
}

}  // namespace kernbench
