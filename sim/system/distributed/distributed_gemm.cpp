#include "sim/system/distributed/distributed_gemm.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "sim/base/capacity_error.hpp"
#include "sim/base/errors.hpp"
#include "sim/hw/values/matrix_values.hpp"
#include "sim/machine/memory_places.hpp"
#include "sim/plan/distributed_gemm/matrix_chunks.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/system/distributed/device_queue.hpp"
#include "sim/system/distributed/device_times.hpp"
#include "sim/system/distributed/product_mappings.hpp"
#include "sim/system/multi_pe_mapped.hpp"

namespace kernbench {

namespace {

constexpr std::array kQueues{QueueKind::kCompute, QueueKind::kFetch, QueueKind::kSend, QueueKind::kAccumulate};

/// For chunks in the TCM of each PE (44.6).
std::int64_t rooms_of(QueueKind queue, const DistributedRequest& request) {
  if (queue == QueueKind::kCompute) return 0;
  return queue == QueueKind::kAccumulate ? request.rooms / 2 * kRoomsOfAddition : request.rooms;
}

std::vector<std::int32_t> pes_of(const MachineSpec& machine, int device) {
  std::vector<std::int32_t> pes;
  const std::int32_t count = pes_of_device(machine);
  for (std::int32_t pe = device * count; pe < (device + 1) * count; ++pe) pes.push_back(pe);
  return pes;
}

/// Bytes of a room that holds any chunk.
Bytes room_bytes(const MachineSpec& machine, Bytes chunk) {
  const TileShape& tile = machine.pe.mac.tile;
  const Bytes burst = machine.die.hbm.burst;
  const Bytes operands = bytes_of(std::max(tile.m * tile.k, tile.k * tile.n), Dtype::kBf16);
  const Bytes most = std::max({chunk, operands, bytes_of(tile.m * tile.n, Dtype::kFp32)});
  return ceil_div(most, burst) * burst;
}

/// Of a PE, for products.
Bytes tcm_left(const MachineSpec& machine, const DistributedRequest& request, Bytes room) {
  std::int64_t rooms = 0;
  for (const QueueKind queue : kQueues) rooms += rooms_of(queue, request);
  const Bytes left = machine.pe.tcm.capacity - rooms * room;
  if (left > 0) return left;
  throw CapacityError("a distributed GEMM takes " + std::to_string(rooms) + " rooms of " + std::to_string(room) +
                      " bytes for copies, and pe.tcm.capacity is " + std::to_string(machine.pe.tcm.capacity) +
                      ": smaller chunks, fewer rooms, or a larger TCM");
}

/// As whom others reach the partition of each PE, by device and PE.
DeviceMemories memories_of(const NetworkPlan& network, const MachineSpec& machine, const DistributedRequest& request) {
  DeviceMemories devices{request.placement, {}};
  for (std::int32_t package = 0; package < request.problem.devices; ++package) {
    std::vector<MemoryNode>& of = devices.memories.emplace_back();
    for (std::int32_t die = 0; die < machine.package.dies.count(); ++die) {
      for (std::int32_t router = 0; router < machine.die.routers.count(); ++router) {
        of.push_back(network.find(NodeKind::kHbm, {package, die, router}));
      }
    }
  }
  return devices;
}

/// What the devices will do.
struct Planned {
  Planned(const MachineSpec& machine, const DistributedRequest& request)
      : network(plan_network(machine)),
        plan(plan_distributed_gemm(request.problem)),
        list(schedule_distributed_gemm(plan, request.depth)),
        program(distributed_program(plan, list, machine, memories_of(network, machine, request))) {}

  NetworkPlan network;
  DistributedGemmPlan plan;
  CommandList list;
  DistributedProgram program;
};

/// And how; before the machine is there.
struct Prepared : Planned {
  Prepared(const MachineSpec& machine, const DistributedRequest& request)
      : Planned(machine, request),
        room(room_bytes(machine, request.chunk)),
        tcm(tcm_left(machine, request, room)),
        mappings(machine, tcm, request.candidates, program.commands) {}

  Bytes room;  ///< of a chunk in TCM
  Bytes tcm;   ///< of a PE, for products
  ProductMappings mappings;
};

DistributedBound bound_of(const Planned& planned, const DistributedRequest& request, const MachineSpec& machine) {
  return distributed_bound(planned.program.commands, machine, planned.network, request.launch);
}

/// Which commands wait for a command, and how many each still waits for; the one before it on its queue counts too.
class Order {
 public:
  explicit Order(const std::vector<DeviceCommand>& commands) : followers_(commands.size()), left_(commands.size()) {
    std::map<std::pair<int, QueueKind>, int> before;
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const DeviceCommand& command = commands[i];
      for (const int earlier : command.waits) follow(earlier, i);
      const auto last = before.find({command.device, command.queue});
      if (last != before.end()) follow(last->second, i);
      before[{command.device, command.queue}] = static_cast<int>(i);
    }
  }
  [[nodiscard]] std::vector<std::size_t> first() const {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] == 0) free.push_back(i);
    }
    return free;
  }
  /// Those that nothing is left to wait for now.
  std::vector<std::size_t> ended(std::size_t command) {
    std::vector<std::size_t> free;
    for (const std::size_t follower : followers_[command]) {
      if (--left_[follower] == 0) free.push_back(follower);
    }
    return free;
  }

 private:
  void follow(int earlier, std::size_t command) {
    followers_[static_cast<std::size_t>(earlier)].push_back(command);
    ++left_[command];
  }
  std::vector<std::vector<std::size_t>> followers_;
  std::vector<std::int64_t> left_;
};

class Run {
 public:
  Run(const MachineSpec& machine, const DistributedRequest& request, const RunSettings& settings)
      : request_(request),
        prepared_(machine, request),
        system_(machine, {.sink = settings.sink, .values = settings.verify}),
        program_(prepared_.program),
        order_(program_.commands),
        times_(program_.commands.size()) {
    for (std::int32_t pe = 0; pe < system_.pes(); ++pe) {
      system_.space(pe, MemoryTier::kHbm).allocate(program_.bytes_of_pe, "the matrices of a distributed GEMM");
    }
    if (settings.verify) fill();
    add_queues();
  }

  DistributedResult run(const RunSettings& settings) {
    for (const std::size_t command : order_.first()) begin(command);
    std::vector<Launch*> launches;
    for (const auto& [key, queue] : queues_) launches.push_back(&queue->launch());
    run_launches(system_, launches, settings.limit);
    DistributedResult result;
    for (const CommandTimes& times : times_) result.time = std::max(result.time, times.end);
    result.method = prepared_.plan.method;
    result.cuts = prepared_.plan.cuts;
    result.devices = device_times(program_.commands, times_, traffic_of(prepared_.list, request_.problem.devices));
    for (const DeviceTimes& device : result.devices) result.products += device.products;
    result.bound = bound_of(prepared_, request_, system_.machine());
    result.commands = std::move(times_);
    result.activity = system_.activity();
    result.activity.pes = system_.pes();
    result.wakeups = system_.calendar().wakeups();
    if (settings.verify) result.compared = compare();
    return result;
  }

 private:
  void add_queues() {
    const MachineSpec& machine = system_.machine();
    std::map<std::pair<int, QueueKind>, std::vector<QueuedCommand>> queues;
    for (std::size_t i = 0; i < program_.commands.size(); ++i) {
      const DeviceCommand& command = program_.commands[i];
      queues[{command.device, command.queue}].push_back(queued(i, command));
    }
    constexpr std::array<const char*, kQueues.size()> kNames{"products", "fetches", "sends", "additions"};
    for (auto& [key, commands] : queues) {
      const auto [device, queue] = key;
      queues_.emplace(
          key,
          std::make_unique<DeviceQueue>(
              system_, std::string(kNames.at(static_cast<std::size_t>(queue))) + " of device " + std::to_string(device),
              std::move(commands), DeviceQueue::Settings{rooms_of(queue, request_), prepared_.room},
              pes_of(machine, device), [this](std::size_t command) { end(command); }));
    }
  }

  [[nodiscard]] QueuedCommand queued(std::size_t index, const DeviceCommand& command) const {
    QueuedCommand queued{.index = index, .command = &command, .products = {}, .parts = {}};
    const std::int32_t pes = pes_of_device(system_.machine());
    for (const CellProduct& product : command.products) {
      const MultiPeMapping& mapping = prepared_.mappings.of(product.problem);
      const auto call = std::make_shared<const PlacedGemm>(PlacedGemm{.problem = product.problem,
                                                                      .pes = pes,
                                                                      .a = *product.a,
                                                                      .b = *product.b,
                                                                      .c = *product.c,
                                                                      .tcm = prepared_.tcm,
                                                                      .products = {},
                                                                      .in_product = {},
                                                                      .mapping = mapping});
      queued.products.push_back({call, &multi_pe_mapped_kernel(mapping)});
    }
    if (command.moves.empty()) return queued;
    for (std::int32_t pe = 0; pe < pes; ++pe) queued.parts.push_back(part_of(command, pe));
    return queued;
  }

  /// What PE `pe` of the device moves: its part of each cell, which the other device's PE of that number has.
  [[nodiscard]] std::shared_ptr<const PartMove> part_of(const DeviceCommand& command, std::int32_t pe) const {
    auto part = std::make_shared<PartMove>();
    const bool sends = command.queue == QueueKind::kSend;
    const std::int32_t pes = pes_of_device(system_.machine());
    const MemoryNode other = system_.memory_node(command.other * pes + pe, MemoryTier::kHbm);
    const bool copies = command.kind == CommandKind::kCopy;
    for (const CellMove& move : command.moves) {
      MatrixLayout to = move.to->part(pe);
      if (copies && sends) to = to.at(other, to.base);
      const std::vector<MatrixLayout> into = chunks_of(to, prepared_.room);
      std::vector<MatrixLayout> from = into;
      if (move.from != nullptr) {
        MatrixLayout source = move.from->part(pe);
        if (copies && !sends) source = source.at(other, source.base);
        from = chunks_of(source, prepared_.room);
      }
      for (std::size_t i = 0; i < into.size(); ++i) part->chunks.emplace_back(from[i], into[i]);
    }
    return part;
  }

  void begin(std::size_t index) {
    const DeviceCommand& command = program_.commands[index];
    times_[index].start = system_.calendar().now() + request_.launch;
    queues_.at({command.device, command.queue})->begin_next(times_[index].start);
  }

  void end(std::size_t index) {
    times_[index].end = system_.calendar().now();
    for (const std::size_t next : order_.ended(index)) begin(next);
  }

  void fill() {
    for (const TileCell& cell : program_.tiles) {
      if (cell.part.matrix == OperandOf::kC) continue;
      const std::uint64_t number = cell.part.matrix == OperandOf::kA ? kOperandA : kOperandB;
      for_parts(cell, [&](const MatrixLayout& part, std::int64_t row, std::int64_t column, ValueStore& memory) {
        fill_matrix(part, operand_values(number, row, column), memory);
      });
    }
  }

  std::int64_t compare() {
    GemmReference reference(
        {.m = request_.problem.m, .k = request_.problem.k, .n = request_.problem.n, .dtype_c = Dtype::kFp32});
    Differences differences;
    std::int64_t compared = 0;
    for (const TileCell& cell : program_.tiles) {
      if (cell.part.matrix != OperandOf::kC) continue;
      for_parts(cell, [&](const MatrixLayout& part, std::int64_t row, std::int64_t column, const ValueStore& memory) {
        differences.compare(part, std::ref(reference), memory, "C of device " + std::to_string(cell.device), row,
                            column);
        compared += part.rows * part.columns;
      });
    }
    differences.refuse();
    return compared;
  }

  template <class Visit>
  void for_parts(const TileCell& cell, const Visit& visit) {
    const std::int32_t pes = pes_of_device(system_.machine());
    for (std::int32_t pe = 0; pe < pes; ++pe) {
      const MatrixLayout& part = cell.placed->part(pe);
      if (part.rows == 0 || part.columns == 0) continue;
      const Rect tiles = cell.placed->tiles(pe);
      visit(part, cell.part.rect.rows.begin + tiles.rows.begin * part.tile_rows,
            cell.part.rect.columns.begin + tiles.columns.begin * part.tile_columns,
            *system_.store(cell.device * pes + pe, MemoryTier::kHbm));
    }
  }

  const DistributedRequest& request_;
  Prepared prepared_;
  System system_;
  const DistributedProgram& program_;
  Order order_;
  std::vector<CommandTimes> times_;
  std::map<std::pair<int, QueueKind>, std::unique_ptr<DeviceQueue>> queues_;
};

void check(const MachineSpec& machine, const DistributedRequest& request) {
  require_partitions(machine, "a distributed GEMM");
  const std::int64_t packages = machine.system.packages.count();
  if (request.problem.devices != packages) {
    throw ConfigError("devices: expected the " + std::to_string(packages) + " packages of machine " + machine.name +
                      ", got " + std::to_string(request.problem.devices) + "; set system.packages");
  }
  if (request.rooms < 2 || request.rooms % 2 != 0) {
    throw ConfigError("rooms: expected an even number from 2 on, got " + std::to_string(request.rooms));
  }
  if (request.chunk < 1) throw ConfigError("chunk: expected at least 1 byte, got " + std::to_string(request.chunk));
}

}  // namespace

DistributedBound distributed_gemm_bound(const MachineSpec& machine, const DistributedRequest& request) {
  check(machine, request);
  return bound_of(Planned(machine, request), request, machine);
}

DistributedResult run_distributed_gemm(const MachineSpec& machine, const DistributedRequest& request,
                                       const RunSettings& settings) {
  check(machine, request);
  return Run(machine, request, settings).run(settings);
}

}  // namespace kernbench
