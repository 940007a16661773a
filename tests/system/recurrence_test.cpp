// The simulator against the calculator: every time, count and byte of a run, to the picosecond.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <array>
#include <string>

#include "tests/system/compared.hpp"
#include "tests/system/random_case.hpp"

namespace kernbench {
namespace {

constexpr std::array<const char*, 3> kVariants = {"ref_ref", "load_ref", "load_load"};

TEST_SUITE("ADR-0005") {
  TEST_CASE("5.3 the 24 runs of the milestone") {
    const MachineSpec machine = Case{}.machine();
    for (const auto& [m, k, n] : {std::array{32, 64, 32},
                                  {16, 64, 32},
                                  {32, 32, 32},
                                  {32, 64, 16},
                                  {128, 128, 128},
                                  {256, 256, 256},
                                  {512, 512, 512},
                                  {32, 3072, 32}}) {
      for (const char* variant : kVariants) {
        const calculator::Run run{m, k, n, false, variant};
        INFO(name_of(run));
        CHECK(difference_of(machine, run) == "");
      }
    }
  }
  TEST_CASE("5.5 random") {
    CHECK(rc::check([] {
      const Case any = any_case(4);
      RC_LOG() << any << std::endl;
      RC_ASSERT(difference_of(any.machine(), any.run) == "");
    }));
  }
}

}  // namespace
}  // namespace kernbench
