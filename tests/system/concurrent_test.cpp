// A GEMM and a collective on the same PEs: each alone as ever, together slower, both right.
#include "sim/system/concurrent.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "sim/plan/collective/algorithm.hpp"
#include "sim/plan/network/network_plan.hpp"
#include "sim/system/multi_pe_choice.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/collective_run.hpp"
#include "tests/system/simulate.hpp"

using namespace kernbench;

namespace {

struct Times {
  std::int64_t gemm = 0;
  std::int64_t collective = 0;
  std::int64_t reader = 0;
  int in_hbm = 0;
};

CollectiveRails all_reduce(std::int64_t count) {
  CollectiveRequest request;
  request.count = count;
  request.grid = {{}, {}, {2, 4}};
  return generate_rails(find_collective_algorithm("ring"), request, 1);
}

constexpr GemmProblem kProblem{.m = 512, .k = 256, .n = 128, .layout = Layout::kBlocked, .epilogues = {}};

ConcurrentRequest request(const MachineSpec& machine, const std::string& kernel, const CollectiveRails& rails) {
  ConcurrentRequest request{{.problem = kProblem, .kernel = kernel, .tcm = tcm_beside(machine, rails)}};
  request.gemm.pes.resize(rails.size() * rails.front()->ranks.size());
  std::iota(request.gemm.pes.begin(), request.gemm.pes.end(), 0);
  const MultiPeGemmPlan plan = choose_placement(machine, plan_network(machine), request.gemm, "");
  request.gemm.placement = plan.placement;
  request.gemm_tcm = plan.tcm;
  return request;
}

Times times(const MachineSpec& machine, const std::string& kernel, ConcurrentRun which) {
  std::istringstream in(forked([&] {
    const CollectiveRails rails = all_reduce(1 << 16);
    const ConcurrentResult run =
        run_concurrent(machine, request(machine, kernel, rails), rails, which, {.verify = true});
    return std::to_string(run.gemm.value) + ' ' + std::to_string(run.collective.value) + ' ' +
           std::to_string(run.units.at(0).work.value) + ' ' + std::to_string(static_cast<int>(run.in_hbm));
  }));
  Times result;
  in >> result.gemm >> result.collective >> result.reader >> result.in_hbm;
  return result;
}

/// Of one PE, in ps.
struct GemmLedger {
  std::int64_t end = 0;
  std::int64_t time = 0;  ///< sum over the causes
  std::int64_t path = 0;  ///< that of the critical path
  std::int64_t array = 0;
  std::int64_t contention = 0;
  std::int64_t receive = 0;
  std::int64_t untold = 0;
};

std::vector<GemmLedger> ledgers(const std::string& kernel, const CollectiveRails& rails, ConcurrentRun which) {
  std::istringstream in(forked([&] {
    const ConcurrentResult run = run_concurrent(one_die(), request(one_die(), kernel, rails), rails, which, {});
    std::string text;
    for (const PeReport& pe : run.gemm_pes) {
      const LedgerTotals& time = pe.ledger.time;
      for (const Picoseconds part :
           {pe.end, time.sum(), pe.ledger.path.sum(), time.of(Cause::kMac) + time.of(Cause::kArrayFill),
            time.of(Cause::kContention), time.of(Cause::kReceive), time.of(Cause::kUntold)}) {
        text += std::to_string(part.value) + ' ';
      }
    }
    return text;
  }));
  std::vector<GemmLedger> pes;
  for (GemmLedger pe; in >> pe.end >> pe.time >> pe.path >> pe.array >> pe.contention >> pe.receive >> pe.untold;)
    pes.push_back(pe);
  return pes;
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.9 alone each takes what it takes without the other; together both take longer, and stay right") {
    for (const char* kernel : {"owner_computes", "ring_shift"}) {
      CAPTURE(kernel);
      const Times gemm = times(one_die(), kernel, ConcurrentRun::kGemm);
      const Times collective = times(one_die(), kernel, ConcurrentRun::kCollective);
      const Times both = times(one_die(), kernel, ConcurrentRun::kBoth);
      CHECK(gemm.collective == 0);
      CHECK(collective.gemm == 0);
      std::istringstream in(forked([&] {
        const MultiPeGemmRequest gemm = request(one_die(), kernel, all_reduce(1 << 16)).gemm;
        return std::to_string(run_multi_pe_gemm(one_die(), gemm).time.value);
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
    CollectiveRequest all;
    all.count = 1 << 16;
    all.grid.dies = {1, 2};
    const CollectiveRails rails = generate_rails(find_collective_algorithm("ring"), all, 8);
    const auto of = [&](ConcurrentRun which) {
      Times result;
      std::istringstream(forked([&] {
        ConcurrentRequest asked = request(machine, "owner_computes", rails);
        const ConcurrentResult run = run_concurrent(machine, asked, rails, which, {.verify = true});
        return std::to_string(run.gemm.value) + ' ' + std::to_string(run.collective.value);
      })) >>
          result.gemm >> result.collective;
      return result;
    };
    const Times both = of(ConcurrentRun::kBoth);
    CHECK(both.gemm >= of(ConcurrentRun::kGemm).gemm);
    CHECK(both.collective > of(ConcurrentRun::kCollective).collective);
  }

  TEST_CASE("30.9 buffers lie in TCM where they fit beside what the GEMM takes of it, else in HBM") {
    const CollectiveRails rails = all_reduce(1 << 16);
    const Times alone = times(one_die(), "owner_computes", ConcurrentRun::kCollective);
    CHECK(alone.in_hbm == 0);
    CHECK(alone.collective == collective_numbers(one_die(), *rails.front()).time);
    // What the GEMM takes, the collective's slots and its buffer: room for all, and for one byte less.
    MachineSpec machine = one_die();
    const Bytes slots = one_die().pe.tcm.capacity - tcm_beside(one_die(), rails);
    CHECK(slots == 4 * 4096);
    machine.pe.tcm.capacity = request(one_die(), "owner_computes", rails).gemm_tcm + slots + (Bytes{2} << 16U);
    CHECK(times(machine, "owner_computes", ConcurrentRun::kBoth).in_hbm == 0);
    --machine.pe.tcm.capacity;
    const Times both = times(machine, "owner_computes", ConcurrentRun::kBoth);
    CHECK(both.in_hbm == 1);
    // The comparison is with a collective whose buffers lie where they do beside the GEMM.
    CHECK(times(machine, "owner_computes", ConcurrentRun::kCollective).in_hbm == 1);
    CHECK(times(machine, "owner_computes", ConcurrentRun::kCollective).collective > alone.collective);
  }
}

TEST_SUITE("ADR-0033") {
  TEST_CASE("33.10 33.12 beside a collective every PE's ledger of the GEMM closes, and what it loses is contention") {
    const CollectiveRails rails = all_reduce(1 << 16);
    for (const std::string kernel : {"owner_computes", "ring_shift", "split_k"}) {
      CAPTURE(kernel);
      const std::vector<GemmLedger> alone = ledgers(kernel, rails, ConcurrentRun::kGemm);
      const std::vector<GemmLedger> both = ledgers(kernel, rails, ConcurrentRun::kBoth);
      REQUIRE(alone.size() == 8);
      REQUIRE(both.size() == alone.size());
      CHECK(ledgers(kernel, rails, ConcurrentRun::kCollective).empty());
      GemmLedger grown;
      for (std::size_t pe = 0; pe < both.size(); ++pe) {
        for (const GemmLedger& of : {alone[pe], both[pe]}) {
          CHECK(of.time == of.end);
          CHECK(of.path == of.end);
          CHECK(of.untold <= (kernel == "ring_shift" ? 20'000 : 0));  // what is known of it: 33.12
        }
        CHECK(both[pe].array == alone[pe].array);
        grown.end += both[pe].end - alone[pe].end;
        grown.contention += both[pe].contention - alone[pe].contention;
        grown.receive += both[pe].receive - alone[pe].receive;
      }
      CHECK(grown.end > 0);
      // The collective holds up transfers of the PE itself, or of one that it waits for.
      CHECK(2 * (grown.contention + grown.receive) > grown.end);
      CHECK(grown.contention > 0);
    }
  }
}
