// GEMMs of every dtype over several PEs, and the messages between them: bytes and times by their closed forms.
#include <doctest/doctest.h>

#include <string>

#include "sim/plan/multi_pe_mapping.hpp"
#include "sim/system/simulation_memory.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/kernel_run.hpp"
#include "tests/system/multi_pe_run.hpp"
#include "tests/system/random_dtypes.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::multi_pe_dtypes_test {
namespace {

constexpr auto kRows = PlacementPolicy::kRows;
constexpr auto kColumns = PlacementPolicy::kColumns;
constexpr auto kReplicate = PlacementPolicy::kReplicate;
constexpr auto kBlocks = PlacementPolicy::kBlocks;

/// With a rate for every dtype.
MachineSpec rated_die() { return one_die(kRatesOfGroups); }

VerifiedRun run(const GemmProblem& problem, const std::string& kernel, const GemmPlacement& placement) {
  return verified_run(rated_die(), {.problem = problem, .kernel = kernel, .placement = placement, .pes = first_pes(4)});
}

MultiPeGemmPlan plan_of(const MachineSpec& machine, const GemmProblem& problem) {
  return plan_multi_pe_gemm(
      machine, plan_network(machine),
      {.problem = problem, .kernel = "owner_computes", .placement = {kRows, kReplicate, kRows}, .pes = first_pes(8)});
}

/// Of 1000 elements of a dtype from PE 0 to PE 1, in one piece: when it has been added, of which values too.
std::string added(Dtype dtype, const std::string& consumer) {
  return notes_of(
      2,
      [=](KernelPe pe, Notes* notes) -> Process {
        MatrixLayout row{Layout::kRowMajor, 1, 1000, 1, 1000, 0, pe.machine().die.hbm.burst};
        row.dtype = dtype;
        const auto counted = [](std::int64_t, std::int64_t column) { return static_cast<float>(column % 100); };
        const MatrixLayout mine = pe.tcm(row);
        pe.fill(mine, counted);
        if (pe.rank() == 0) co_await pe.wait(co_await pe.send(mine, 1));
        if (pe.rank() != 1) co_return;
        notes->add(co_await pe.recv_add(mine, 0));
        pe.expect(mine, [=](std::int64_t r, std::int64_t column) { return 2 * counted(r, column); });
      },
      one_die({"pe.message_queue.consumer=" + consumer}));
}

}  // namespace

TEST_SUITE("ADR-0034") {
  TEST_CASE("34.7 a message takes the network for its bytes, and the vector unit for its elements") {
    for (const Dtype dtype : {Dtype::kInt8, Dtype::kBf16, Dtype::kFp32, Dtype::kInt32}) {
      // Call, setup, two wires and two routers with the way between, the link at 256 GB/s; then who waits wakes up.
      const std::int64_t landed = 2000 + 4000 + 10 + 2000 + 2040 + 10 + ceil_mul_div(bytes_of(1000, dtype), 1000, 256);
      CHECK(added(dtype, "inline") == noted({landed + 2000}));
      CHECK(added(dtype, "vector_unit") ==
            noted({landed + 2000 + 8000 + 4000}));  // 1000 elements on 128 lanes, latency
    }
  }

  TEST_CASE("34.7 operands are read and sent in their own bytes, sums in C's") {
    for (const OperandDtypes& dtypes : every_operand_dtypes()) {
      const GemmProblem problem = with_dtypes({128, 256, 64}, dtypes);
      const Bytes a = 128 * bytes_of(256, problem.dtype);
      const Bytes b = 256 * bytes_of(64, problem.stored_b());
      const Bytes c = 128 * bytes_of(64, problem.result());
      CAPTURE(name_of(problem.dtype));
      CAPTURE(name_of(problem.stored_b()));
      // Two columns of tiles of B go to the three others, or four rows of tiles of A.
      const VerifiedRun b_goes = run(problem, "ring_shift", {kRows, kColumns, kRows});
      CHECK(b_goes.read == a + b);
      CHECK(b_goes.sent == 3 * b);
      CHECK(b_goes.written == c);
      const VerifiedRun a_goes = run(problem, "ring_shift", {kRows, kColumns, kColumns});
      CHECK(a_goes.sent == 3 * a);
      // Each PE's product goes round but for its own part; what is sent and what is added to is read from HBM.
      const VerifiedRun split = run(problem, "split_k", {kColumns, kRows, kRows});
      CHECK(split.sent == 3 * c);
      CHECK(split.written == (4 + 3) * c);
      // Each PE loads its row of tiles of A, which both columns of B use, and streams all of B.
      const VerifiedRun owner = run(problem, "owner_computes", {kRows, kRows, kRows});
      CHECK(owner.read == a + 4 * b);
      CHECK(owner.written == c);
    }
  }

  TEST_CASE("34.11 34.12 groups that edges cut go round and are added up as well, in both layouts, by every way") {
    for (const Dtype dtype : {Dtype::kBfp8, Dtype::kBfp4, Dtype::kMxfp8, Dtype::kMxfp4}) {
      CAPTURE(name_of(dtype));
      for (const Layout layout : {Layout::kBlocked, Layout::kRowMajor}) {
        GemmProblem problem{.m = 100, .k = 250, .n = 75, .layout = layout, .dtype = dtype};
        CHECK_NOTHROW(run(problem, "ring_shift", {kRows, kColumns, kRows}));
        CHECK_NOTHROW(run(problem, "split_k", {kColumns, kRows, kRows}));
        CHECK_NOTHROW(run(problem, "owner_computes", {kRows, kRows, kColumns}));
        CHECK_NOTHROW(run(problem, "grid_multicast", {kBlocks, kBlocks, kBlocks}));
        CHECK_NOTHROW(run(problem, "grid_shift", {kBlocks, kBlocks, kBlocks}));
      }
    }
  }

  TEST_CASE("34.14 a slot that holds no group is refused") {
    const GemmProblem problem{.m = 128, .k = 256, .n = 64, .dtype = Dtype::kMxfp8};
    const auto by_slots_of = [&](const std::string& bytes) {
      std::vector<std::string> more = kRatesOfGroups;
      more.push_back("pe.message_queue.slot_bytes=" + bytes);
      return failure_of([&] {
        (void)verified_run(
            one_die(more),
            {.problem = problem, .kernel = "ring_shift", .placement = {kRows, kColumns, kRows}, .pes = first_pes(4)});
      });
    };
    CHECK(
        by_slots_of("32 B").find("pe.message_queue.slot_bytes: a slot of 32 bytes holds no group of mxfp8: expected at "
                                 "least 33") != std::string::npos);
    CHECK(by_slots_of("33 B").empty());
  }

  TEST_CASE("34.7 by a mapping, too, what a group of PEs adds up is of C's dtype") {
    for (const OperandDtypes& dtypes : every_operand_dtypes()) {
      const GemmProblem problem = with_dtypes({128, 256, 64}, dtypes);
      CAPTURE(name_of(problem.dtype));
      MultiPeGemmRequest request{
          .problem = problem, .kernel = "", .placement = {kReplicate, kReplicate, kRows}, .pes = first_pes(4)};
      request.mapping = MultiPeMapping{whole_mapping(problem, {32, 64, 32}, {true, false}), 2};
      const VerifiedRun ran = verified_run(rated_die(), request);
      CHECK(ran.sent == 4 * 32 * bytes_of(64, problem.result()));
      CHECK(ran.time >= plan_multi_pe_gemm(rated_die(), plan_network(rated_die()), request).bound.time);
    }
  }

  TEST_CASE("34.7 with all operands of their own, PEs take what each alone takes, to the picosecond") {
    for (const OperandDtypes& dtypes : every_operand_dtypes()) {
      const GemmProblem alone = with_dtypes({32, 256, 128}, dtypes);
      GemmProblem eight = alone;
      eight.m = 8 * 32;
      CAPTURE(name_of(alone.dtype));
      CAPTURE(name_of(alone.stored_b()));
      const VerifiedRun ran = verified_run(
          rated_die(),
          {.problem = eight, .kernel = "owner_computes", .placement = {kRows, kReplicate, kRows}, .pes = first_pes(8)});
      CHECK(ran.time == simulate_gemm(milestone(kRatesOfGroups), alone, "load_ref").result.pe.end);
      CHECK(ran.time >= plan_of(rated_die(), eight).bound.time);
    }
  }

  TEST_CASE("34.7 the bound has the array's rate, C's bytes, and a vector unit that converts each tile of B") {
    // A PE multiplies 32 x 256 x 128, sixteen tiles: of int8 in 8 cycles each, of bf16 in 16.
    const MachineSpec slow = one_die({"pe.mac.macs_per_cycle=512", "pe.vector.rates.convert=0.0625"});
    const auto bound_of = [&](const OperandDtypes& dtypes) {
      return plan_of(slow, with_dtypes({8 * 32, 256, 128}, dtypes)).bound;
    };
    CHECK(bound_of({Dtype::kBf16}).resource == "mac");
    CHECK(bound_of({Dtype::kBf16}).time == from_ns(16 * 128));
    CHECK(bound_of({Dtype::kInt8}).time == from_ns(16 * 64));
    CHECK(bound_of({Dtype::kBf16, Dtype::kInt8}).resource == "vector");
    CHECK(bound_of({Dtype::kBf16, Dtype::kInt8}).time == from_ns(16 * 64 * 32 / 128 * 16));
  }

  TEST_CASE(
      "34.7 34.12 elements of a byte, or half of one, carry a value each: the memory of a verified run is estimated by "
      "them") {
    const auto values = [](const OperandDtypes& dtypes) {
      const auto estimate = [&](bool verify) {
        return multi_pe_gemm_memory(one_die(), with_dtypes({64, 64, 64}, dtypes), 8, Bytes{1} << 20U, verify).bytes();
      };
      return estimate(true) - estimate(false);
    };
    for (const OperandDtypes& dtypes : every_operand_dtypes()) {
      const std::int64_t least = std::min(group_of(dtypes.a).bits, group_of(dtypes.b.value_or(dtypes.a)).bits);
      CHECK(values(dtypes) == doctest::Approx((least == 4 ? 4 : least == 8 ? 2 : 1) * values({})));
    }
  }

  TEST_CASE("34.7 what the array or the dtype cannot do is refused before anything runs") {
    const auto refused = [](const GemmProblem& problem) {
      return failure_of([&] { (void)plan_of(one_die({"pe.mac.rates.int8=0"}), problem); });
    };
    CHECK(refused(with_dtypes({8, 8, 8}, {Dtype::kInt8})).find("pe.mac.rates.int8") != std::string::npos);
    GemmProblem scaled = with_dtypes({8, 8, 8}, {Dtype::kInt8});
    scaled.epilogues = parse_epilogues("scale");
    CHECK(failure_of([&] { (void)plan_of(one_die(), scaled); }).find("keep whole numbers whole") != std::string::npos);
    CHECK(refused(with_dtypes({8, 8, 8}, {Dtype::kBf16, Dtype::kFp32})).find("expected one dtype") !=
          std::string::npos);
  }
}

}  // namespace kernbench::multi_pe_dtypes_test
