// One flow over a chain of routers: as if its links belonged to it alone (ADR-0004, clause 4.7).
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "tests/hw/network_fixture.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

constexpr Bytes kEndless = Bytes{1} << 40U;

Bandwidth any_bandwidth() { return {*rc::gen::inRange<std::int64_t>(1, 600) * 1'000'000'000}; }

/// Source, 1 to 5 routers, destination; and the same as links in a row, where a router's hop belongs to its link.
struct Chain {
  HandMadeNetwork made;
  std::vector<Link> links;
  std::int32_t source = 0;
  std::int32_t destination = 0;
  Picoseconds latency;
};

Chain any_chain() {
  Chain chain;
  chain.source = chain.made.endpoint();
  std::int32_t from = chain.source;
  const int routers = *rc::gen::inRange(1, 6);
  Picoseconds hop{};
  for (int i = 0; i <= routers; ++i) {
    const Picoseconds next_hop{*rc::gen::inRange<std::int64_t>(0, 5000)};
    const std::int32_t to = i < routers ? chain.made.router(next_hop) : chain.made.endpoint();
    const Bandwidth bandwidth = any_bandwidth();
    const Picoseconds latency{*rc::gen::inRange<std::int64_t>(0, 3000)};
    chain.made.link(from, to, bandwidth, latency, kEndless);
    chain.links.emplace_back("link", bandwidth, hop + latency);
    chain.latency += hop + latency;
    hop = next_hop;
    from = to;
  }
  chain.destination = from;
  return chain;
}

std::vector<Injection> any_flow(const Chain& chain) {
  std::vector<Injection> flow;
  Picoseconds told{};
  const int count = *rc::gen::inRange(1, 40);
  const std::int64_t gap = *rc::gen::element<std::int64_t>(1, 500, 5000);
  const Bytes most = *rc::gen::element<Bytes>(1, 257, 5000);
  for (int i = 0; i < count; ++i) {
    told += {*rc::gen::inRange<std::int64_t>(0, gap)};
    const Picoseconds head = told + Picoseconds{*rc::gen::inRange<std::int64_t>(0, 300)};
    const Picoseconds tail = head + Picoseconds{*rc::gen::inRange<std::int64_t>(0, 3000)};
    flow.push_back({chain.source, chain.destination, *rc::gen::inRange<Bytes>(1, most + 1), {head, tail}, told});
  }
  return flow;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.3 a flow that is alone takes the times of a chain of links") {
    CHECK(rc::check("same flights", [] {
      Chain chain = any_chain();
      const std::vector<Injection> flow = any_flow(chain);
      const Delivered delivered = deliver(chain.made, flow);
      for (std::size_t i = 0; i < flow.size(); ++i) {
        Flight expected = flow[i].ready;
        for (Link& link : chain.links) expected = link.carry(expected, flow[i].bytes);
        RC_ASSERT(delivered.flights[i].head == expected.head);
        RC_ASSERT(delivered.flights[i].tail == expected.tail);
      }
      // One wake-up a packet and router at most, one where it enters, and those that tell the network.
      const auto routers = static_cast<std::int64_t>(chain.links.size()) - 1;
      const auto packets = static_cast<std::int64_t>(flow.size());
      RC_ASSERT(delivered.wakeups <= packets * (routers + 1) + packets + 1);
      RC_ASSERT(delivered.waiting.empty());
    }));
  }
}
