// What runs count for their energy, against closed forms and beside other ways to run the same.
#include "sim/machine/energy.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>

#include "tests/plan/random_problem.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

std::string to_line(const Activity& a) {
  std::ostringstream out;
  for (const std::int64_t macs : a.macs) out << macs << ' ';
  out << a.vector_operations << ' ' << a.registers << ' ' << a.tcm << ' ' << a.sram << ' ' << a.hbm << ' ' << a.router
      << ' ' << a.die_to_die << ' ' << a.package_link << ' ' << a.pes;
  return out.str();
}

Activity from_line(const std::string& text) {
  std::istringstream in(text);
  Activity a;
  for (std::int64_t& macs : a.macs) in >> macs;
  in >> a.vector_operations >> a.registers >> a.tcm >> a.sram >> a.hbm >> a.router >> a.die_to_die >> a.package_link >>
      a.pes;
  return a;
}

Activity of_gemm(const MachineSpec& machine, const GemmProblem& problem, const std::string& variant,
                 std::optional<SystemExtent> extent = {}) {
  return from_line(forked([&] { return to_line(run_gemm(machine, problem, variant, {.extent = extent}).activity); }));
}

Activity of_math(const MachineSpec& machine, const MathProblem& problem) {
  return from_line(forked([&] { return to_line(run_math(machine, problem).activity); }));
}

Activity of_collective(const MachineSpec& machine, const CollectiveSchedule& schedule) {
  return from_line(forked([&] { return to_line(run_collective(machine, schedule).activity); }));
}

std::int64_t macs(const Activity& activity, Dtype dtype = Dtype::kBf16) {
  return activity.macs.at(static_cast<std::size_t>(dtype));
}

/// One message of `elements` from rank 0 to rank 1, of so many.
CollectiveSchedule one_message(std::int64_t elements, std::size_t ranks, std::int32_t to, bool adds) {
  std::vector<CollectiveThread> threads(ranks);
  threads[0] = {send_to(to, elements)};
  threads[static_cast<std::size_t>(to)] = {adds ? reduce_from(0, elements) : receive_from(0, elements)};
  return by_hand(elements, threads);
}

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.2 a GEMM of whole tiles counts what its shape says") {
    const MachineSpec machine = milestone();
    const std::int64_t m = 64;
    const std::int64_t k = 256;
    const std::int64_t n = 96;
    const Bytes a = m * k * 2;
    const Bytes b = k * n * 2;
    const Bytes c = m * n * 2;
    // Streamed: A once for each of 3 columns of tiles, B for each of 2 rows of them; what is fetched is the same.
    const Bytes fetched = 3 * a + 2 * b;
    for (const auto& one :
         {std::pair("ref_ref", 3 * a + 2 * b), std::pair("load_ref", a + 2 * b), std::pair("load_load", a + b)}) {
      const std::string variant = one.first;
      const Bytes read = one.second;
      CAPTURE(variant);
      const Activity run = of_gemm(machine, {.m = m, .k = k, .n = n}, variant);
      CHECK(macs(run) == m * k * n);
      CHECK(macs(run, Dtype::kFp16) == 0);
      CHECK(run.vector_operations == 0);
      CHECK(run.registers == fetched + c);
      CHECK(run.hbm == read + c);
      CHECK(run.router == read + c);  // one router, in or out
      CHECK(run.tcm == fetched + c + read + c);
      CHECK(run.sram + run.die_to_die + run.package_link == 0);
      CHECK(run.pes == 1);
    }
  }

  TEST_CASE("36.2 under a tile valid MACs count, and bytes of memory in whole bursts") {
    const Activity run = of_gemm(milestone(), {.m = 5, .k = 7, .n = 3}, "ref_ref");
    CHECK(macs(run) == 5 * 7 * 3);
    CHECK(run.registers == (5 * 7 + 7 * 3 + 5 * 3) * 2);
    CHECK(run.hbm % 256 == 0);
    CHECK(run.hbm >= 3 * 256);
    CHECK(run.tcm == run.registers + run.hbm);
  }

  TEST_CASE("36.2 MACs are of A's dtype, operations of epilogues and conversions of elements and passes") {
    const MachineSpec machine = milestone();
    const GemmProblem problem{.m = 32, .k = 128, .n = 64, .epilogues = parse_epilogues("scale,gelu")};
    const Activity run = of_gemm(machine, problem, "ref_ref");
    CHECK(run.vector_operations == 32 * 64 * (1 + 4 + 4));  // tanh is four
    const Activity wider = of_gemm(milestone({"pe.vector.rates.special=1", "pe.vector.lanes=32"}), problem, "ref_ref");
    CHECK(to_line(wider) == to_line(run));
    const Activity int8 = of_gemm(machine, {.m = 32, .k = 128, .n = 64, .dtype = Dtype::kInt8}, "ref_ref");
    CHECK(macs(int8, Dtype::kInt8) == 32 * 128 * 64);
    CHECK(macs(int8) == 0);
    const Activity weights = of_gemm(machine, {.m = 64, .k = 128, .n = 64, .dtype_b = Dtype::kFp8E4m3}, "ref_ref");
    CHECK(macs(weights) == 64 * 128 * 64);
    CHECK(weights.vector_operations == 2 * 128 * 64);  // B, for each of two rows of tiles
    const Activity sums = of_math(machine, {VectorOp::kRowSum, 64, 96});
    CHECK(sums.vector_operations == 64 * 96 + 64 * 3);  // and three tiles of each row taken together
    CHECK(macs(sums) == 0);
  }

  TEST_CASE("36.2 own wires and the network count the same") {
    for (const char* variant : {"ref_ref", "load_ref"}) {
      const GemmProblem problem{.m = 100, .k = 200, .n = 70, .epilogues = parse_epilogues("bias")};
      const Activity wires = of_gemm(milestone(), problem, variant);
      const Activity network = of_gemm(milestone(), problem, variant, SystemExtent::kWholeMachine);
      CHECK(to_line(wires) == to_line(network));
    }
  }

  TEST_CASE("36.2 a message counts at both ends, and on every router and link of its way") {
    const MachineSpec machine = milestone({"pe.message_queue.credit_bytes=0 B"});
    const std::int64_t elements = 1024;
    const Bytes bytes = 2 * elements;
    for (const bool adds : {false, true}) {
      const Activity next = of_collective(machine, one_message(elements, 8, 1, adds));
      CHECK(next.vector_operations == elements);
      CHECK(next.tcm == bytes * (1 + 1 + (adds ? 3 : 2)));  // out of one TCM, into a slot of the other
      CHECK(next.router == 2 * bytes);                      // its own router and the next one
      CHECK(next.die_to_die == 0);
      CHECK(next.hbm == 0);
      CHECK(next.pes == 8);
    }
    // From router 0 to the next die's router 0: four routers of a row, and the next die's first.
    const Activity die = of_collective(machine, one_message(elements, 16, 8, false));
    CHECK(die.router == 5 * bytes);
    CHECK(die.die_to_die == bytes);
    // To the other package: down its column of 4 dies of 2 rows to the switch, over, and up again.
    const Activity package = of_collective(machine, one_message(elements, 136, 128, false));
    CHECK(package.package_link == bytes);
    CHECK(package.router == (8 + 8) * bytes);
    CHECK(package.die_to_die == (4 + 4) * bytes);
    // Credits have bytes of their own, on the way back.
    const Activity credits = of_collective(milestone(), one_message(elements, 8, 1, false));
    CHECK(credits.router == 2 * (bytes + 16));
  }

  TEST_CASE("36.2 slots in SRAM are written there and read again") {
    const MachineSpec machine = milestone({"pe.message_queue.credit_bytes=0 B", "pe.message_queue.tier=sram"});
    const Activity run = of_collective(machine, one_message(1024, 8, 1, false));
    CHECK(run.sram == 2 * 2048);
  }

  TEST_CASE("36.3 energy does not depend on how fast the machine is") {
    CHECK(rc::check("random problems", [] {
      const GemmProblem problem = random_problem();
      const std::string variant = *rc::gen::element<std::string>("ref_ref", "load_ref", "load_load");
      const auto run = [&](const std::vector<std::string>& settings) {
        return to_line(of_gemm(milestone(settings), problem, variant));
      };
      RC_ASSERT(run({}) ==
                run({"pe.clock=2 GHz", "die.hbm.bandwidth=64 GB/s", "pe.stream_depth=3", "pe.mac.macs_per_cycle=512",
                     "die.router.link_bandwidth=100 GB/s", "pe.vector.lanes=16", "pe.dma.outstanding_bursts=16"}));
    }));
  }
}
