// Any traffic in any small network: the same flights as the rules followed picosecond by picosecond.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <tuple>

#include "tests/hw/network_fixture.hpp"
#include "tests/hw/network_reference.hpp"

using namespace kernbench;
using namespace kernbench::testing;

namespace {

std::int64_t any_of(std::int64_t least, std::int64_t most) { return *rc::gen::inRange(least, most + 1); }

/// 1 to 8 ps a byte.
Bandwidth any_speed() { return {1'000'000'000'000 / any_of(1, 8)}; }

/// Up to 5 routers, connected as a tree and by some more links (rings among them), with 1 to 3 endpoints each.
HandMadeNetwork any_network() {
  HandMadeNetwork made(any_of(1, 3));
  const auto routers = static_cast<std::int32_t>(any_of(1, 5));
  const auto connect = [&](std::int32_t a, std::int32_t b) {
    made.link(a, b, any_speed(), {any_of(0, 6)}, any_of(1, 30));
    made.link(b, a, any_speed(), {any_of(0, 6)}, any_of(1, 30));
  };
  for (std::int32_t i = 0; i < routers; ++i) {
    made.router({any_of(1, 6)});
    if (i > 0) connect(i, static_cast<std::int32_t>(any_of(0, i - 1)));
  }
  for (std::int64_t more = any_of(0, 3); more > 0 && routers > 1; --more) {
    const auto a = static_cast<std::int32_t>(any_of(0, routers - 2));
    connect(a, static_cast<std::int32_t>(any_of(a + 1, routers - 1)));
  }
  for (std::int32_t i = 0; i < routers; ++i) {
    for (std::int64_t endpoints = any_of(1, 3); endpoints > 0; --endpoints) connect(made.endpoint(), i);
  }
  return made;
}

/// 5 routers in a ring, each with an endpoint; one virtual channel. `hop` and `speed` are asked for each.
template <typename Hop, typename Speed>
HandMadeNetwork full_ring(Hop hop, Speed speed) {
  HandMadeNetwork made(1);
  constexpr std::int32_t kRouters = 5;
  for (std::int32_t i = 0; i < kRouters; ++i) made.router({hop()});
  const auto connect = [&](std::int32_t a, std::int32_t b) {
    const Bandwidth bandwidth = speed();
    made.link(a, b, bandwidth, {2}, 1);
    made.link(b, a, bandwidth, {2}, 1);
  };
  for (std::int32_t i = 0; i < kRouters; ++i) connect(i, (i + 1) % kRouters);
  for (std::int32_t i = 0; i < kRouters; ++i) connect(made.endpoint(), i);
  return made;
}

std::vector<std::int32_t> endpoints_of(const HandMadeNetwork& made) {
  std::vector<std::int32_t> endpoints;
  for (std::size_t i = 0; i < made.plan.nodes.size(); ++i) {
    if (made.plan.nodes[i].kind == NodeKind::kPe) endpoints.push_back(static_cast<std::int32_t>(i));
  }
  return endpoints;
}

/// Everybody sends to the second next at once: each link's buffer fills with packets that want the next link.
std::vector<Injection> ring_traffic(const HandMadeNetwork& made, Bytes bytes) {
  const std::vector<std::int32_t> endpoints = endpoints_of(made);
  std::vector<Injection> traffic;
  for (std::size_t packet = 0; packet < 6; ++packet) {
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
      traffic.push_back(
          {endpoints[i], endpoints[(i + 2) % endpoints.size()], bytes, {{0}, {0}}, {0}, VirtualNetwork::kData});
    }
  }
  return traffic;
}

/// One in four is a credit.
VirtualNetwork any_network_of() { return any_of(0, 3) == 0 ? VirtualNetwork::kCredits : VirtualNetwork::kData; }

std::vector<Injection> any_traffic(const HandMadeNetwork& made) {
  const std::vector<std::int32_t> endpoints = endpoints_of(made);
  const auto endpoint = [&] { return endpoints[static_cast<std::size_t>(any_of(0, std::ssize(endpoints) - 1))]; };
  std::vector<Injection> traffic;
  std::int64_t told = 0;
  const std::int64_t gap = any_of(0, 12);
  const Bytes most = any_of(1, 12);
  for (std::int64_t packets = any_of(1, 60); packets > 0; --packets) {
    told += any_of(0, gap);
    const std::int64_t head = told + any_of(0, 10);
    traffic.push_back(
        {endpoint(), endpoint(), any_of(1, most), {{head}, {head + any_of(0, 20)}}, {told}, any_network_of()});
  }
  return traffic;
}

/// Some packets go to several endpoints, but for their own.
void to_several(std::vector<Injection>& traffic, const std::vector<std::int32_t>& endpoints) {
  for (Injection& packet : traffic) {
    if (packet.network == VirtualNetwork::kCredits || any_of(0, 1) == 0) continue;
    for (const std::int32_t other : endpoints) {
      if (other != packet.source && other != packet.destination && any_of(0, 1) == 0) packet.also.push_back(other);
    }
  }
}

/// Whether all packets arrive; by the network as by the rules. `holds(is_so, what)` tells a difference.
template <typename Holds>
bool delivers_all(const HandMadeNetwork& made, const std::vector<Injection>& traffic, Holds holds) {
  const Delivered delivered = deliver(made, traffic);
  const std::vector<Flight> expected = run_network_reference(made, traffic, 20'000);
  const std::vector<Arrival> arrivals = arrivals_of(traffic);
  bool complete = true;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    holds(delivered.flights[i].head == expected[i].head, "heads");
    holds(delivered.flights[i].tail == expected[i].tail, "tails");
    complete = complete && expected[i].tail.value >= 0;
  }
  holds(delivered.waiting.empty() == complete, "who waits for ever");

  // Packets of one source, destination and virtual network keep their order; calls for one destination come in
  // order of arrival.
  std::map<std::tuple<std::int32_t, std::int32_t, VirtualNetwork>, Picoseconds> last;
  for (std::size_t i = 0; i < traffic.size() && complete; ++i) {
    if (!traffic[i].also.empty()) continue;  // in the virtual channel of the first
    Picoseconds& before = last[{traffic[i].source, traffic[i].destination, traffic[i].network}];
    holds(expected[i].head >= before, "order of one source's packets");
    before = expected[i].head;
  }
  std::map<std::int32_t, Picoseconds> at;
  for (const std::uint64_t one : delivered.order) {
    holds(expected[one].tail >= at[arrivals[one].at], "order of arrival");
    at[arrivals[one].at] = expected[one].tail;
  }
  return complete;
}

}  // namespace

TEST_SUITE("ADR-0017") {
  TEST_CASE("17.9 any traffic takes the times of the rules followed picosecond by picosecond") {
    const auto in_property = [](bool is_so, const char* what) {
      if (!is_so) RC_FAIL(what);
    };
    CHECK(rc::check("same flights, same deadlocks", [&] {
      const HandMadeNetwork made = any_network();
      delivers_all(made, any_traffic(made), in_property);
    }));
    CHECK(rc::check("rings that fill up", [&] {
      const HandMadeNetwork made = full_ring([] { return Picoseconds{any_of(1, 6)}; }, any_speed);
      delivers_all(made, ring_traffic(made, any_of(1, 4)), in_property);
    }));
  }

  TEST_CASE(
      "17.9 a ring whose buffers fill up is stuck as by the rules, and with one packet of each endpoint it is not") {
    const auto in_case = [](bool is_so, const char* what) { CHECK_MESSAGE(is_so, what); };
    const auto hop = [] { return Picoseconds{1}; };
    const auto speed = [] { return Bandwidth{1'000'000'000'000}; };
    const HandMadeNetwork made = full_ring(hop, speed);
    std::vector<Injection> traffic = ring_traffic(made, 1);
    CHECK_FALSE(delivers_all(made, traffic, in_case));
    traffic.resize(traffic.size() / 6);  // one packet of each
    CHECK(delivers_all(made, traffic, in_case));
  }
}

TEST_SUITE("ADR-0065") {
  TEST_CASE("65.5 packets with several receivers take the times of the rules followed picosecond by picosecond") {
    CHECK(rc::check("same flights, same deadlocks", [&] {
      const HandMadeNetwork made = any_network();
      std::vector<Injection> traffic = any_traffic(made);
      to_several(traffic, endpoints_of(made));
      delivers_all(made, traffic, [](bool is_so, const char* what) {
        if (!is_so) RC_FAIL(what);
      });
    }));
  }

  TEST_CASE("65.6 without circles of links packets with several receivers all arrive, whatever room buffers have") {
    CHECK(rc::check("a row of routers", [&] {
      HandMadeNetwork made(any_of(1, 2));
      for (std::int32_t i = 0; i < 4; ++i) made.router({any_of(1, 6)});
      const auto connect = [&](std::int32_t a, std::int32_t b) {
        made.link(a, b, any_speed(), {any_of(0, 6)}, 1);
        made.link(b, a, any_speed(), {any_of(0, 6)}, 1);
      };
      for (std::int32_t i = 0; i < 3; ++i) connect(i, i + 1);
      for (std::int32_t i = 0; i < 4; ++i) connect(made.endpoint(), i);
      std::vector<Injection> traffic = any_traffic(made);
      to_several(traffic, endpoints_of(made));
      RC_ASSERT(deliver(made, traffic).order.size() == arrivals_of(traffic).size());
    }));
  }
}
