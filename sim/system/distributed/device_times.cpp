#include "sim/system/distributed/device_times.hpp"

#include <algorithm>
#include <utility>

#include "sim/machine/array_cycles.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/system/distributed/route_bound.hpp"

namespace kernbench {

namespace {

using Intervals = std::vector<std::pair<Picoseconds, Picoseconds>>;

Picoseconds length_of_union(Intervals intervals) {
  std::ranges::sort(intervals);
  Picoseconds length{};
  Picoseconds until{};
  for (const auto& [start, end] : intervals) {
    const Picoseconds from = std::max(start, until);
    if (end > from) length += end - from;
    until = std::max(until, end);
  }
  return length;
}

Intervals both(Intervals one, const Intervals& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

}  // namespace

std::vector<DeviceTimes> device_times(const std::vector<DeviceCommand>& commands,
                                      const std::vector<CommandTimes>& times,
                                      const std::vector<DeviceTraffic>& traffic) {
  std::vector<Intervals> products(traffic.size());
  std::vector<Intervals> copies(traffic.size());
  std::vector<DeviceTimes> devices(traffic.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const DeviceCommand& command = commands[i];
    const std::pair interval(times[i].start, times[i].end);
    const auto device = static_cast<std::size_t>(command.device);
    if (command.kind == CommandKind::kMultiply) products[device].push_back(interval);
    if (command.kind == CommandKind::kCopy) {
      copies[device].push_back(interval);
      copies[static_cast<std::size_t>(command.other)].push_back(interval);
    }
    for (const CellProduct& product : command.products) {
      devices[device].macs += product.problem.macs();
      ++devices[device].products;
    }
  }
  for (std::size_t device = 0; device < devices.size(); ++device) {
    DeviceTimes& of = devices[device];
    of.multiplying = length_of_union(products[device]);
    of.moving = length_of_union(copies[device]);
    of.exposed = length_of_union(both(products[device], copies[device])) - of.multiplying;
    of.traffic = traffic[device];
  }
  return devices;
}

DistributedBound distributed_bound(const std::vector<DeviceCommand>& commands, const MachineSpec& machine,
                                   const NetworkPlan& network, Picoseconds launch) {
  const std::int64_t pes = pes_of_device(machine);
  const auto devices = static_cast<std::size_t>(machine.system.packages.count());
  DistributedBound bound;
  std::vector<Picoseconds> arrays(devices);
  std::vector<Bytes> memory(devices);
  for (const DeviceCommand& command : commands) {
    const auto device = static_cast<std::size_t>(command.device);
    for (const CellProduct& product : command.products) {
      const GemmProblem& of = product.problem;
      arrays[device] += array_work(machine.pe, {of.m, of.k, of.n}, false, of.dtype);
      memory[device] += of.m * bytes_of(of.k, of.dtype) + of.k * bytes_of(of.n, of.dtype) +
                        of.m * bytes_of(of.n, of.result()) * (of.adds ? 2 : 1);
    }
    for (const CellMove& move : command.moves) {
      const Bytes bytes = move.to->shape().element_bytes();
      memory[device] +=
          command.kind == CommandKind::kAdd ? 3 * bytes : bytes;  // read twice and written, or one of both
      if (command.kind == CommandKind::kCopy) memory[static_cast<std::size_t>(command.other)] += bytes;
    }
  }
  for (std::size_t device = 0; device < devices; ++device) {
    bound.compute = std::max(bound.compute, Picoseconds{arrays[device].value / pes});
    bound.memory = std::max(bound.memory, machine.die.hbm.bandwidth.time_for(memory[device] / pes));
  }
  const RouteBound::Longest route = longest_route(commands, machine, network);
  if (route.time > Picoseconds{}) {
    bound.communication = launch + route.time;
    bound.link = route.link;
  }
  return bound;
}

Picoseconds DistributedBound::time() const { return std::max({compute, communication, memory}); }

std::string DistributedBound::limit() const {
  if (compute == time()) return "compute";
  return communication == time() ? "communication" : "memory";
}

}  // namespace kernbench
