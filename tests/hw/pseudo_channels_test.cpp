// Pseudo-channels: edges of their service, and any traffic beside one that is served burst by burst.
#include "sim/hw/memory/pseudo_channels.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sim/hw/memory/direct_route.hpp"
#include "sim/hw/memory/hbm_controller.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

/// 8 channels on which a burst takes 8 ns.
HbmSpec hbm(Picoseconds turnaround = {}, std::int64_t batch = 4, std::int64_t queue = 6) {
  return {{256'000'000'000}, 8, 256, from_ns(32), turnaround, Bytes{1} << 30U, batch, queue};
}

constexpr Packet kFirst{0, 1};  // a burst of channel 0

/// End of a read of channel 0 that comes at `arrival`, after a write taken in at 0 and what `before` does.
template <class Before>
Picoseconds read_end(PseudoChannels& channels, Picoseconds arrival, Before before) {
  channels.write(kFirst, {});
  before(channels);
  return channels.read(kFirst, arrival);
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

/// The words of 4.15 and 4.16, burst by burst and picosecond by picosecond, for one channel.
class ByTheClock {
 public:
  explicit ByTheClock(const HbmSpec& spec) : spec_(spec) {}

  /// What a free channel does with the writes that wait, at every instant before `end`.
  void pass_until(std::int64_t end) {
    for (; now_ < end; ++now_) {
      if (waiting_ > 0 && may_begin(Access::kWrite)) put(Access::kWrite);
    }
  }
  std::int64_t read(std::int64_t bursts) {
    for (; bursts > 0; --bursts) put(Access::kRead);
    return free_at_;
  }
  [[nodiscard]] std::int64_t held() const {
    return waiting_ + std::count_if(ends_.begin(), ends_.end(), [this](std::int64_t end) { return end > now_; });
  }
  void take(std::int64_t bursts) {
    waiting_ += bursts;
    if (waiting_ < spec_.write_batch) return;
    while (waiting_ > 0) put(Access::kWrite);
  }
  /// Picoseconds before now in which it was at work.
  [[nodiscard]] std::int64_t busy() const {
    const std::int64_t burst = spec_.burst_time().value;
    std::int64_t busy = 0;
    for (const std::int64_t end : bursts_) busy += std::clamp<std::int64_t>(now_ - (end - burst), 0, burst);
    return busy;
  }

 private:
  [[nodiscard]] std::int64_t free_for(Access access) const {
    return used_ && last_ != access ? free_at_ + spec_.turnaround.value : free_at_;
  }
  [[nodiscard]] bool may_begin(Access access) const { return now_ >= free_for(access); }
  void put(Access access) {
    free_at_ = std::max(now_, free_for(access)) + spec_.burst_time().value;
    last_ = access;
    used_ = true;
    bursts_.push_back(free_at_);
    if (access == Access::kRead) return;
    ends_.push_back(free_at_);
    --waiting_;
  }

  HbmSpec spec_;
  std::int64_t now_ = 0;
  std::int64_t free_at_ = 0;
  Access last_ = Access::kRead;
  bool used_ = false;
  std::int64_t waiting_ = 0;
  std::vector<std::int64_t> ends_;    // of writes
  std::vector<std::int64_t> bursts_;  // the ends of all
};

}  // namespace

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.5 a burst waits for its channel: one picosecond before it is free, at that instant, one after") {
    const auto second = [](Picoseconds arrival) {
      PseudoChannels channels(hbm());
      CHECK(channels.read(kFirst, {}) == from_ns(8));
      return channels.read({8, 1}, arrival);
    };
    CHECK(second({7999}) == Picoseconds{16000});
    CHECK(second({8000}) == Picoseconds{16000});
    CHECK(second({8001}) == Picoseconds{16001});
    PseudoChannels channels(hbm());
    CHECK(channels.read(kFirst, {}) == from_ns(8));
    CHECK(channels.read({1, 1}, {}) == from_ns(8));  // another channel is free
  }

  TEST_CASE("4.5 a read right after a write waits for the turn-around, a first service does not") {
    const auto end = [](Picoseconds arrival) {
      PseudoChannels channels(hbm(from_ns(5)));
      return read_end(channels, arrival, [](PseudoChannels&) {});
    };
    CHECK(PseudoChannels(hbm(from_ns(5))).read(kFirst, {}) == from_ns(8));
    CHECK(end({1}) == from_ns(8 + 5 + 8));  // the write began at 0, on a channel that was idle
    CHECK(end({13'000}) == from_ns(21));
    CHECK(end({13'001}) == Picoseconds{21'001});
  }

  TEST_CASE("4.15 a write waits until its channel has been idle for a turn-around, and goes on without another") {
    // A read until 8 ns, two writes taken in at 2 ns: they may begin at 13 and 21 ns.
    const auto next_read = [](Picoseconds arrival) {
      PseudoChannels channels(hbm(from_ns(5)));
      CHECK(channels.read(kFirst, {}) == from_ns(8));
      channels.write(kFirst, from_ns(2));
      channels.write(kFirst, from_ns(2));
      return channels.read(kFirst, arrival);
    };
    CHECK(next_read({8'000}) == from_ns(16));
    CHECK(next_read({12'999}) == Picoseconds{20'999});
    CHECK(next_read({13'000}) == from_ns(21));              // at that instant the read comes first
    CHECK(next_read({13'001}) == from_ns(13 + 8 + 5 + 8));  // one write was begun
    CHECK(next_read({21'000}) == from_ns(13 + 8 + 5 + 8));
    CHECK(next_read({21'001}) == from_ns(13 + 16 + 5 + 8));  // and the other
  }

  TEST_CASE("4.15 a batch goes ahead of the reads that come after it, behind those before it") {
    const auto fifth = [](std::int64_t writes) {
      PseudoChannels channels(hbm(from_ns(5), 4));
      channels.read({0, 24}, {});  // three bursts a channel: until 24 ns
      for (std::int64_t i = 0; i < writes; ++i) channels.write(kFirst, from_ns(1));
      return channels.read(kFirst, from_ns(1));
    };
    CHECK(fifth(3) == from_ns(32));
    CHECK(fifth(4) == from_ns(24 + 5 + 4 * 8 + 5 + 8));
  }

  TEST_CASE("4.16 a write is taken in as soon as its channels hold fewer bursts than their queues") {
    PseudoChannels channels(hbm(from_ns(5), 4, 6));
    for (int i = 0; i < 6; ++i) {
      CHECK(channels.room_at(kFirst, from_ns(1)) == from_ns(1));
      channels.write(kFirst, from_ns(1));
    }
    // The first began at once, the others follow: it is over at 9 ns.
    CHECK(channels.room_at(kFirst, from_ns(1)) == from_ns(9));
    CHECK(channels.room_at(kFirst, {8'999}) == from_ns(9));
    CHECK(channels.room_at({1, 1}, from_ns(1)) == from_ns(1));
    CHECK(channels.room_at({1, 8}, from_ns(1)) == from_ns(9));
    CHECK(channels.room_at(kFirst, from_ns(9)) == from_ns(9));
    channels.write(kFirst, from_ns(9));
    CHECK(channels.room_at(kFirst, from_ns(9)) == from_ns(17));
  }

  TEST_CASE("4.17 at one instant a read comes before a write, whatever was announced first") {
    // A read is ready 32 ns after its service, a write acknowledged when it is taken in.
    CHECK(read_and_write({10'000}, {10'000}) == "read 50000, write 10000");
    CHECK(read_and_write({10'001}, {10'000}) == "read 58000, write 10000");
    CHECK(read_and_write({9'999}, {10'000}) == "read 49999, write 10000");
  }

  TEST_CASE("4.17 of reads of one instant that of the lower node comes first, then that issued first") {
    CHECK(forked([] {
            Calendar calendar("calendar");
            HbmController controller("hbm", calendar, hbm());
            DirectRoute route(controller, Path(), Path(), {});
            std::array<Client, 4> clients;
            const std::array<std::int32_t, 4> nodes{7, 3, 7, 5};
            for (std::size_t i = 0; i < nodes.size(); ++i) {
              controller.read({kFirst, 256, true, &clients.at(i), &route, nullptr, nodes.at(i)}, from_ns(1));
            }
            calendar.run();
            std::string text;
            for (const Client& client : clients) text += client.text() + " ";
            return text;
          }) == "57000 41000 65000 49000 ");
  }

  TEST_CASE("4.16 a write that finds no room holds up those behind it, and no read") {
    CHECK(forked([] {
            Calendar calendar("calendar");
            HbmController controller("hbm", calendar, hbm({}, 2, 2));
            DirectRoute route(controller, Path(), Path(), {});
            std::array<Client, 5> clients;
            const auto write = [&](std::size_t i, std::int64_t burst) {
              controller.write({{burst, 1}, 256, true, &clients.at(i), &route}, {from_ns(1), from_ns(1)});
            };
            write(0, 0);
            write(1, 0);
            write(2, 0);  // channel 0 holds two until 9 ns
            write(3, 1);  // channel 1 is empty, but it is behind
            controller.read({{2, 1}, 256, true, &clients.at(4), &route}, from_ns(2));
            calendar.run();
            std::string text;
            for (const Client& client : clients) text += client.text() + " ";
            return text;
          }) == "1000 1000 9000 9000 42000 ");
  }

  TEST_CASE("4.6 a packet takes its channels from its first burst on, round and round") {
    PseudoChannels channels(hbm());
    CHECK(channels.read({6, 10}, {}) == from_ns(16));  // channels 6 and 7 have two bursts
    CHECK(channels.read({8, 6}, {}) == from_ns(16));   // the others one
    CHECK(channels.read({14, 1}, {}) == from_ns(24));
    CHECK(channels.bursts() == 17);
  }

  TEST_CASE("4.5 4.15 4.16 any traffic on a channel is as by the clock") {
    CHECK(rc::check("by the clock", [] {
      HbmSpec spec = hbm({*rc::gen::inRange<std::int64_t>(0, 40)}, *rc::gen::inRange(1, 6));
      spec.pseudo_channels = 1;
      spec.bandwidth = {32'000'000'000'000};  // 8 ps a burst, so that a clock of a picosecond goes far
      spec.write_queue = spec.write_batch + *rc::gen::inRange(0, 4);
      PseudoChannels channels(spec);
      ByTheClock expected(spec);
      std::int64_t now = 0;
      std::int64_t read_end = 0;
      for (int i = 0; i < 60; ++i) {
        now += *rc::gen::element<std::int64_t>(0, 0, 1, 3, 8, 16, 30) + *rc::gen::inRange(0, 3);
        expected.pass_until(now);
        const auto bursts = *rc::gen::inRange<std::int64_t>(1, 4);
        const Packet packet{0, bursts};
        if (*rc::gen::arbitrary<bool>()) {
          read_end = expected.read(bursts);
          RC_ASSERT(channels.read(packet, {now}).value == read_end);
          continue;
        }
        const std::int64_t room = channels.room_at(packet, {now}).value;
        for (; now < room; ++now, expected.pass_until(now)) RC_ASSERT(expected.held() >= spec.write_queue);
        RC_ASSERT(expected.held() < spec.write_queue);
        channels.write(packet, {now});
        expected.take(bursts);
      }
      const std::int64_t end = std::max(now, read_end) + *rc::gen::inRange(0, 60);
      expected.pass_until(end);
      RC_ASSERT(channels.busy_ns({end}) == static_cast<double>(expected.busy()) / 1000);
    }));
  }
}
