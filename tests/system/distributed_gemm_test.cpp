// Distributed GEMMs on simulated machines: right products by every method, times that follow from their parts.
#include "sim/system/distributed/distributed_gemm.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <numeric>
#include <sstream>
#include <string>

#include "sim/base/source_dir.hpp"
#include "sim/plan/array_work.hpp"
#include "sim/system/distributed/route_bound.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "sim/system/multi_pe_mapped.hpp"
#include "tests/plan/random_distributed_gemm.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

/// Packages of one die of 1 x 2 PEs, with tiles small enough for many of them.
MachineSpec packages(int count, const std::vector<std::string>& more = {}) {
  std::vector<std::string> keys{"system.packages.columns=" + std::to_string(count),
                                "package.dies.rows=1",
                                "package.dies.columns=1",
                                "die.routers.rows=1",
                                "die.routers.columns=2",
                                "package.die_to_die.connections=2",
                                "pe.mac.tile.m=4",
                                "pe.mac.tile.k=8",
                                "pe.mac.tile.n=4",
                                "die.hbm.burst=32B",
                                "simulation.packet_bytes=64B",
                                "pe.message_queue.slot_bytes=256B"};
  keys.insert(keys.end(), more.begin(), more.end());
  return milestone(keys);
}

DistributedRequest request_for(const DistributedGemm& problem) {
  DistributedRequest request{.problem = problem};
  request.chunk = 256;
  request.launch = from_ns(200);
  request.candidates = 1;
  return request;
}

struct Ran {
  Picoseconds time;
  Picoseconds bound;
  std::int64_t compared = 0;
  std::int64_t macs = 0;
  std::vector<Picoseconds> numbers;
};

/// In a process of its own; `more` says what else comes back.
Ran run(const MachineSpec& machine, const DistributedRequest& request, bool verify,
        const std::function<std::vector<Picoseconds>(const DistributedResult&)>& more = {}) {
  std::istringstream in(forked([&] {
    const DistributedResult result = run_distributed_gemm(machine, request, {.verify = verify});
    std::ostringstream out;
    std::int64_t macs = 0;
    for (const DeviceTimes& device : result.devices) macs += device.macs;
    out << result.time.value << ' ' << result.bound.time().value << ' ' << result.compared << ' ' << macs;
    if (more) {
      for (const Picoseconds time : more(result)) out << ' ' << time.value;
    }
    return out.str();
  }));
  Ran ran;
  in >> ran.time.value >> ran.bound.value >> ran.compared >> ran.macs;
  for (Picoseconds time; in >> time.value;) ran.numbers.push_back(time);
  return ran;
}

}  // namespace

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.20 what C held is loaded after the operands, fetched with the last K tile, and added") {
    // Nothing has a latency but the vector unit: 4 cycles of 1 ns.
    const MachineSpec machine =
        load_machine(kernbench::source_dir() + "/topology/alpha_beta.yaml", {"system.packages.columns=1"}).spec;
    const auto time_of = [&](bool adds) {
      return std::stoll(forked([&] {
        MultiPeGemmRequest request{.problem = {.m = 32, .k = 64, .n = 32}, .kernel = "owner_computes", .pes = {0}};
        request.problem.dtype_c = Dtype::kFp32;
        request.problem.adds = adds;
        request.mapping = MultiPeMapping{whole_mapping(request.problem, machine.pe.mac.tile, {true, true}), 1};
        return std::to_string(run_multi_pe_gemm(machine, request).time.value);
      }));
    };
    const Bytes c = 32 * 32 * 4;
    const std::int64_t load = machine.die.hbm.bandwidth.time_for(c).value;  // behind B, latency hidden
    const std::int64_t fetch = machine.pe.fetch.time_for(c).value;
    const std::int64_t add = machine.pe.clock.time_for(32 * 32 / machine.pe.vector.lanes + 4).value;
    CHECK(time_of(true) - time_of(false) == load + fetch + add);
  }
}

TEST_SUITE("ADR-0044") {
  TEST_CASE("44.10 every replica of C ends with the product, by any method, partition, replication and depth") {
    const auto check = [] {
      DistributedGemm problem = random_distributed_gemm(40);
      problem.devices = *rc::gen::element(2, 3, 4);
      for (int& replication : problem.replication) replication = random_divisor(problem.devices);
      DistributedRequest request = request_for(problem);
      request.depth = {*rc::gen::inRange(1, 4), *rc::gen::inRange(1, 4)};
      const auto policy = [] {
        return *rc::gen::element(PlacementPolicy::kRows, PlacementPolicy::kColumns, PlacementPolicy::kBlocks);
      };
      if (*rc::gen::arbitrary<bool>()) request.placement = {policy(), policy(), policy()};
      request.rooms = *rc::gen::element(2, 4, 6);
      const Ran ran = run(packages(problem.devices), request, true);
      const auto replicas = static_cast<std::int64_t>(problem.replication[2]);
      RC_ASSERT(ran.compared == problem.m * problem.n * replicas);
      RC_ASSERT(ran.macs == problem.m * problem.k * problem.n);
      RC_ASSERT(ran.time >= ran.bound);  // 44.8
    };
    CHECK(rc::check(check));
  }

  TEST_CASE("44.10 and by dtensor, with any partitions, on ragged shapes, one replica or two") {
    constexpr std::array kAll{Partition::kRow, Partition::kColumn, Partition::kBlock};
    for (const int devices : {4, 8}) {
      for (const int replication : {1, 2}) {
        for (int triple = 0; triple < 27; ++triple) {
          const DistributedGemm problem{.m = 13 + triple % 5,
                                        .k = 11 + triple % 7,
                                        .n = 9 + triple % 4,
                                        .partitions = {kAll.at(static_cast<std::size_t>(triple / 9)),
                                                       kAll.at(static_cast<std::size_t>(triple / 3 % 3)),
                                                       kAll.at(static_cast<std::size_t>(triple % 3))},
                                        .replication = {replication, replication, replication},
                                        .method = DistributedMethod::kDtensor,
                                        .devices = devices};
          INFO(devices << " devices, " << replication << " replicas, triple " << triple);
          const Ran ran = run(packages(devices), request_for(problem), true);
          CHECK(ran.compared == problem.m * problem.n * replication);
          CHECK(ran.macs == problem.m * problem.k * problem.n * replication);
          CHECK(ran.time >= ran.bound);
        }
      }
    }
  }

  TEST_CASE("44.10 23.11 and by dtensor of any size; while copies of a phase run nothing is multiplied") {
    const auto check = [] {
      DistributedGemm problem = random_dtensor(40);
      problem.devices = *rc::gen::element(2, 3, 4, 6);
      problem.replication.fill(random_divisor(problem.devices));
      DistributedRequest request = request_for(problem);
      request.rooms = *rc::gen::element(2, 4, 6);
      const Ran ran = run(packages(problem.devices), request, true, [](const DistributedResult& result) {
        std::vector<Picoseconds> hidden;
        for (const DeviceTimes& device : result.devices) hidden.push_back(device.moving - device.exposed);
        return hidden;
      });
      RC_ASSERT(ran.compared == problem.m * problem.n * problem.replication[2]);
      RC_ASSERT(ran.macs == problem.m * problem.k * problem.n * problem.replication[2]);
      RC_ASSERT(ran.time >= ran.bound);
      for (const Picoseconds hidden : ran.numbers) RC_ASSERT(hidden == Picoseconds{});
    };
    CHECK(rc::check(check));
  }

  TEST_CASE("44.4 on one device it is its product, launched") {
    const MachineSpec machine = packages(1);
    const DistributedGemm problem{.m = 37, .k = 50, .n = 41, .devices = 1};
    DistributedRequest request = request_for(problem);
    const GemmPlacement placement{PlacementPolicy::kRows, PlacementPolicy::kColumns, PlacementPolicy::kBlocks};
    request.placement = placement;
    const Ran ran = run(machine, request, true);
    const std::string alone = forked([&] {
      MultiPeGemmRequest product{.problem = {.m = 37, .k = 50, .n = 41}, .kernel = "owner_computes", .pes = {0, 1}};
      product.problem.dtype_c = Dtype::kFp32;
      product.placement = placement;
      MachineSpec left = machine;
      left.pe.tcm.capacity -= 14 * 256;  // 44.6
      MappingRequest asked;
      asked.tile = machine.pe.mac.tile;
      asked.split_k = 1;
      product.mapping =
          search_multi_pe_mappings(left, plan_network(left), product, asked, to_text(placement)).best.front().mapping;
      return std::to_string(run_multi_pe_gemm(left, product).time.value);
    });
    CHECK(ran.time.value == 200'000 + std::stoll(alone));
  }

  TEST_CASE("44.8 44.12 the bound by hand: arrays, the busiest link, memories") {
    const MachineSpec machine = packages(2);  // of two PEs: 4096 MACs a cycle of 1 ns, 256 GB/s of HBM each
    DistributedRequest request = request_for({.m = 64,
                                              .k = 64,
                                              .n = 64,
                                              .partitions = {Partition::kRow, Partition::kColumn, Partition::kRow},
                                              .method = DistributedMethod::kC,
                                              .devices = 2});
    const DistributedBound bound = distributed_gemm_bound(machine, request);
    // A device multiplies 32 x 64 by two halves of B, and fetches one: 64 x 32 in bf16.
    const Picoseconds array = array_work(machine.pe, {32, 64, 32}, false);
    CHECK(bound.compute.value == 2 * array.value / 2);
    // Each of its PEs fetches half of that from the partition of its like, and stores it to its own.
    const NetworkPlan network = plan_network(machine);
    RouteBound copies(network);
    for (const auto& [own, other] : {std::pair(0, 1), std::pair(1, 0)}) {
      for (const int router : {0, 1}) {
        const std::int32_t pe = network.find(NodeKind::kPe, {own, 0, router});
        copies.add(network.find(NodeKind::kHbm, {other, 0, router}), pe, 64 * 16 * 2);
        copies.add(pe, network.find(NodeKind::kHbm, {own, 0, router}), 64 * 16 * 2);
      }
    }
    CHECK(bound.communication == request.launch + copies.longest().time);
    CHECK(bound.link == copies.longest().link);
    const Bytes product = 2 * (32 * 64 + 64 * 32) + 4 * 32 * 32;
    CHECK(bound.memory == machine.die.hbm.bandwidth.time_for((2 * product + 2 * 64 * 32 * 2) / 2));  // given and taken
    CHECK(bound.time() == std::max({bound.compute, bound.communication, bound.memory}));
    CHECK(bound.limit() == "compute");
    request.problem.devices = 1;
    CHECK(distributed_gemm_bound(packages(1), request).communication == Picoseconds{});
  }

  TEST_CASE("44.7 44.9 a command begins `launch` after what it waits for has ended; times of devices add up") {
    const MachineSpec machine = packages(2);
    const DistributedGemm problem{
        .m = 32, .k = 32, .n = 32, .partitions = {Partition::kRow, Partition::kColumn, Partition::kRow}, .devices = 2};
    const DistributedRequest request = request_for(problem);
    const CommandList list = schedule_distributed_gemm(plan_distributed_gemm(problem));
    const Ran ran = run(machine, request, false, [](const DistributedResult& result) {
      std::vector<Picoseconds> times;
      for (const CommandTimes& of : result.commands) {
        times.push_back(of.start);
        times.push_back(of.end);
      }
      for (const DeviceTimes& device : result.devices) {
        times.push_back(device.multiplying);
        times.push_back(device.exposed);
      }
      return times;
    });
    const std::vector<Command>& commands = list.commands();
    REQUIRE(ran.numbers.size() == 2 * commands.size() + 4);
    std::map<std::pair<int, QueueKind>, Picoseconds> before;
    std::vector<Picoseconds> multiplying(2);
    Picoseconds last{};
    for (std::size_t i = 0; i < commands.size(); ++i) {
      const Command& command = commands[i];
      const auto end_of = [&](int index) { return ran.numbers[2 * static_cast<std::size_t>(index) + 1]; };
      Picoseconds ready = before[{command.device, command.queue}];
      for (const int wait : command.waits) ready = std::max(ready, end_of(wait));
      CHECK(ran.numbers[2 * i] == ready + from_ns(200));
      CHECK(end_of(static_cast<int>(i)) > ran.numbers[2 * i]);
      before[{command.device, command.queue}] = end_of(static_cast<int>(i));
      last = std::max(last, end_of(static_cast<int>(i)));
      if (command.kind == CommandKind::kMultiply) {
        multiplying[static_cast<std::size_t>(command.device)] += end_of(static_cast<int>(i)) - ran.numbers[2 * i];
      }
    }
    CHECK(ran.time == last);
    CHECK(ran.numbers[2 * commands.size()] == multiplying[0]);  // one queue: no two products at once
    CHECK(ran.numbers[2 * commands.size() + 2] == multiplying[1]);
    for (const std::size_t device : {0, 1}) {
      CHECK(ran.numbers[2 * commands.size() + 2 * device + 1] + multiplying[device] <= last);
    }
  }

  TEST_CASE("44.5 a fetch of one chunk: a read over the network, and a store") {
    // On the textbook's machine: a message of n bytes takes 936.25 ns + n / 400 GB/s, and 4 TB/s inside a package.
    const MachineSpec machine =
        load_machine(kernbench::source_dir() + "/topology/alpha_beta.yaml", {"system.packages.columns=2"}).spec;
    const DistributedGemm problem{.m = 32,
                                  .k = 64,
                                  .n = 32,
                                  .partitions = {Partition::kRow, Partition::kColumn, Partition::kRow},
                                  .method = DistributedMethod::kC,
                                  .devices = 2};
    DistributedRequest request = request_for(problem);
    request.chunk = 64 * 1024;
    const Ran ran = run(machine, request, true, [&](const DistributedResult& result) {
      std::vector<Picoseconds> times;
      const CommandList list = schedule_distributed_gemm(plan_distributed_gemm(problem));
      for (std::size_t i = 0; i < list.commands().size(); ++i) {
        if (list.commands()[i].kind != CommandKind::kCopy) continue;
        times.push_back(result.commands[i].end - result.commands[i].start);
      }
      return times;
    });
    REQUIRE(ran.numbers.size() == 2);  // each device fetches the other's half of B, 64 x 16 of a tile
    CHECK(ran.numbers[0] == ran.numbers[1]);
    // There and back; 2 KiB over the link; the memory's latency; all of it out of one memory and into the other.
    CHECK(ran.numbers[0].value == 2 * 936'250 + 5'120 + 1 + 512 + 512);
  }

  TEST_CASE("44.1 44.6 what cannot be is refused") {
    const auto refused = [](const DistributedRequest& request, const std::vector<std::string>& more = {}) {
      return error_of([&] { static_cast<void>(run_distributed_gemm(packages(2, more), request)); });
    };
    const DistributedGemm problem{.m = 32, .k = 32, .n = 32, .devices = 2};
    DistributedRequest request = request_for(problem);
    request.problem.devices = 3;
    CHECK(refused(request) == "devices: expected the 2 packages of machine milestone-1h, got 3; set system.packages");
    request = request_for(problem);
    request.rooms = 3;
    CHECK(refused(request) == "rooms: expected an even number from 2 on, got 3");
    request.rooms = 4;
    request.chunk = 0;
    CHECK(refused(request) == "chunk: expected at least 1 byte, got 0");
    request.chunk = 1 << 20;
    CHECK(refused(request, {"pe.tcm.capacity=8 MiB"}).find("takes 14 rooms of 1048576 bytes") != std::string::npos);
    request = request_for(problem);
    request.depth.prefetch = 0;
    CHECK(refused(request) == "prefetch: expected at least 1 buffer, got 0");
  }
}
