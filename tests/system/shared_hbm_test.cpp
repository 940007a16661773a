// PEs that share the HBM of their die: how long one packet takes, what meets at one controller, right products.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/machine/memory_places.hpp"
#include "sim/plan/gemm_bound.hpp"
#include "sim/plan/hbm_of_die.hpp"
#include "sim/system/distributed/distributed_gemm.hpp"
#include "sim/system/operators/operator_run.hpp"
#include "sim/system/probe/run_probe.hpp"
#include "sim/system/run.hpp"
#include "tests/plan/random_mapping.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/kernel_run.hpp"
#include "tests/system/multi_pe_run.hpp"

namespace kernbench::shared_hbm_test {
namespace {

/// 2 x 4 routers; bursts of 256 B in packets of one, 8 channels of 32 GB/s a controller.
MachineSpec machine_with(const std::string& controllers, std::vector<std::string> overrides = {}) {
  overrides.push_back("die.hbm.controllers=" + controllers);
  return one_die(overrides);
}

/// When a load of PE 0 is complete, after its call; `matrix` lies in the memory of the die.
Picoseconds load_time(const MachineSpec& machine, const MatrixLayout& matrix) {
  const std::string text = notes_of(
      1,
      [&](KernelPe pe, Notes* notes) -> Process {
        const Operand loaded = co_await pe.load(matrix);
        notes->add(co_await pe.wait(loaded));
      },
      machine);
  return Picoseconds{std::stoll(text)} - machine.pe.control;
}

MatrixLayout bursts(std::int64_t count, Address from) {
  return {Layout::kRowMajor, 1, count * 128, 1, count * 128, from, 256, kOwnPartition};
}

/// 4.1 and 16.10 from PE 0 to a controller at router `router` of the 2 x 4: wires of 1, 4 and 2 mm at 10 ps, hops of 2
/// ns.
Picoseconds way_to(std::int32_t router) {
  const std::int64_t steps = router / 4 + router % 4;
  return Picoseconds{10 + 2000 + steps * (40 + 2000) + 20};
}

/// 4.13, of one burst.
Picoseconds zero_load(std::int32_t router) { return Picoseconds{4000 + 8000 + 32000 + 1000} + 2 * way_to(router); }

}  // namespace

TEST_SUITE("ADR-0064") {
  TEST_CASE("64.3 64.4 a packet goes to the controller that has its address, and takes that one's way") {
    const MachineSpec machine = machine_with("0,0 1,3 0,2");
    for (const auto& [granule, router] :
         std::vector<std::pair<std::int64_t, std::int32_t>>{{0, 0}, {1, 7}, {2, 2}, {3, 0}, {4, 7}}) {
      CHECK(load_time(machine, bursts(1, granule * 4096)) == zero_load(router));
      CHECK(load_time(machine, bursts(1, granule * 4096 + 3840)) == zero_load(router));
    }
  }

  TEST_CASE("64.3 a stride that meets one channel of one controller is as slow as the formula says") {
    const MachineSpec machine = machine_with("0,0 1,3 0,2", {"die.hbm.capacity=64 MiB"});
    const Bytes turn = Bytes{3} * 4096;  // granules are multiples of the channels: all rows begin at channel 0
    for (const std::int64_t rows : {2, 16}) {
      const auto load = [&](Bytes stride) {
        const std::string text = notes_of(
            1,
            [&](KernelPe pe, Notes* notes) -> Process {
              const MatrixLayout shape{Layout::kBlocked, rows, 128, 1, 128, 0, 256, kOwnPartition};
              const TileMap row = [stride](std::int64_t i, std::int64_t) { return Block{i * stride, 1, 256, 256}; };
              const Operand loaded = co_await pe.load(shape, row);
              notes->add(co_await pe.wait(loaded));
            },
            machine);
        CAPTURE(text);
        return Picoseconds{std::stoll(text)} - machine.pe.control;
      };
      CHECK(load(turn) == zero_load(0) + (rows - 1) * Picoseconds{8000});
      // Other controllers, or other channels of one, serve them at once; then the PE's link passes one each ns.
      CHECK(load(256) == zero_load(0) + (rows - 1) * Picoseconds{1000});
    }
  }

  TEST_CASE("64.3 with the hash a stride of g x C bursts is as fast as granules in their order") {
    constexpr std::int64_t kRows = 16;
    const auto load = [](const std::string& controllers, bool hashed, std::int32_t pes, std::int64_t granules) {
      const MachineSpec machine = machine_with(
          controllers, {"die.hbm.capacity=64 MiB", std::string("die.hbm.hash=") + (hashed ? "true" : "false")});
      const std::string text = notes_of(
          pes,
          [&](KernelPe pe, Notes* notes) -> Process {
            const MatrixLayout shape{Layout::kBlocked, kRows, 128, 1, 128, 0, 256, kOwnPartition};
            const std::int64_t first = pe.rank() * kRows;  // all rows begin at channel 0 of a controller
            const TileMap row = [=](std::int64_t i, std::int64_t) {
              return Block{(first + i) * granules * 4096, 1, 256, 256};
            };
            const Operand loaded = co_await pe.load(shape, row);
            notes->add(co_await pe.wait(loaded));
          },
          machine);
      CAPTURE(text);
      return Picoseconds{std::stoll(text.substr(text.find_last_of(' ', text.size() - 2) + 1))} - machine.pe.control;
    };
    // The parity of 0 to 15 is even for half of them; the farther controller's are there last.
    CHECK(load("0,0 0,1", false, 1, 2) == zero_load(0) + (kRows - 1) * Picoseconds{8000});
    CHECK(load("0,0 0,1", true, 1, 2) == zero_load(1) + (kRows / 2 - 1) * Picoseconds{8000});
    CHECK(load("0,0 0,1", true, 1, 1) == load("0,0 0,1", true, 1, 2));
    CHECK(load("0,0 0,1", false, 1, 1) == load("0,0 0,1", true, 1, 2));
    // 128 rows of all PEs, by one channel of one controller, and by one of each of four.
    const Picoseconds slow = load("north", false, 8, 4);
    const Picoseconds fast = load("north", true, 8, 4);
    CHECK(slow > 128 * Picoseconds{8000});
    CHECK(fast > 32 * Picoseconds{8000});
    CHECK(fast < 32 * Picoseconds{8000} + zero_load(7));
    CHECK(fast == load("north", true, 8, 1));
    CHECK(slow == load("north", true, 8, 0));
  }

  TEST_CASE("64.5 a transfer is complete with the last of its packets in time") {
    const MachineSpec machine = machine_with("1,3 0,0");
    CHECK(load_time(machine, bursts(17, 0)) ==
          load_time(machine, bursts(16, 0)));  // the 17th comes from nearby, sooner
  }

  TEST_CASE(
      "64.6 64.8 any GEMM over PEs that share their HBM has the reference's bits, and is no faster than its bound") {
    CHECK(rc::check("verified GEMMs of shared memories", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const std::int64_t dies = up_to(2);
      const std::string controllers =
          *rc::gen::element<std::string>("north", "0,0", "east west", "1,2 0,0 0,3", "north south east west");
      const bool hashed = controllers != "0,0" && *rc::gen::arbitrary<bool>();
      const MachineSpec machine = milestone(
          {"die.hbm.controllers=" + controllers, "system.packages.columns=1", "package.dies.rows=1",
           "package.dies.columns=" + std::to_string(dies), "pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4",
           "die.hbm.burst=32B", "simulation.packet_bytes=64B", "pe.message_queue.slot_bytes=256B",
           "die.hbm.interleave=" + std::to_string(*rc::gen::element(32, 96, 1024, 4096)) + " B",
           "die.hbm.capacity=3 MiB", std::string("die.hbm.hash=") + (hashed ? "true" : "false")});
      GemmProblem problem{up_to(40), up_to(70), up_to(40)};
      problem.layout = *rc::gen::element(Layout::kBlocked, Layout::kRowMajor);
      const auto pes = static_cast<std::int32_t>(up_to(machine.package.dies.count() * machine.die.routers.count()));
      const std::vector<MultiPeGemmKernel>& kernels = multi_pe_gemm_kernels();
      const MultiPeGemmKernel& kernel = *rc::gen::elementOf(kernels);
      MultiPeGemmRequest request{.problem = problem, .kernel = kernel.name, .pes = first_pes(pes)};
      request.placement = *rc::gen::elementOf(kernel.placements);
      MultiPeGemmPlan plan;
      const std::string refused = error_of([&] { plan = plan_multi_pe_gemm(machine, plan_network(machine), request); });
      RC_PRE(refused.empty());
      const VerifiedRun run = verified_run(machine, request);
      RC_ASSERT(run.time >= plan.bound.time);
    }));
  }

  TEST_CASE("64.6 what all PEs of a die have is there once, and nothing is copied before") {
    const MachineSpec machine = machine_with("north");
    MultiPeGemmRequest request{.problem = {512, 256, 512}, .kernel = "owner_computes", .pes = first_pes(8)};
    request.placement = {PlacementPolicy::kReplicate, PlacementPolicy::kReplicate, PlacementPolicy::kBlocks};
    const MultiPeGemmPlan plan = plan_multi_pe_gemm(machine, plan_network(machine), request);
    CHECK(plan.replicated == 0);
    CHECK(plan.bytes_of_pe == 2 * (512 * 256 + 256 * 512 + 512 * 512));
    CHECK_FALSE(plan.apart);
    const MachineSpec own = one_die();
    CHECK(plan_multi_pe_gemm(own, plan_network(own), request).replicated == 7 * (2 * 512 * 256 * 2) / 8);
  }

  TEST_CASE("64.4 probes reach each controller in the time of its way") {
    const MachineSpec machine = machine_with("0,0 1,3 0,2");
    const NetworkPlan plan = plan_network(machine);
    const std::int32_t pe = plan.find(NodeKind::kPe, {0, 0, 0});
    for (const std::int32_t controller : plan.hbm_controllers(0)) {
      const ProbeTransfer transfer{pe, controller, ProbeDirection::kRead, 256};
      const std::string end = forked([&] { return std::to_string(run_probe(machine, {transfer}).ends.front().value); });
      CHECK(end == std::to_string(zero_load(plan.node(controller).at.router).value));
    }
  }

  TEST_CASE("64.12 a run over PEs says which controller carried most, of how many times the mean of its die's") {
    const MachineSpec machine = machine_with("0,0 1,3 0,2", {"die.hbm.capacity=64 MiB"});
    MultiPeGemmRequest request{.problem = {32, 64, 32}, .kernel = "owner_computes", .pes = first_pes(1)};
    request.placement = {PlacementPolicy::kReplicate, PlacementPolicy::kReplicate, PlacementPolicy::kBlocks};
    const std::string carried = forked([&] {
      std::string text;
      const MultiPeResult run = run_multi_pe_gemm(machine, request);
      for (const ControllerWork& work : run.controllers) text += work.name + " " + std::to_string(work.bytes) + "\n";
      const BusiestController busiest = busiest_of(run.controllers).value_or(BusiestController{});
      return text + busiest.name + " " + std::to_string(busiest.of_mean) + "\n";
    });
    // Matrices begin at multiples of 6 KiB: A is at controller 0, B at 1 and 2, and C, of half their size, at 0.
    CHECK(carried ==
          "package0.die0.hbm0 (router 0,0) 6144\npackage0.die0.hbm1 (router 1,3) 2048\n"
          "package0.die0.hbm2 (router 0,2) 2048\npackage0.die0.hbm0 (router 0,0) 1.800000\n");
  }

  TEST_CASE("64.7 a PE that runs alone runs on the whole machine") {
    const MachineSpec machine = machine_with("1,3 0,0");
    const GemmProblem problem{64, 256, 64};
    const auto time = [&](const RunSettings& settings) {
      return forked([&] { return std::to_string(run_gemm(machine, problem, "ref_ref", settings).pe.end.value); });
    };
    CHECK(time({}) == time({.extent = SystemExtent::kWholeMachine}));
    CHECK(std::stoll(time({})) >= gemm_bound(problem, find_gemm_kernel("ref_ref").residency, machine).pe.value);
  }

  TEST_CASE("64.8 the bound over PEs has the memory's bandwidth, and its links'") {
    MachineSpec machine = machine_with("north", {"die.hbm.write_queue=16"});
    MultiPeGemmRequest request{.problem = {512, 256, 512}, .kernel = "owner_computes", .pes = first_pes(8)};
    request.placement = {PlacementPolicy::kReplicate, PlacementPolicy::kReplicate, PlacementPolicy::kBlocks};
    const auto bound = [&] { return plan_multi_pe_gemm(machine, plan_network(machine), request).bound; };
    // Each of 2 x 4 PEs loads 256 rows of A or 128 columns of B first and reads what the other operand's uses ask for.
    const VerifiedRun run = verified_run(machine, request);
    machine.die.hbm.bandwidth = {1'000'000'000};
    const Bytes queued = 4 * queued_writes(machine);
    CHECK(bound().resource == "hbm");
    CHECK(bound().time == Bandwidth{4'000'000'000}.time_for(run.read + run.written - queued));
    machine.die.hbm.bandwidth = {512'000'000'000};
    machine.die.router.link = {16'000'000'000};
    CHECK(bound().time >= Bandwidth{64'000'000'000}.time_for(run.read));
  }

  TEST_CASE("64.9 what needs partitions is refused by name") {
    const MachineSpec machine = machine_with("north");
    const std::string needs =
        " needs a partition of HBM for each PE, and die.hbm.controllers (north) makes it one memory of all PEs of a "
        "die; take a machine with 'controllers: private'";
    CHECK(error_of([&] { require_partitions(machine, "it"); }) == "machine milestone-1h: it" + needs);
    CHECK(error_of([&] { static_cast<void>(plan_operator_on(machine, {}, 1)); }).find("an operator" + needs) !=
          std::string::npos);
    CHECK(error_of([&] {
            static_cast<void>(distributed_gemm_bound(machine, {}));
          }).find("a distributed GEMM" + needs) != std::string::npos);
    CHECK(error_of([&] {
            static_cast<void>(machine_with("north", {"pe.message_queue.tier=hbm"}));
          }).find("slots lie in a memory with one controller") != std::string::npos);
    MachineSpec made = machine;  // as benches do that choose the tier
    made.pe.message_queue.tier = MemoryTier::kHbm;
    const std::string message = error_of([&] { static_cast<void>(plan_network(made)); });
    CHECK(message.find("slots lie in a memory with one controller") != std::string::npos);
  }
}

}  // namespace kernbench::shared_hbm_test
