// The bound of collectives whose buffers or message slots lie in HBM or SRAM, by hand.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "benches/workloads/collective/collective_case.hpp"
#include "benches/workloads/collective/rank_units.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

constexpr Bytes kMib = 1 << 20;

/// Of the first PEs of the committed machine with these keys.
struct Asked {
  Collective collective = Collective::kAllReduce;
  std::int64_t ranks = 8;
  Bytes bytes = kMib;
  std::vector<std::string> keys{};
};

void check(const Asked& asked, std::int64_t ns, const std::string& resource) {
  for (const std::string& key : asked.keys) CAPTURE(key);
  const CollectiveCase of_ring{.collective = asked.collective, .algorithm = "ring", .bytes = asked.bytes};
  const CollectiveBound bound = bound_of(of_ring, first_pes(milestone(asked.keys), asked.ranks));
  CHECK(bound.resource == resource);
  CHECK(bound.time == from_ns(ns));
}

}  // namespace

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.5 buffers in HBM: what is sent, added to and written passes the PE's ports and the partition") {
    // 8 ranks of 16 MiB, and the slots: each sends and takes 28 MiB, of which it adds 14. All of that comes into TCM.
    check({.bytes = 16 * kMib}, 286'720, "ejection");
    // And passes the partition, but for what its queues hold at the end: 8 channels, 32 bursts of 256 B.
    const std::vector<std::string> slow{"die.hbm.bandwidth=128 GB/s"};
    check({.bytes = 16 * kMib, .keys = slow}, 572'928, "hbm");        // (70 MiB - 64 KiB) at 128 GB/s
    check({.bytes = 15 * kMib, .keys = slow}, 107'520, "injection");  // in TCM
    // With 2 MiB of slots, 15 MiB do not fit there.
    check({.bytes = 15 * kMib, .keys = {slow[0], "pe.message_queue.slots=512"}}, 537'088, "hbm");
    // 16 MiB added to, and written, at the root.
    check({.collective = Collective::kReduce, .ranks = 2, .bytes = 16 * kMib, .keys = slow}, 261'632, "hbm");
    check({.collective = Collective::kBroadcast, .bytes = 16 * kMib, .keys = slow}, 228'864, "hbm");  // 28 MiB a rank
    // What a memory of another model takes is not said by keys; the ports are the same.
    check({.bytes = 16 * kMib, .keys = {slow[0], "die.hbm.model=tlm_simple"}}, 286'720, "ejection");
  }

  TEST_CASE("20.5 a memory that PEs share: all that the ranks of its die do, over its controllers") {
    const std::string two = "die.hbm.controllers=0,0 1,3";
    check({.bytes = 16 * kMib, .keys = {two}}, 1'146'624, "hbm");  // (560 MiB - 2 x 64 KiB) at 512 GB/s
    check({.bytes = 16 * kMib, .keys = {two, "die.hbm.bandwidth=1 TB/s"}}, 688'128, "hbm_links");  // 336 MiB are read
  }

  TEST_CASE("20.5 slots in other memories: all messages of a die pass its SRAM twice, those of a PE its partition") {
    check({.keys = {"pe.message_queue.tier=sram"}}, 229'376, "sram");  // 2 x 14 MiB at 128 GB/s
    check({.keys = {"pe.message_queue.tier=sram", "die.sram.bandwidth=1 TB/s"}}, 57'344, "sram_link");
    check({.ranks = 16, .bytes = kMib, .keys = {"pe.message_queue.tier=sram"}}, 245'760, "sram");  // of two dies
    check({.keys = {"pe.message_queue.tier=hbm"}}, 14'080, "hbm");                                 // 3.5 MiB - 64 KiB
  }

  TEST_CASE("20.5 all that is taken passes the vector unit, unless it is taken inline") {
    const std::string wide = "die.router.link_bandwidth=1 TB/s";
    check({.keys = {wide}}, 7168, "vector");  // 128 elements a ns
    check({.keys = {wide, "pe.message_queue.consumer=inline"}}, 3584, "injection");
  }

  TEST_CASE("20.5 a bound is told with keys of the machine file") {
    for (const char* resource : {"injection", "ejection", "vector", "hbm", "hbm_links", "sram", "sram_link",
                                 "package0.die3 out", "all dies in", "package0 in", "all packages out"}) {
      CAPTURE(resource);
      CHECK(!keys_of_bound(resource).empty());
      for (const std::string_view key : keys_of_bound(resource)) {
        const char* value = key == "pe.vector.lanes" ? "=64" : "=64 GB/s";
        CHECK_NOTHROW(static_cast<void>(milestone({std::string(key) + value})));
      }
    }
    CHECK(keys_of_bound("latency").empty());
  }
}
