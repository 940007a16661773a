// Values on their way: each packet's are read when it leaves and written when it lands, in whatever order packets come.
#include "sim/hw/values/cargo.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

constexpr Bytes kBurst = 32;

Picoseconds ns(std::int64_t time) { return from_ns(time); }

/// Two memories, and a calendar to move values by.
struct Bench {
  Calendar calendar{"calendar"};
  ValueClock clock{calendar};
  ValueStore from{"the source"};
  ValueStore to{"the target"};

  std::shared_ptr<Cargo> cargo(const std::vector<Block>& source, const std::vector<Block>& target) {
    return std::make_shared<Cargo>(clock, CargoEnd{&from, source}, CargoEnd{&to, target}, source, kBurst,
                                   "the transfer");
  }
  void at(Picoseconds time, std::function<void()> action) { clock.at(time, std::move(action)); }
};

std::vector<Packet> packets_of(const std::vector<Block>& blocks, std::int64_t most) {
  std::vector<Packet> packets;
  for (const Block& block : blocks) {
    PacketCursor cursor(block, kBurst, most);
    for (Packet packet; cursor.next(packet);) packets.push_back(packet);
  }
  return packets;
}

std::vector<Address> elements_of(const std::vector<Block>& blocks) {
  std::vector<Address> addresses;
  for (const Block& block : blocks) {
    for (std::int64_t row = 0; row < block.rows; ++row) {
      for (Bytes byte = 0; byte < block.row_bytes; byte += kElementBytes) {
        addresses.push_back(block.address + row * block.stride + byte);
      }
    }
  }
  return addresses;
}

/// The message of what a forked run throws; what it returns otherwise.
template <class Work>
std::string outcome(Work work) {
  try {
    return forked(work);
  } catch (const std::exception& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.19 every element arrives, at its place and nowhere else, in whatever order the packets come") {
    CHECK(rc::check("a strided block goes to another one", [] {
      const auto below = [](std::int64_t limit) { return *rc::gen::inRange<std::int64_t>(0, limit); };
      const std::int64_t rows = 1 + below(6);
      const Bytes width = 2 * (1 + below(40));
      const Block source{2 * below(50), rows, width, width + 2 * below(30)};
      const Block target{2 * below(50), rows, width, width + 2 * below(30)};
      std::vector<Packet> packets = packets_of({source}, 1 + below(4));
      for (std::size_t i = packets.size(); i > 1; --i) {
        std::swap(packets[i - 1], packets[static_cast<std::size_t>(below(static_cast<std::int64_t>(i)))]);
      }
      const std::string wrong = outcome([&] {
        Bench bench;
        for (const Address address : elements_of({source})) bench.from.set(address, static_cast<float>(address));
        const auto cargo = bench.cargo({source}, {target});
        Picoseconds time{};
        for (const Packet& packet : packets) {
          cargo->leaves(packet, time += ns(1));
          cargo->lands(packet, time + ns(7));
        }
        bench.calendar.run();
        const std::vector<Address> sources = elements_of({source});
        const std::vector<Address> targets = elements_of({target});
        for (std::size_t i = 0; i < sources.size(); ++i) {
          if (bench.to.get(targets[i]) != static_cast<float>(sources[i])) return "element " + std::to_string(i);
        }
        for (Address address = 0; address < 800; address += kElementBytes) {
          if (!std::isnan(bench.to.get(address)) && std::ranges::find(targets, address) == targets.end()) {
            return "byte " + std::to_string(address) + " was written";
          }
        }
        // Both ends are closed: nothing is in the way of whoever comes then.
        bench.from.open(source, true, "who comes next", time + ns(7));
        bench.to.open(target, true, "who comes next", time + ns(7));
        return std::string();
      });
      RC_ASSERT(wrong == "");
    }));
  }

  TEST_CASE("28.19 a packet carries what is there when it leaves, and is seen when it has landed") {
    CHECK(outcome([] {
            Bench bench;
            const Block block{0, 1, 2 * kBurst, 2 * kBurst};  // two packets
            for (const Address address : elements_of({block})) bench.from.set(address, 1.0F);
            const auto cargo = bench.cargo({block}, {block});
            std::string seen;
            const auto look = [&] {
              for (const Address address : {Address{0}, Address{kBurst}}) {
                const float value = bench.to.get(address);
                seen += std::isnan(value) ? "-" : std::to_string(static_cast<int>(value));
              }
              seen += " ";
            };
            cargo->leaves({0, 1}, ns(10));
            cargo->lands({0, 1}, ns(20));
            cargo->leaves({1, 1}, ns(11));
            cargo->lands({1, 1}, ns(30));
            // Set behind the store's back, as no machine does: after the first has left, before the second does.
            bench.at(ns(10) + Picoseconds{1}, [&] {
              bench.from.set(0, 2.0F);
              bench.from.set(kBurst, 2.0F);
            });
            bench.at(ns(20) - Picoseconds{1}, look);
            bench.at(ns(20) + Picoseconds{1}, look);
            bench.at(ns(30) + Picoseconds{1}, look);
            bench.calendar.run();
            return seen;
          }) == "-- 1- 12 ");
  }

  TEST_CASE("28.19 28.21 a transfer is at work on both ends from its start until its last packet has left, or landed") {
    const auto writes_at = [](bool at_source, std::int64_t time) {
      return outcome([&] {
        Bench bench;
        const Block block{0, 1, 2 * kBurst, 2 * kBurst};
        const auto cargo = bench.cargo({block}, {block});
        cargo->leaves({0, 1}, ns(10));
        cargo->lands({0, 1}, ns(20));
        cargo->leaves({1, 1}, ns(11));
        cargo->lands({1, 1}, ns(30));
        ValueStore& store = at_source ? bench.from : bench.to;
        bench.at(ns(time), [&] { store.touch({0, 1, 2, 2}, true, "another", bench.clock.now(), 0); });
        bench.calendar.run();
        return std::string();
      });
    };
    // The first element has left at 10 ns, but the transfer as a whole at 11.
    CHECK(
        writes_at(true, 10) ==
        "race in the source: at 10 ns another writes bytes 0 to 1, while the transfer reads bytes 0 to 63 since 0 ps; "
        "nothing orders the two: wait for one before the other, or use another buffer");
    CHECK(writes_at(true, 11).empty());
    CHECK(writes_at(false, 29).find("race in the target: at 29 ns another writes bytes 0 to 1, while the transfer "
                                    "writes bytes 0 to 63 since 0 ps") == 0);
    CHECK(writes_at(false, 30).empty());
  }
}
