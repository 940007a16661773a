// Sizes per part are measured: tests/system/memory_estimate_test.cpp holds the sums against what processes took.
#include "sim/system/simulation_memory.hpp"

#include <algorithm>
#include <cmath>

#include "sim/plan/network/network_size.hpp"

namespace kernbench {
namespace {

// In a simulation, bytes of
constexpr std::int64_t kLink = 144;            // a port of the network
constexpr std::int64_t kVirtualChannel = 48;   // with what is in its buffer
constexpr std::int64_t kNode = 192;            // what the network keeps of a router or an endpoint
constexpr std::int64_t kPe = 40'000;           // with its memory controller, and the modules that SystemC knows
constexpr std::int64_t kPseudoChannel = 32;    // of each PE
constexpr std::int64_t kMessageQueue = 6'000;  // with its processes and routes
constexpr std::int64_t kMessageSlot = 256;     // a piece on its way
constexpr std::int64_t kPacket = 280;          // in queues that grow by doubling
constexpr std::int64_t kRank = 1'000;          // with its threads
constexpr double kStepOfMapping = 2600;        // a composite, its loads, and who waits for them

constexpr std::int64_t kInterval = 56;       // of a ledger, with the room that its vector has beyond
constexpr double kIntervalsOfTile = 8;       // beside one a packet
constexpr double kIntervalsKept = 2 * 4096;  // of a PE, whatever it does: then those that nobody asks for are forgotten

constexpr double kCarried = 2.1 * sizeof(float);  // of an element, in HBM and in TCM, with what finds it there

// A vector that grows has up to twice the room that it needs.
constexpr double kStep = 2.0 * sizeof(CollectiveStep);

constexpr std::int64_t kBitsOfBf16 = 8 * kElementBytes;

/// A float for every second byte of a memory, for every one where elements of one byte lie in it, or for half of one.
double carried_of_byte(std::int64_t least_bits) {
  return kCarried * 8 / static_cast<double>(std::min(least_bits, kBitsOfBf16));
}

/// Values that are carried live in an HBM and a TCM of the matrices' size.
MemoryEstimate kernel_memory(Bytes end_of_matrices, bool verify, std::int64_t least_bits = kBitsOfBf16) {
  MemoryEstimate estimate;
  estimate.add("program", 1, kProgramMemory);
  if (verify) {
    estimate.add("bytes of matrices, in HBM and in TCM, whose values are carried", end_of_matrices,
                 carried_of_byte(least_bits));
  }
  return estimate;
}

/// At most what the slots of all queues hold, or all that is ever sent: half of the messages, the others take it.
void add_on_the_way(const MachineSpec& machine, const ScheduleSize& schedule, MemoryEstimate& estimate) {
  const auto slot = static_cast<double>(machine.pe.message_queue.slot);
  const double bytes = schedule.elements / 2 * kElementBytes;
  const double sent = schedule.messages / 2 + bytes / slot;
  const double pieces = std::min(sent, schedule.channels * static_cast<double>(machine.pe.message_queue.slots));
  const double packets = 1 + bytes / std::max(sent, 1.0) / static_cast<double>(machine.simulation.packet);
  estimate.add("pieces of messages on their way", pieces, kMessageSlot);
  estimate.add("packets on their way", pieces * packets, kPacket);
}

Bytes end_of(const MatrixLayout& matrix) { return matrix.base + matrix.footprint(); }

}  // namespace

MemoryEstimate system_memory(const MachineSpec& machine) {
  const NetworkSize network = network_size(machine);
  const auto pes = machine.system.packages.count() * machine.package.dies.count() * machine.die.routers.count();
  MemoryEstimate estimate = network_memory(machine);
  estimate.add("program", 1, kProgramMemory);
  estimate.add("routers and endpoints in operation", network.nodes, kNode);
  estimate.add("links in operation", network.links, kLink);
  estimate.add("virtual channels", network.links * machine.die.router.virtual_channels, kVirtualChannel);
  estimate.add("PEs with their memories", pes, kPe + kPseudoChannel * machine.die.hbm.pseudo_channels);
  return estimate;
}

MemoryEstimate collective_memory(const MachineSpec& machine, const CollectiveAlgorithm& algorithm,
                                 const CollectiveRequest& request, std::int32_t rails, bool verify) {
  algorithm.check(request);
  const double ranks = request.grid.size();
  const auto buffers = static_cast<double>(algorithm.buffers(request.collective));
  MemoryEstimate estimate = system_memory(machine);
  const ScheduleSize largest = algorithm.schedule_size(rail_request(request, {0, rails}));
  const auto schedules = static_cast<double>(schedules_of_rails(request, rails));
  estimate.add("steps of the schedule", schedules * largest.steps(request.chunk), kStep);
  const ScheduleSize all{largest.messages * rails, largest.elements * rails, largest.channels * rails};
  estimate.add("message queues", all.channels, kMessageQueue);
  add_on_the_way(machine, all, estimate);
  estimate.add("ranks", ranks * rails, kRank);
  if (verify) {
    // At the beginning and now; and as much again on its way or being compared.
    estimate.add("elements whose values are carried", ranks * buffers * static_cast<double>(request.count),
                 3 * sizeof(float));
  }
  return estimate;
}

namespace {

MemoryEstimate gemm_memory(const GemmProblem& problem, const GemmMatrices& matrices, bool verify) {
  const MatrixLayout& last = problem.has_epilogue(VectorOp::kBias) ? matrices.bias : matrices.c;
  return kernel_memory(end_of(matrices.kept.rows > 0 ? matrices.kept : last), verify, problem.least_bits());
}

}  // namespace

MemoryEstimate gemm_memory(const MachineSpec& machine, const GemmProblem& problem, bool verify) {
  return gemm_memory(problem, place_gemm(problem, machine), verify);
}

MemoryEstimate gemm_memory(const MachineSpec& machine, const MappedGemm& mapped, bool verify) {
  MemoryEstimate estimate = gemm_memory(mapped.problem(), place_gemm(mapped, machine), verify);
  estimate.add("steps of the mapping", static_cast<double>(mapped.steps()), kStepOfMapping);
  return estimate;
}

MemoryEstimate ledger_memory(const MachineSpec& machine, const GemmProblem& problem, std::int64_t pes) {
  const TileShape tile = machine.pe.mac.tile;
  const double tiles = static_cast<double>(ceil_div(problem.m, tile.m)) *
                       static_cast<double>(ceil_div(problem.k, tile.k)) *
                       static_cast<double>(ceil_div(problem.n, tile.n));
  const Bytes operands = tile.m * bytes_of(tile.k, problem.dtype) + tile.k * bytes_of(tile.n, problem.stored_b());
  const auto of_tile = kIntervalsOfTile + static_cast<double>(ceil_div(operands, machine.simulation.packet));
  const double told = std::min(std::ceil(tiles / static_cast<double>(pes)) * of_tile, kIntervalsKept);
  MemoryEstimate estimate;
  estimate.add("intervals that the PEs' ledgers remember", static_cast<double>(pes) * told, kInterval);
  return estimate;
}

MemoryEstimate multi_pe_gemm_memory(const MachineSpec& machine, const GemmProblem& problem, std::int64_t ranks,
                                    Bytes bytes_of_pe, bool verify, bool apart) {
  MemoryEstimate estimate = system_memory(machine);
  estimate.add(ledger_memory(machine, problem, apart ? 1 : ranks));
  const auto pes =
      static_cast<double>(machine.system.packages.count() * machine.package.dies.count() * machine.die.routers.count());
  if (verify) {
    estimate.add("bytes of matrices, in HBM and in TCM, whose values are carried",
                 pes * static_cast<double>(bytes_of_pe), carried_of_byte(problem.least_bits()));
  }
  return estimate;
}

MemoryEstimate math_memory(const MachineSpec& machine, const MathProblem& problem, bool verify) {
  return kernel_memory(end_of(place_math(problem, machine).c), verify);
}

}  // namespace kernbench
