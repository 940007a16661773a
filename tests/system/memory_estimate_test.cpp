// Memory foretold against what processes took.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <functional>
#include <string>

#include "sim/system/collective/run_collective.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "sim/system/noc/noc_traffic.hpp"
#include "sim/system/run.hpp"
#include "sim/system/simulation_memory.hpp"
#include "sim/system/system.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

#ifdef KERNBENCH_SANITIZED
constexpr bool kOwnAllocator = false;  // its allocator takes several times as much
#else
constexpr bool kOwnAllocator = true;
#endif

/// Most memory that a child was in while it worked.
double peak_bytes(const std::function<void()>& work) {
  return std::stod(forked([&work] {
    work();
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return std::to_string(1024 * usage.ru_maxrss);  // NOLINT(*-union-access): glibc's rusage has unions
  }));
}

/// What this program, which is not kernbench, takes for the smallest simulation.
double own_bytes() {
  static const double kOwn = peak_bytes([] {
    CollectiveRequest request;
    request.count = 2;
    request.grid.pes = {1, 2};
    static_cast<void>(run_collective(one_die(), find_collective_algorithm("ring").generate(request), {}));
  });
  return kOwn;
}

void check_estimate(const MemoryEstimate& estimate, const std::function<void()>& work) {
  if (!kOwnAllocator) return;
  const double measured = peak_bytes(work);
  const double foretold = estimate.bytes() - kProgramMemory + own_bytes();
  CAPTURE(measured);
  CAPTURE(foretold);
  CAPTURE(estimate.describe());
  CHECK(measured <= foretold);
  CHECK(foretold <= 2.5 * measured);
}

void check_collective(const std::string& name, std::int64_t count, std::int64_t chunk, RankGrid grid,
                      const std::vector<std::string>& machine_keys, bool verify = false, std::int32_t rails = 1) {
  CAPTURE(name);
  const MachineSpec machine = milestone(machine_keys);
  const CollectiveAlgorithm& algorithm = find_collective_algorithm(name);
  CollectiveRequest request;
  request.count = count;
  request.chunk = chunk;
  request.grid = grid;
  check_estimate(collective_memory(machine, algorithm, request, rails, verify), [&] {
    CollectiveSettings settings;
    if (verify) settings.values = CollectiveValues::kIntegers;
    static_cast<void>(run_collective(machine, generate_rails(algorithm, request, rails), settings));
  });
}

void check_system(const std::vector<std::string>& machine_keys) {
  CAPTURE(machine_keys.front());
  const MachineSpec machine = milestone(machine_keys);
  check_estimate(system_memory(machine), [&machine] { const System system(machine); });
}

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.13 a machine takes no more than is foretold, and no less than two fifths of it") {
    check_system({"system.packages.columns=8"});
    check_system({"package.die_to_die.connections=1024", "die.router.virtual_channels=8"});
    check_system({"system.packages.columns=256", "system.arrangement=fully_connected", "package.dies.rows=1",
                  "package.dies.columns=1"});
  }

  TEST_CASE("10.13 so does a collective: its steps, queues, packets and values") {
    const std::vector<std::string> die{"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=1"};
    const std::vector<std::string> package{"system.packages.columns=1", "simulation.packet_bytes=4 KiB"};
    const RankGrid of_die{{1, 1}, {1, 1}, {2, 4}};
    const RankGrid of_package{{1, 1}, {4, 4}, {2, 4}};
    check_collective("ring", 1 << 16, 4, of_die, die);
    check_collective("direct", 1 << 10, 0, of_package, package);
    check_collective("hierarchical", 1 << 14, 0, of_package, package);
    check_collective("ring", 1 << 18, 0, of_package, package, true);
    const RankGrid dies_of_package{{1, 1}, {4, 4}, {1, 1}};
    const std::vector<std::string> fine{"system.packages.columns=1", "package.dies.rows=2"};
    check_collective("direct", 1 << 14, 0, {{1, 1}, {2, 4}, {2, 4}}, fine);  // most of it packets
    check_collective("direct", 1 << 12, 0, dies_of_package, package, false, 8);
    check_collective("ring", 1 << 18, 0, dies_of_package, package, true, 8);
  }

  TEST_CASE("10.13 so does a GEMM over many PEs, each with its ledger, few or many tiles") {
    const MachineSpec machine = milestone({"system.packages.columns=1"});
    for (const std::int64_t size : {256, 1024, 2048}) {
      CAPTURE(size);
      MultiPeGemmRequest request{.problem = {.m = size, .k = size, .n = size}, .kernel = "ring_shift"};
      for (std::int32_t pe = 0; pe < 128; ++pe) request.pes.push_back(pe);
      check_estimate(multi_pe_gemm_memory(machine, request.problem, 128, 0, false), [&] {
        request.placement = choose_placement(machine, plan_network(machine), request, "").placement;
        static_cast<void>(run_multi_pe_gemm(machine, request));
      });
    }
  }

  TEST_CASE("10.13 so do matrices whose values are carried") {
    const MachineSpec machine = milestone();
    const GemmProblem problem{.m = 4096, .k = 64, .n = 4096};
    check_estimate(gemm_memory(machine, problem, true), [&] {
      RunSettings settings;
      settings.verify = true;
      static_cast<void>(run_gemm(machine, problem, "ref_ref", settings));
    });
    const GemmMapping mapping{.tile = machine.pe.mac.tile,
                              .block = {1024, 64, 1024},
                              .order = LoopOrder::kKmn,
                              .sums = {SumFormat::kFp32, SumPlace::kHbm}};
    const GemmProblem two_blocks{.m = 2048, .k = 128, .n = 2048};
    check_estimate(gemm_memory(machine, MappedGemm(two_blocks, mapping), true), [&] {
      RunSettings settings;
      settings.verify = true;
      static_cast<void>(run_gemm(machine, two_blocks, mapping, settings));
    });
  }

  TEST_CASE("10.13 so does a mesh of flit routers, and of packets") {
    NocTest test;
    test.mesh.rows = test.mesh.columns = 96;
    test.rate = 0.01;
    test.warm_up = 10;
    test.measure = 50;
    check_estimate(noc_memory(test), [&test] { static_cast<void>(run_noc_test(test)); });
    test.network = NocNetwork::kPackets;
    test.mesh.rows = test.mesh.columns = 32;
    test.rate = 1;
    test.measure = 300;
    check_estimate(noc_memory(test), [&test] { static_cast<void>(run_noc_test(test)); });
  }
}
