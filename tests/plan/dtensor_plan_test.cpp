// Plans of method dtensor: what is redistributed to what, each product once in a replica, phases one after the other.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/plan/distributed_gemm/schedule.hpp"
#include "tests/plan/random_distributed_gemm.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

DistributedGemm dtensor_of(std::int64_t m, std::int64_t k, std::int64_t n, const std::string& partitions, int devices,
                           int replication = 1) {
  return {m,
          k,
          n,
          parse_partitions(partitions, "--partitions"),
          {replication, replication, replication},
          DistributedMethod::kDtensor,
          devices};
}

std::string cuts_of(const DistributedGemm& problem) { return to_text(plan_distributed_gemm(problem).cuts); }

/// 0: A is redistributed, 1: B is, 2: products, 3: C is.
int phase_of(const Command& command) {
  if (command.queue == QueueKind::kFetch) return command.in.buffer.kind == BufferKind::kA ? 0 : 1;
  return command.queue == QueueKind::kCompute ? 2 : 3;
}

}  // namespace

TEST_SUITE("ADR-0023") {
  TEST_CASE("23.10 of the ways to multiply, that to which A and B come at DTensor's least price") {
    // As they lie: sums of K; nothing comes.
    CHECK(cuts_of(dtensor_of(4096, 4096, 4096, "column,row,row", 4)) == "k4");
    // One matrix lies as it may: all of the other, 3/4 of it, or other shards of both, 3/16 of each.
    CHECK(cuts_of(dtensor_of(4096, 4096, 4096, "row,column,row", 4)) == "k4");
    CHECK(cuts_of(dtensor_of(32768, 1024, 1024, "row,column,row", 4)) == "m4");  // A is 32 times B
    CHECK(cuts_of(dtensor_of(1024, 1024, 32768, "row,column,row", 4)) == "n4");  // and B 32 times A
    CHECK(cuts_of(dtensor_of(4096, 4096, 4096, "row,row,row", 4)) == "k4");      // B is in rows of K: A to columns
    CHECK(cuts_of(dtensor_of(4096, 4096, 4096, "column,column,row", 4)) == "k4");
    // Small ones: one collective costs less than two, whatever it brings.
    CHECK(cuts_of(dtensor_of(64, 64, 64, "row,column,row", 4)) == "m4");
    CHECK(cuts_of(dtensor_of(64, 64, 64, "row,column,row", 8, 2)) == "m4");
    // A mesh of 2 x 2: two all_gathers that bring half of A and of B, or two all_to_alls, of 1/8 of each.
    CHECK(cuts_of(dtensor_of(64, 64, 64, "block,block,block", 4)) == "m2 n2");
    CHECK(cuts_of(dtensor_of(4096, 4096, 4096, "block,block,block", 4)) == "k2 k2");
    CHECK(cuts_of(dtensor_of(64, 64, 64, "block,block,block", 3)) == "m3");  // 3 x 1: one dimension
    CHECK(cuts_of(dtensor_of(64, 64, 64, "row,column,row", 1)).empty());
    CHECK(cuts_of(dtensor_of(64, 64, 64, "block,block,block", 4, 4)).empty());  // a replica each
    CHECK(error_of([] {
            DistributedGemm problem = dtensor_of(8, 8, 8, "row,row,row", 4);
            problem.replication = {2, 1, 2};
            (void)plan_distributed_gemm(problem);
          }) ==
          "replication: method dtensor expects the same of A, B and C, which lie on one mesh of devices, got 2, 1, 2");
  }

  TEST_CASE("23.3 23.10 each product is once in each replica, within one tile of each matrix and the device's share") {
    CHECK(rc::check("coverage", [] {
      const DistributedGemm problem = random_dtensor(12);
      const DistributedGemmPlan plan = plan_distributed_gemm(problem);
      std::map<std::array<std::int64_t, 4>, int> times;
      for (int device = 0; device < problem.devices; ++device) {
        const int replica = plan.c.replica_of(device);
        for (const DistributedOperation& x : plan.devices[static_cast<std::size_t>(device)]) {
          const DeviceShare& share = plan.shares[static_cast<std::size_t>(device)];
          RC_ASSERT(common(share.a(), x.a()) == x.a());
          RC_ASSERT(common(share.c(), x.c()) == x.c());
          RC_ASSERT(common(plan.a.tile(x.a_tile), x.a()) == x.a());
          RC_ASSERT(common(plan.b.tile(x.b_tile), x.b()) == x.b());
          RC_ASSERT(common(plan.c.tile(x.c_tile), x.c()) == x.c());
          for (auto i = x.m.begin; i < x.m.end; ++i) {
            for (auto j = x.n.begin; j < x.n.end; ++j) {
              for (auto l = x.k.begin; l < x.k.end; ++l) ++times[{replica, i, j, l}];
            }
          }
        }
      }
      RC_ASSERT(static_cast<std::int64_t>(times.size()) == problem.m * problem.n * problem.k * problem.replication[0]);
      RC_ASSERT(std::ranges::all_of(times, [](const auto& entry) { return entry.second == 1; }));
    }));
  }

  TEST_CASE("23.11 a device multiplies once, and no phase begins on it before the one before has ended") {
    CHECK(rc::check("phases", [] {
      const CommandList list = schedule_distributed_gemm(plan_distributed_gemm(random_dtensor(12)));
      const std::vector<Command>& commands = list.commands();
      // Of each command, those that have ended before it: by waits, and by its queue's order.
      std::vector<std::set<int>> over(commands.size());
      std::map<std::pair<int, QueueKind>, int> queued;
      std::map<int, std::map<int, std::set<int>>> all;  // of a device and a phase, its commands
      std::map<int, int> products;
      for (std::size_t i = 0; i < commands.size(); ++i) {
        const Command& command = commands[i];
        std::vector<int> earlier = command.waits;
        const auto last = queued.find({command.device, command.queue});
        if (last != queued.end()) earlier.push_back(last->second);
        for (const int before : earlier) {
          const std::set<int>& done = over[static_cast<std::size_t>(before)];
          over[i].insert(done.begin(), done.end());
          over[i].insert(before);
        }
        std::vector<int> both{command.device};
        if (command.kind == CommandKind::kCopy) both = {command.in.buffer.device, command.out.buffer.device};
        for (const int device : both) {
          for (int phase = 0; phase < phase_of(command); ++phase) {
            for (const int before : all[device][phase]) RC_ASSERT(over[i].contains(before));
          }
        }
        queued[{command.device, command.queue}] = static_cast<int>(i);
        for (const int device : both) all[device][phase_of(command)].insert(static_cast<int>(i));
        if (command.kind == CommandKind::kMultiply) RC_ASSERT(++products[command.device] == 1);
      }
    }));
  }

  TEST_CASE("23.11 closed forms of the bytes that a device receives") {
    const auto received = [](std::int64_t m, std::int64_t k, std::int64_t n, const std::string& partitions,
                             const std::string& cuts, int replication = 1) {
      const DistributedGemm problem = dtensor_of(m, k, n, partitions, 4, replication);
      CHECK(cuts_of(problem) == cuts);
      const std::vector<DeviceTraffic> traffic =
          traffic_of(schedule_distributed_gemm(plan_distributed_gemm(problem)), 4, {2, 4});
      for (const DeviceTraffic& of : traffic) {
        CHECK(of.received == of.sent);
        CHECK(of.received == traffic[0].received);
      }
      return traffic[0].received;
    };
    constexpr Bytes kSide = 4096;
    constexpr Bytes kOperand = kSide * kSide * 2;
    constexpr Bytes kResult = kSide * kSide * 4;
    // All of B but the own columns; C is where it belongs.
    CHECK(received(32768, 1024, 1024, "row,column,row", "m4") == 1024 * 1024 * 2 * 3 / 4);
    // All of A, and C's columns to rows.
    CHECK(received(1024, 1024, 32768, "row,column,row", "n4") ==
          1024 * 1024 * 2 * 3 / 4 + 1024 * 32768 * 4 / 4 * 3 / 4);
    // A reduce_scatter alone.
    CHECK(received(kSide, kSide, kSide, "column,row,row", "k4") == kResult * 3 / 4);
    // Two all_to_alls, and a reduce_scatter.
    CHECK(received(kSide, kSide, kSide, "row,column,row", "k4") == 2 * kOperand / 4 * 3 / 4 + kResult * 3 / 4);
    // In pairs, replicas each by themselves.
    CHECK(received(kSide, kSide, kSide, "column,row,row", "k2", 2) == kResult / 2);
    CHECK(received(kSide, kSide, kSide, "row,column,row", "", 4) == 0);
  }
}
