// A GEMM and a collective on the same PEs: each alone as ever, together slower, both right.
#include "sim/system/beside.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "sim/plan/collective/algorithm.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

struct Times {
  std::int64_t gemm = 0;
  std::int64_t collective = 0;
  std::int64_t reader = 0;
};

CollectiveLanes all_reduce(std::int64_t count) {
  CollectiveRequest request;
  request.count = count;
  request.grid = {{}, {}, {2, 4}};
  return generate_lanes(find_collective_algorithm("ring"), request, 1);
}

constexpr GemmProblem kProblem{.m = 512, .k = 256, .n = 128, .layout = Layout::kBlocked, .epilogues = {}};

Times times(const std::string& kernel, BesideRun which) {
  std::istringstream in(forked([&] {
    const BesideResult run = run_beside(one_die(), kProblem, find_gemm_over_kernel(kernel).placement, kernel,
                                        all_reduce(1 << 16), which, {.verify = true});
    return std::to_string(run.gemm.value) + ' ' + std::to_string(run.collective.value) + ' ' +
           std::to_string(run.units.at(0).work.value);
  }));
  Times result;
  in >> result.gemm >> result.collective >> result.reader;
  return result;
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.9 alone each takes what it takes without the other; together both take longer, and stay right") {
    for (const char* kernel : {"owner_computes", "ring_shift"}) {
      CAPTURE(kernel);
      const Times gemm = times(kernel, BesideRun::kGemm);
      const Times collective = times(kernel, BesideRun::kCollective);
      const Times both = times(kernel, BesideRun::kBoth);
      CHECK(gemm.collective == 0);
      CHECK(collective.gemm == 0);
      std::istringstream in(forked([&] {
        const GemmPlacement placement = find_gemm_over_kernel(kernel).placement;
        return std::to_string(
            run_gemm_over(one_die(), kProblem, placement, kernel, {0, 1, 2, 3, 4, 5, 6, 7}).time.value);
      }));
      std::int64_t over = 0;
      in >> over;
      CHECK(gemm.gemm == over);
      CHECK(both.gemm > gemm.gemm);
      CHECK(both.collective > collective.collective);
      CHECK(both.gemm + both.collective > 0);
      // What the units do is the same together as one after the other.
      CHECK(both.reader == gemm.reader + collective.reader);
    }
  }

  TEST_CASE("30.9 a rank of the collective may be a die: each of its PEs has a share") {
    const MachineSpec machine =
        milestone({"system.packages.columns=1", "package.dies.rows=1", "package.dies.columns=2"});
    CollectiveRequest request;
    request.count = 1 << 16;
    request.grid.dies = {1, 2};
    const CollectiveLanes lanes = generate_lanes(find_collective_algorithm("ring"), request, 8);
    const auto of = [&](BesideRun which) {
      Times result;
      std::istringstream(forked([&] {
        const BesideResult run = run_beside(machine, kProblem, find_gemm_over_kernel("owner_computes").placement,
                                            "owner_computes", lanes, which, {.verify = true});
        return std::to_string(run.gemm.value) + ' ' + std::to_string(run.collective.value);
      })) >>
          result.gemm >> result.collective;
      return result;
    };
    const Times both = of(BesideRun::kBoth);
    CHECK(both.gemm >= of(BesideRun::kGemm).gemm);
    CHECK(both.collective > of(BesideRun::kCollective).collective);
  }

  TEST_CASE("30.9 buffers lie in HBM, whatever their size") {
    // In HBM each piece is read, and written, besides: it takes longer than from TCM.
    const Times alone = times("owner_computes", BesideRun::kCollective);
    CHECK(alone.collective > collective_numbers(one_die(), *all_reduce(1 << 16).front()).time);
    CHECK(alone.reader > 0);
  }
}
