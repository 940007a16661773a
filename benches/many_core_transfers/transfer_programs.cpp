#include "benches/many_core_transfers/transfer_programs.hpp"

#include <algorithm>

#include "sim/base/errors.hpp"
#include "sim/plan/network/link_path.hpp"
#include "sim/system/user_kernel.hpp"

namespace kernbench {
namespace {

constexpr Bytes kLargestPacket = 8192;  // of the chip's networks

/// Of one transaction.
MatrixLayout buffer(KernelPe pe, const KernelArguments& arguments) {
  return pe.tcm(1, arguments.at("bytes") / kElementBytes);
}

Process write_to_core(KernelPe pe, KernelArguments arguments) {
  if (pe.rank() != 0) co_return;
  const MatrixLayout from = buffer(pe, arguments);
  const MatrixLayout to = pe.of(1, from);
  Pending last = Pending::nothing();
  for (std::int64_t i = 0; i < arguments.at("transactions"); ++i) last = co_await pe.store(from, to);
  co_await pe.wait(last);
}

Process write_to_dram(KernelPe pe, KernelArguments arguments) {
  const MatrixLayout from = buffer(pe, arguments);
  const MatrixLayout to = pe.hbm(from);
  Pending last = Pending::nothing();
  for (std::int64_t i = 0; i < arguments.at("transactions"); ++i) last = co_await pe.store(from, to);
  co_await pe.wait(last);
}

Process read_from_dram(KernelPe pe, KernelArguments arguments) {
  const MatrixLayout into = buffer(pe, arguments);
  const MatrixLayout from = pe.hbm(into);
  Operand last;
  for (std::int64_t i = 0; i < arguments.at("transactions"); ++i) last = co_await pe.load(from, into);
  co_await pe.wait(last);
}

/// What goes next to many, in which queue. Of packets in one queue, which has one slot, each waits until all have taken
/// the one before: so does a packet that is not linked, whose ways are reserved for it and given back after it. Those
/// that are linked go round the queues: as many of them are under way. Of linked transactions the last is not, so that
/// others may have the ways.
struct Posting {
  Bytes bytes = 0;
  std::int32_t queue = 0;
};
std::vector<Posting> postings(const KernelArguments& arguments) {
  std::vector<Posting> all;
  std::int32_t queue = 0;
  for (std::int64_t left = arguments.at("transactions"); left > 0; --left) {
    const auto queues = static_cast<std::int32_t>(left > 1 ? arguments.at("linked") : 0);
    for (Bytes bytes = arguments.at("bytes"); bytes > 0; bytes -= kLargestPacket) {
      if (queues > 0) queue = (queue + 1) % queues;
      all.push_back({std::min(bytes, kLargestPacket), queue});
    }
  }
  return all;
}

Process write_to_many(KernelPe pe, KernelArguments arguments) {
  const std::vector<Posting> all = postings(arguments);
  const MatrixLayout data = pe.tcm(1, all.front().bytes / kElementBytes);
  MulticastGroup others{.from = 0};
  for (std::int32_t rank = 1; rank < pe.size(); ++rank) others.to.push_back(rank);
  Pending last = Pending::nothing();
  for (const Posting& posting : all) {
    others.channel = posting.queue;
    if (pe.rank() == 0) {
      last = co_await pe.multicast(data, others);
    } else {
      last = Pending{(co_await pe.irecv(data, others)).done};
    }
  }
  co_await pe.wait(last);
}

/// The cores of a rectangle from the first corner on, row by row.
std::vector<std::int32_t> corner(const MachineSpec& machine, std::int64_t rows, std::int64_t columns) {
  std::vector<std::int32_t> pes;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      pes.push_back(static_cast<std::int32_t>(row * machine.die.routers.columns + column));
    }
  }
  return pes;
}

struct Program {
  MachineSpec machine;
  UserKernel kernel;
  KernelArguments arguments;
  std::vector<std::int32_t> pes;
};

Program program_of(const MachineSpec& machine, const Point& point) {
  const GridSpec& mesh = machine.die.routers;
  if (mesh.rows < 2 || mesh.columns < 2) throw ConfigError("die.routers: expected 2 x 2 cores or more");
  const auto pattern = point.at("pattern").get<std::string>();
  Program program{.machine = machine, .kernel = {}, .arguments = {}, .pes = {0}};
  program.kernel.name = pattern;
  program.arguments.set("bytes", point.at("bytes").get<std::int64_t>());
  program.arguments.set("transactions", point.at("transactions").get<std::int64_t>());
  HbmSpec& hbm = program.machine.die.hbm;
  if (hbm.shared()) hbm.interleave = hbm.capacity;  // a channel after the other
  if (pattern == "DRAM read") {
    program.kernel.run = read_from_dram;
  } else if (pattern == "DRAM write") {
    program.kernel.run = write_to_dram;
  } else if (pattern == "unicast write") {
    program.kernel.run = write_to_core;
    program.pes.push_back(static_cast<std::int32_t>(mesh.columns + 1));
  } else {
    if (!machine.die.router.multicast) throw ConfigError("die.router.multicast: expected true, got false");
    program.kernel.run = write_to_many;
    program.pes = pattern.ends_with("2x2") ? corner(machine, 2, 2) : corner(machine, mesh.rows, mesh.columns);
    MessageQueueSpec& queue = program.machine.pe.message_queue;
    program.arguments.set("linked", pattern.starts_with("linked") ? queue.slots : 0);
    queue.slots = 1;
    queue.slot = kLargestPacket;
    // No program receives: data lie where they belong as soon as they have come.
    queue.consumer = SlotConsumer::kInline;
    queue.wait = ReceiveWait::kSleep;
    queue.wake = {};
  }
  return program;
}

}  // namespace

void check_transfer(const MachineSpec& machine, const Point& point) { static_cast<void>(program_of(machine, point)); }

SimulatedTransfer simulate_transfer(const MachineSpec& machine, const Point& point) {
  const Program program = program_of(machine, point);
  SimulatedTransfer transfer{.run = run_user_kernel(program.machine, program.kernel, program.arguments, program.pes),
                             .time = {}};
  transfer.time = transfer.run.pes.front().end;
  if (program.kernel.run != write_to_many) return transfer;
  const NetworkPlan plan = plan_network(program.machine);
  const auto node = [&plan](std::int32_t pe) { return plan.find(NodeKind::kPe, plan.location_of(pe)); };
  for (std::size_t i = 1; i < program.pes.size(); ++i) {  // the acknowledgement of each
    const Picoseconds back = zero_load_latency(plan, node(program.pes[i]), node(program.pes.front()));
    transfer.time = std::max(transfer.time, transfer.run.pes[i].end + back);
  }
  return transfer;
}

}  // namespace kernbench
