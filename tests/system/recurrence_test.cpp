// The simulator against the calculator, to the picosecond: both windows, and records, wall-clock, occupancy, bytes and
// MACs of every stage. Each case holds tiles back where its clause says so.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "tests/system/compared.hpp"
#include "tests/system/random_case.hpp"

namespace kernbench {
namespace {

/// Random runs, on random machines changed by `squeeze`, are as calculated.
bool as_calculated(const std::function<void(Case&)>& squeeze) {
  return rc::check([&] {
    Case any = any_case(4);
    squeeze(any);
    RC_LOG() << any << '\n';
    RC_ASSERT(difference_of(any.machine(), any.run) == "");
  });
}

int up_to(int limit) { return *rc::gen::inRange(1, limit + 1); }

TEST_SUITE("ADR-0005") {
  TEST_CASE("5.1 the 24 runs of the milestone are as calculated") {
    const MachineSpec machine = Case{}.machine();
    for (const auto& [m, k, n] : {std::array{32, 64, 32},
                                  {16, 64, 32},
                                  {32, 32, 32},
                                  {32, 64, 16},
                                  {128, 128, 128},
                                  {256, 256, 256},
                                  {512, 512, 512},
                                  {32, 3072, 32}}) {
      for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
        const calculator::Run run{m, k, n, false, variant};
        INFO(name_of(run));
        CHECK(difference_of(machine, run) == "");
      }
    }
  }

  TEST_CASE("5.3 dispatch is as calculated where stream slots are few") {
    CHECK(as_calculated([](Case& any) {
      any.set("pe.stream_depth", up_to(2));
      any.set("pe.scheduler_latency", std::to_string(up_to(40)) + " ns");
    }));
  }

  TEST_CASE("5.4 fetch is as calculated where it is slow and operand registers are few") {
    CHECK(as_calculated([](Case& any) {
      any.set("pe.fetch_bandwidth", any_bandwidth(5, 80));
      any.set("pe.mac.operand_registers", up_to(2));
    }));
  }

  TEST_CASE("5.5 the array is as calculated where it is slow and accumulators are few") {
    CHECK(as_calculated([](Case& any) {
      if (!any.machine().pe.mac.has_shape()) any.set("pe.mac.macs_per_cycle", up_to(600));
      any.set("pe.mac.accumulators", up_to(2));
      any.set("pe.store_bandwidth", any_bandwidth(2, 80));
    }));
  }

  TEST_CASE("5.8 store is as calculated where it is slow and output slots are few") {
    CHECK(as_calculated([](Case& any) {
      any.set("pe.store_bandwidth", any_bandwidth(2, 20));
      any.set("pe.tcm.read_bandwidth", any_bandwidth(1, 20));
      any.set("pe.output_depth", up_to(2));
    }));
  }
}

TEST_SUITE("ADR-0004") {
  TEST_CASE("4.5 4.15 4.16 reads and writes that meet at the pseudo-channels are as calculated") {
    CHECK(as_calculated([](Case& any) {
      any.run.variant = *rc::gen::element<std::string>("ref_ref", "load_ref");
      any.set("die.hbm.bandwidth", any_bandwidth(10, 100));
      any.set("pe.mac.tile.k", up_to(8));
      any.run.k = up_to(16);
    }));
  }
}

/// Random mappings of random runs are as calculated, with sums where `place` has them.
bool mapped_as_calculated(const std::function<void(calculator::Mapping&)>& place) {
  return rc::check([&] {
    Case any = any_case(6);
    any.set("pe.tcm.capacity", "1 GiB");
    const MachineSpec machine = any.machine();
    calculator::Mapping mapping;
    mapping.tile = machine.pe.mac.tile;
    any.run.k = up_to(static_cast<int>(6 * mapping.tile.k));
    mapping.block = {std::min(any.run.m, up_to(3) * mapping.tile.m), std::min(any.run.k, up_to(2) * mapping.tile.k),
                     std::min(any.run.n, up_to(3) * mapping.tile.n)};
    mapping.order = *rc::gen::element<std::string>("mnk", "mkn", "nmk", "nkm", "kmn", "knm");
    mapping.buffers = up_to(4);
    place(mapping);
    if (mapping.block.k == any.run.k) RC_TAG("K in one block");
    any.run.mapping = mapping;
    RC_LOG() << any << ' ' << name_of(any.run) << '\n';
    RC_ASSERT(difference_of(machine, any.run) == "");
  });
}

TEST_SUITE("ADR-0032") {
  TEST_CASE("32.2 32.3 32.4 32.6 steps of blocks whose loads have buffers, and sums in TCM, are as calculated") {
    CHECK(mapped_as_calculated(
        [](calculator::Mapping& mapping) { mapping.sums = *rc::gen::element<std::string>("fp32", "bf16"); }));
  }

  TEST_CASE("32.19 sums that go to HBM between blocks along K are as calculated") {
    CHECK(mapped_as_calculated([](calculator::Mapping& mapping) {
      mapping.sums = *rc::gen::element<std::string>("fp32", "bf16");
      mapping.sums_in_hbm = true;
    }));
  }
}

}  // namespace
}  // namespace kernbench
