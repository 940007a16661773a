// Pseudo-channels: edges of their service, and any traffic beside one that is served burst by burst.
#include "sim/hw/memory/pseudo_channels.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/hw/memory/direct_route.hpp"
#include "sim/hw/memory/hbm_controller.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

/// 8 channels on which a burst takes 8 ns.
HbmSpec hbm(Picoseconds turnaround = {}) {
  return {{256'000'000'000}, 8, 256, from_ns(32), turnaround, Bytes{1} << 30U};
}

/// End of a burst that reaches a channel, busy with a read until 8 ns, at `arrival`.
Picoseconds second_end(Access second, Picoseconds arrival, Picoseconds turnaround) {
  PseudoChannels channels(hbm(turnaround));
  CHECK(channels.serve({0, 1}, Access::kRead, {}) == from_ns(8));
  return channels.serve({8, 1}, second, arrival);
}

class Client : public MemoryClient {
 public:
  void read_arrived(const MemoryAccess& /*access*/, Flight flight) override { done_ = flight.tail; }
  void written(const MemoryAccess& /*access*/, Picoseconds at) override { done_ = at; }
  [[nodiscard]] std::string text() const { return std::to_string(done_.value); }

 private:
  Picoseconds done_;
};

/// When a read and a write of one channel are done, which were announced in the order write, read.
std::string read_and_write(Picoseconds read_arrival, Picoseconds write_arrival) {
  return forked([&] {
    Calendar calendar("calendar");
    HbmController controller("hbm", calendar, hbm());
    DirectRoute route(controller, Path(), Path(), {});
    Client reader;
    Client writer;
    controller.write({{0, 1}, 256, true, &writer, &route}, {write_arrival, write_arrival});
    controller.read({{0, 1}, 256, true, &reader, &route}, read_arrival);
    calendar.run();
    return "read " + reader.text() + ", write " + writer.text();
  });
}

struct Request {
  Packet packet;
  Access access = Access::kRead;
  Picoseconds arrival;
};

/// Serves one burst after the other, each as a packet of its own.
class BurstByBurst {
 public:
  explicit BurstByBurst(const HbmSpec& spec) : spec_(spec), free_(8), last_(8), used_(8) {}

  Picoseconds serve(const Request& request) {
    Picoseconds end{};
    for (std::int64_t b = request.packet.first_burst; b < request.packet.first_burst + request.packet.bursts; ++b) {
      const auto channel = static_cast<std::size_t>(b % 8);
      Picoseconds& free = free_[channel];
      if (used_[channel] && last_[channel] != request.access) free += spec_.turnaround;
      free = std::max(free, request.arrival) + from_ns(8);
      last_[channel] = request.access;
      used_[channel] = true;
      end = std::max(end, free);
    }
    return end;
  }

 private:
  HbmSpec spec_;
  std::vector<Picoseconds> free_;
  std::vector<Access> last_;
  std::vector<bool> used_;
};

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.5 a burst waits for its channel: one picosecond before it is free, at that instant, one after") {
    CHECK(second_end(Access::kRead, {7999}, {}) == Picoseconds{16000});
    CHECK(second_end(Access::kRead, {8000}, {}) == Picoseconds{16000});
    CHECK(second_end(Access::kRead, {8001}, {}) == Picoseconds{16001});
    PseudoChannels channels(hbm());
    CHECK(channels.serve({0, 1}, Access::kRead, {}) == from_ns(8));
    CHECK(channels.serve({1, 1}, Access::kRead, {}) == from_ns(8));  // another channel is free
  }

  TEST_CASE(
      "4.5 a change between reads and writes costs the turn-around after the last service, a first service none") {
    CHECK(second_end(Access::kRead, {0}, from_ns(5)) == from_ns(16));
    CHECK(second_end(Access::kWrite, {0}, from_ns(5)) == from_ns(21));
    CHECK(second_end(Access::kWrite, {12999}, from_ns(5)) == Picoseconds{21000});
    CHECK(second_end(Access::kWrite, {13000}, from_ns(5)) == Picoseconds{21000});
    CHECK(second_end(Access::kWrite, {13001}, from_ns(5)) == Picoseconds{21001});
    CHECK(PseudoChannels(hbm(from_ns(5))).serve({0, 1}, Access::kWrite, {}) == from_ns(8));
  }

  TEST_CASE("4.5 channels serve in the order of arrival, and at one instant reads before writes") {
    // A read is ready 32 ns after its service, a write acknowledged 2 ns after.
    CHECK(read_and_write({10'000}, {10'000}) == "read 50000, write 26000");
    CHECK(read_and_write({10'001}, {10'000}) == "read 58000, write 18000");
    CHECK(read_and_write({9'999}, {10'000}) == "read 49999, write 25999");
  }

  TEST_CASE("4.6 a packet takes its channels from its first burst on, round and round") {
    PseudoChannels channels(hbm());
    CHECK(channels.serve({6, 10}, Access::kRead, {}) == from_ns(16));  // channels 6 and 7 have two bursts
    CHECK(channels.serve({8, 6}, Access::kRead, {}) == from_ns(16));   // the others one
    CHECK(channels.serve({14, 1}, Access::kRead, {}) == from_ns(24));
    CHECK(channels.busy() == 17 * from_ns(8));
  }

  TEST_CASE("4.5 4.6 any traffic is served as if burst by burst") {
    CHECK(rc::check("burst by burst", [] {
      const HbmSpec spec = hbm({*rc::gen::inRange<std::int64_t>(0, 6000)});
      PseudoChannels channels(spec);
      BurstByBurst expected(spec);
      Picoseconds now{};
      for (int i = 0; i < 30; ++i) {
        now += {*rc::gen::inRange<std::int64_t>(0, 20'000)};
        const Request request{{*rc::gen::inRange<std::int64_t>(0, 40), *rc::gen::inRange<std::int64_t>(1, 30)},
                              *rc::gen::element(Access::kRead, Access::kWrite),
                              now};
        RC_ASSERT(channels.serve(request.packet, request.access, now).value == expected.serve(request).value);
      }
    }));
  }
}
