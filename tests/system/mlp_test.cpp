// The fused feed-forward layer: what it moves, what it computes, and how long a small one takes.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "sim/system/user_kernel.hpp"
#include "tests/support/milestone.hpp"
#include "tests/system/simulate.hpp"

namespace kernbench::mlp_test {
namespace {

struct Sizes {
  std::int64_t rows;
  std::int64_t model;
  std::int64_t hidden;
  std::int64_t block;
  std::int64_t panel;
};

struct Moved {
  Bytes read = 0;
  Bytes written = 0;
  bool operator==(const Moved&) const = default;
};

struct Ran {
  Picoseconds time;
  std::vector<Moved> pes;
};

Ran run_mlp(const Sizes& sizes, bool fused, std::int32_t ranks, const MachineSpec& machine = one_die(),
            bool verify = true) {
  std::istringstream text(forked([&] {
    const UserKernel& mlp = find_user_kernel("mlp");
    const KernelArguments arguments = mlp.arguments({{"rows", sizes.rows},
                                                     {"model", sizes.model},
                                                     {"hidden", sizes.hidden},
                                                     {"block", sizes.block},
                                                     {"panel", sizes.panel},
                                                     {"fused", fused ? 1 : 0}});
    std::vector<std::int32_t> pes;
    for (std::int32_t rank = 0; rank < ranks; ++rank) pes.push_back(rank);
    const MultiPeResult result = run_user_kernel(machine, mlp, arguments, pes, {.verify = verify});
    std::string ran = std::to_string(result.time.value);
    for (const PeReport& pe : result.pes) {
      ran += " " + std::to_string(pe.read) + " " + std::to_string(pe.written);
    }
    return ran;
  }));
  Ran ran;
  text >> ran.time.value;
  for (Moved moved; text >> moved.read >> moved.written;) ran.pes.push_back(moved);
  return ran;
}

/// Bytes of HBM of 30.12, rank by rank.
std::vector<Moved> expected_bytes(const Sizes& sizes, bool fused, std::int32_t ranks) {
  std::vector<Moved> pes;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t rows = sizes.rows * (rank + 1) / ranks - sizes.rows * rank / ranks;
    const std::int64_t blocks = (rows + sizes.block - 1) / sizes.block;
    const Bytes between = fused ? 0 : 6 * rows * sizes.hidden;
    pes.push_back({2 * (rows * sizes.model + 3 * blocks * sizes.model * sizes.hidden) + between,
                   2 * rows * sizes.model + between});
  }
  return pes;
}

MachineSpec small_tiles() {
  return one_die(
      {"pe.mac.tile.m=4", "pe.mac.tile.k=8", "pe.mac.tile.n=4", "die.hbm.burst=32B", "simulation.packet_bytes=64B"});
}

}  // namespace

TEST_SUITE("ADR-0030") {
  TEST_CASE("30.11 30.12 30.13 any layer over any PEs has the expected values, and moves what it has to") {
    CHECK(rc::check("feed-forward layers", [] {
      const auto up_to = [](std::int64_t most) { return *rc::gen::inRange<std::int64_t>(1, most + 1); };
      const Sizes sizes{up_to(30), up_to(20), up_to(40), up_to(12), up_to(24)};
      const auto ranks = static_cast<std::int32_t>(up_to(4));
      const bool fused = *rc::gen::arbitrary<bool>();
      RC_LOG() << sizes.rows << " rows, " << sizes.model << ", " << sizes.hidden << ", block " << sizes.block
               << ", panel " << sizes.panel << ", " << ranks << " ranks" << (fused ? ", fused" : "");
      RC_ASSERT(run_mlp(sizes, fused, ranks, small_tiles()).pes == expected_bytes(sizes, fused, ranks));
    }));
  }

  TEST_CASE("30.12 fused, HBM gives X and the weights once a block and takes Y; else three results more go both ways") {
    constexpr Sizes kSizes{256, 128, 192, 64, 64};
    const Ran fused = run_mlp(kSizes, true, 2);
    const Ran unfused = run_mlp(kSizes, false, 2);
    constexpr Bytes kRows = 128;  // of a PE, in two blocks
    constexpr Bytes kX = kRows * 128 * 2;
    constexpr Bytes kWeights = 3 * 128 * 192 * 2;
    constexpr Bytes kResult = kRows * 192 * 2;
    CHECK(fused.pes == std::vector<Moved>(2, {kX + 2 * kWeights, kX}));
    CHECK(unfused.pes == std::vector<Moved>(2, {kX + 2 * kWeights + 3 * kResult, kX + 3 * kResult}));
    CHECK(unfused.time > fused.time);
  }

  TEST_CASE("30.11 a layer of a tile each takes what its calls, loads and composites take") {
    // X, gate and up follow each other on the way in; the weights of down come while up is at work.
    constexpr std::int64_t kControl = 2000;
    constexpr std::int64_t kSetup = 4000;
    constexpr std::int64_t kWay = 10 + 2000 + 20;
    constexpr std::int64_t kBurst = 1000;  // of 256 B, on the link
    constexpr std::int64_t kDispatch = 1000;
    constexpr std::int64_t kMac = 16'000;
    constexpr std::int64_t kLeave = 8000 + 4000;  // fill, store
    constexpr std::int64_t kPass = 8000;          // of 1024 elements
    constexpr std::int64_t kVectorLatency = 4000;
    const auto fetch = [](std::int64_t bytes) { return bytes * 1000 / 512; };
    constexpr std::int64_t kWeights = kControl + kSetup + kWay + 8000 + 32'000 + (16 + 16) * kBurst + kWay;
    // Waits for X; composite.
    const std::int64_t gate =
        2 * kControl + kDispatch + fetch(2 * 32 * 64 * 2) + kMac + 6 * kPass + kVectorLatency + kLeave;
    // Load of down, wait for up, composite; the other factor is fetched, too.
    const std::int64_t up =
        3 * kControl + kDispatch + fetch((2 * 32 * 64 + 32 * 32) * 2) + kMac + kPass + kVectorLatency + kLeave;
    // Waits for down; composite of two outputs with half a tile along K; the last one's way to HBM.
    const std::int64_t down =
        2 * kControl + kDispatch + fetch(2 * 32 * 32 * 2) + 2 * kMac + kLeave + kSetup + 8 * kBurst + 2 * kWay;
    CHECK(run_mlp({32, 64, 32, 32, 64}, true, 1).time == Picoseconds{kWeights + gate + up + down});
    // Others have no part in it: eight PEs with as much each take as long.
    CHECK(run_mlp({8 * 32, 64, 32, 32, 64}, true, 8).time == Picoseconds{kWeights + gate + up + down});
  }

  TEST_CASE("30.11 a layer that does not fit in TCM says what does not; smaller blocks and panels do") {
    const MachineSpec machine = one_die({"pe.tcm.capacity=96 KiB"});
    const std::string full = failure_of([&] { (void)run_mlp({64, 128, 256, 64, 128}, true, 1, machine); });
    CHECK(full.find("pe.tcm.capacity") != std::string::npos);
    CHECK(run_mlp({64, 128, 256, 16, 64}, true, 1, machine).pes == expected_bytes({64, 128, 256, 16, 64}, true, 1));
  }
}

}  // namespace kernbench::mlp_test
