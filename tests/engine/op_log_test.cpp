// Stage totals harvested record by record against brute force over all records.
#include "sim/engine/op_log.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace kernbench;

namespace {

/// Records whose starts do not go back: each starts `gap` after the one before it.
rc::Gen<std::vector<OpRecord>> records() {
  const auto record = rc::gen::build<OpRecord>(
      rc::gen::set(&OpRecord::start, rc::gen::construct<Picoseconds>(rc::gen::inRange<std::int64_t>(0, 6))),
      rc::gen::set(&OpRecord::end, rc::gen::construct<Picoseconds>(rc::gen::inRange<std::int64_t>(0, 10))),
      rc::gen::set(&OpRecord::bytes, rc::gen::inRange<Bytes>(0, 5000)),
      rc::gen::set(&OpRecord::macs, rc::gen::inRange<std::int64_t>(0, 70'000)),
      rc::gen::set(&OpRecord::composite, rc::gen::inRange(-1, 3)));
  return rc::gen::map(rc::gen::container<std::vector<OpRecord>>(record), [](std::vector<OpRecord> all) {
    Picoseconds start{};
    for (OpRecord& op : all) {  // the generator's gaps and lengths become times
      start += op.start;
      op.start = start;
      op.end += start;
    }
    return all;
  });
}

/// Picoseconds that at least one record covers.
std::int64_t covered(const std::vector<OpRecord>& all) {
  std::set<std::int64_t> instants;
  for (const OpRecord& op : all) {
    for (std::int64_t t = op.start.value; t < op.end.value; ++t) instants.insert(t);
  }
  return static_cast<std::int64_t>(instants.size());
}

struct Listing : OpSink {
  std::string text;
  void record(std::string_view engine, const Stage& stage, const OpRecord& op) override {
    text += std::string(engine) + " " + std::string(stage.name);
    for (const std::int64_t value :
         {op.start.value, op.end.value, op.bytes, op.macs, op.tile, static_cast<std::int64_t>(op.composite)}) {
      text += " " + std::to_string(value);
    }
    text += "\n";
  }
};

}  // namespace

TEST_SUITE("ADR-0008") {
  TEST_CASE("8.1 a sink receives every record whole, with its engine and stage") {
    Listing listing;
    OpLog log(&listing);
    OpChannel& mac = log.open("pe0.mac", {"mac"});
    OpChannel& load = log.open("pe0.dma_in", {"load"});
    load.record({{5}, {9}, 4096});
    mac.record({{7}, {23}, 0, 65'536, 2, 1});
    CHECK(listing.text == "pe0.dma_in load 5 9 4096 0 -1 -1\npe0.mac mac 7 23 0 65536 2 1\n");
  }

  TEST_CASE("8.2 the wall-clock is the length of the union of the records' intervals") {
    CHECK(rc::check("against counting instants", [] {
      const auto all = *records();
      OpChannel channel("engine", {"mac"});
      std::vector<OpRecord> so_far;
      RC_ASSERT(channel.wall() == Picoseconds{});
      for (const OpRecord& op : all) {
        channel.record(op);
        so_far.push_back(op);
        RC_ASSERT(channel.wall() == Picoseconds{covered(so_far)});
      }
    }));
  }

  TEST_CASE("8.3 occupancy, bytes and MACs are sums over the records") {
    CHECK(rc::check("against sums", [] {
      const auto all = *records();
      OpChannel channel("engine", {"fetch"});
      OpRecord sums;
      for (const OpRecord& op : all) {
        channel.record(op);
        sums.end += op.end - op.start;
        sums.bytes += op.bytes;
        sums.macs += op.macs;
      }
      RC_ASSERT(channel.records() == static_cast<std::int64_t>(all.size()));
      RC_ASSERT(channel.busy() == sums.end);
      RC_ASSERT(channel.bytes() == sums.bytes);
      RC_ASSERT(channel.macs() == sums.macs);
      RC_ASSERT(channel.busy() >= channel.wall());
    }));
  }

  TEST_CASE("8.4 windows reach from the first start to the last end, composites' over their records alone") {
    CHECK(rc::check("against minimum and maximum", [] {
      const auto all = *records();
      OpChannel channel("engine", {"dma_in"});
      for (const OpRecord& op : all) channel.record(op);
      const auto same = [&all](const Span& span, std::int32_t least_composite) {
        std::int64_t start = INT64_MAX;
        std::int64_t end = 0;
        for (const OpRecord& op : all) {
          if (op.composite < least_composite) continue;
          start = std::min(start, op.start.value);
          end = std::max(end, op.end.value);
        }
        return span.start.value == start && span.end.value == end && span.empty() == (start == INT64_MAX);
      };
      RC_ASSERT(same(channel.span(), -1));
      RC_ASSERT(same(channel.composite_span(), 0));
    }));
  }
}
