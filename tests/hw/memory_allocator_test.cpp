// Who has which bytes of a memory.
#include "sim/hw/memory/memory_allocator.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

constexpr Bytes kCapacity = 64;

/// A memory as a row of bytes, each of somebody or free.
class Memory {
 public:
  /// The first place, or nothing.
  [[nodiscard]] std::optional<Address> first_fit(Bytes bytes, Bytes alignment) const {
    for (Address at = 0; at + bytes <= kCapacity; at += alignment) {
      if (std::all_of(taken_.begin() + at, taken_.begin() + at + bytes, [](bool taken) { return !taken; })) return at;
    }
    return {};
  }
  void set(Address at, Bytes bytes, bool taken) { std::fill_n(taken_.begin() + at, bytes, taken); }
  [[nodiscard]] Bytes in_use() const { return std::ranges::count(taken_, true); }

 private:
  std::vector<bool> taken_ = std::vector<bool>(kCapacity);
};

struct Held {
  Address at = 0;
  Bytes bytes = 0;
};

}  // namespace

TEST_SUITE("ADR-0028") {
  TEST_CASE("28.12 what is allocated lies at the lowest aligned place that is free, and never on anything else") {
    CHECK(rc::check("against a row of bytes", [] {
      MemoryAllocator memory("the TCM", "pe.tcm.capacity", kCapacity);
      Memory row;
      std::vector<Held> held;
      const auto below = [](std::int64_t limit) { return *rc::gen::inRange<std::int64_t>(0, limit); };
      for (int step = 0; step < 40; ++step) {
        if (!held.empty() && below(3) == 0) {
          const auto which = held.begin() + below(static_cast<std::int64_t>(held.size()));
          memory.release(which->at);
          row.set(which->at, which->bytes, false);
          held.erase(which);
        } else {
          const Bytes bytes = 1 + below(24);
          const Bytes alignment = Bytes{1} << below(5);
          const std::optional<Address> place = row.first_fit(bytes, alignment);
          std::optional<Address> got;
          const std::string refusal = error_of([&] { got = memory.allocate(bytes, "a matrix", alignment); });
          RC_ASSERT(got == place);
          RC_ASSERT(refusal.empty() == place.has_value());
          if (place) {
            row.set(*place, bytes, true);
            held.push_back({*place, bytes});
          }
        }
        RC_ASSERT(memory.in_use() == row.in_use());
      }
    }));
  }

  TEST_CASE("28.12 what has no bytes takes none, and giving it back gives nobody else's back") {
    MemoryAllocator memory("the TCM", "pe.tcm.capacity", kCapacity);
    CHECK(memory.allocate(0, "nothing") == 0);
    CHECK(memory.in_use() == 0);
    CHECK(memory.allocate(kCapacity, "all") == 0);
    CHECK(memory.holds(8, kCapacity - 8));
    CHECK_FALSE(memory.holds(8, kCapacity));
    CHECK_FALSE(memory.release(8));  // nobody's
    CHECK(memory.in_use() == kCapacity);
    CHECK(memory.release(0));
    CHECK_FALSE(memory.release(0));
    CHECK_FALSE(memory.holds(0, 1));
    CHECK(memory.in_use() == 0);
  }

  TEST_CASE("28.12 who finds no room is told what it needs, what is in use, and by whom") {
    MemoryAllocator memory("the TCM of pe0", "pe.tcm.capacity", kCapacity);
    static_cast<void>(memory.allocate(20, "a loaded matrix"));
    static_cast<void>(memory.allocate(16, "a kernel's buffer", 32));
    CHECK(error_of([&] { static_cast<void>(memory.allocate(17, "another matrix")); }) ==
          "the TCM of pe0 has no room for another matrix, 17 bytes: of 64 (pe.tcm.capacity) 36 are in use: "
          "a loaded matrix 20, a kernel's buffer 16");
    CHECK(memory.allocate(16, "what fits") == 48);
    CHECK(error_of([&] {
            static_cast<void>(memory.allocate(65, "a matrix", 1));
          }).find("has no room for a matrix, 65 bytes") != std::string::npos);
    // Who has many places is named once, with the sum.
    MemoryAllocator shared("the TCM of pe0", "pe.tcm.capacity", kCapacity);
    for (const char* user : {"a buffer", "a slot", "a buffer"}) static_cast<void>(shared.allocate(20, user));
    CHECK(error_of([&] { static_cast<void>(shared.allocate(20, "a slot")); }) ==
          "the TCM of pe0 has no room for a slot, 20 bytes: of 64 (pe.tcm.capacity) 60 are in use: a buffer 40, a slot "
          "20");
    MemoryAllocator empty("the TCM of pe0", "pe.tcm.capacity", kCapacity);
    CHECK(error_of([&] { static_cast<void>(empty.allocate(65, "a matrix")); }) ==
          "the TCM of pe0 has no room for a matrix, 65 bytes: of 64 (pe.tcm.capacity) 0 are in use");
  }
}
