// How energies and prices are written.
#include <doctest/doctest.h>

#include <string>

#include "sim/base/errors.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/machine/schema.hpp"
#include "tests/machine/example_machine.hpp"
#include "tests/support/error_of.hpp"

using namespace kernbench;

namespace {

LoadedMachine with(const std::string& section) { return parse_machine(std::string(kExample) + section, "m.yaml"); }

}  // namespace

TEST_SUITE("ADR-0036") {
  TEST_CASE("36.1 energies are whole fJ, powers whole mW, and none is not zero") {
    const MachineSpec spec =
        with("energy: {mac: {bf16: 0.59 pJ, int8: 77 fJ}, hbm: 31.8 pJ/B, tcm: 0 pJ/B, static: 1.5 W}\n").spec;
    CHECK(spec.energy.mac.bf16 == 590);
    CHECK(spec.energy.mac.int8 == 77);
    CHECK(spec.energy.mac.fp32 == kNotGiven);
    CHECK(spec.energy.hbm == 31'800);
    CHECK(spec.energy.tcm == 0);
    CHECK(spec.energy.static_power == 1500);
    CHECK(spec.energy.sram == kNotGiven);
    CHECK(written_value(machine_key("energy.hbm"), spec) == "31.8 pJ/B");
    CHECK(written_value(machine_key("energy.sram"), spec) == "none");
    CHECK(with("energy: {hbm: none}\n").spec.energy.hbm == kNotGiven);
  }

  TEST_CASE("36.1 a unit of something else is refused with the right one") {
    const auto error = [](const std::string& section) { return ::error_of([&] { static_cast<void>(with(section)); }); };
    CHECK(error("energy: {hbm: 4 pJ/bit}\n").find("1 pJ/bit is 8 pJ/B; did you mean 'pJ/B'?") != std::string::npos);
    CHECK(error("energy: {hbm: 4 pJ}\n").find("did you mean 'pJ/B'?") != std::string::npos);
    CHECK(error("energy: {mac: {bf16: 1}}\n").find("expected an energy such as 0.6 pJ, got '1' without a unit") !=
          std::string::npos);
    CHECK(error("energy: {vector: 0.0001 pJ}\n").find("a whole number of femtojoules") != std::string::npos);
    CHECK(error("energy: {routr: 4 pJ/B}\n").find("did you mean 'energy.router'?") != std::string::npos);
    CHECK(error("cost: {pe: nothing}\n").find("expected a number such as 0.5") != std::string::npos);
  }

  TEST_CASE("36.1 keys that are left out, or none, leave the hash of the machine alone") {
    const LoadedMachine without = parse_machine(kExample, "m.yaml");
    CHECK(with("energy: {hbm: none}\ncost: {pe: none}\n").sha256 == without.sha256);
    CHECK(with("energy: {hbm: 0 pJ/B}\n").sha256 != without.sha256);
    CHECK(with("cost: {pe: 0}\n").sha256 != without.sha256);
    CHECK(without.left_out == with("energy: {hbm: none}\n").left_out);
  }
}
