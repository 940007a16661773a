// Memory models by name: what a machine file may say, and what is made of it.
#include "sim/hw/memory/memory_model.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "sim/hw/memory/hbm_controller.hpp"
#include "sim/hw/memory/tlm_memory.hpp"
#include "sim/machine/memory_model_names.hpp"
#include "tests/hw/foreign_memory.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

namespace kernbench::foreign {

namespace {

/// The partition of the committed machine, with keys overridden, asked for reads and writes.
std::string asked(const std::vector<std::string>& overrides, const std::vector<Ask>& asks) {
  const HbmSpec spec = milestone(overrides).die.hbm;
  const std::string text =
      dialogue([&](Calendar& calendar, Calls& /*calls*/) { return make_hbm_partition("hbm", calendar, spec); }, asks);
  return text.substr(3);
}

}  // namespace

TEST_SUITE("ADR-0029") {
  TEST_CASE("29.1 a machine names its memory model; one that there is not is refused with all that there are") {
    CHECK(milestone().die.hbm.model == "pseudo_channels");
    CHECK(milestone({"die.hbm.model=tlm_simple"}).die.hbm.model == "tlm_simple");
    CHECK(error_of([] { static_cast<void>(milestone({"die.hbm.model=tlm_simpel"})); })
              .starts_with("--set die.hbm.model=tlm_simpel: die.hbm.model: unknown memory model 'tlm_simpel': did you "
                           "mean 'tlm_simple'? There are: pseudo_channels, tlm_simple"));
    CHECK(error_of([] { static_cast<void>(milestone({"die.hbm.model=a b"})); }).find("expected a name") !=
          std::string::npos);
    HbmSpec spec = milestone().die.hbm;
    spec.model = "dram";
    const auto make = [&] {
      Calendar calendar("calendar");
      static_cast<void>(make_hbm_partition("hbm", calendar, spec));
      return std::string();
    };
    CHECK_THROWS_WITH(static_cast<void>(forked(make)),
                      "die.hbm.model: unknown memory model 'dram'. There are: pseudo_channels, tlm_simple");
  }

  TEST_CASE("29.2 a model registers itself in its own file, and one name twice ends the program with both places") {
    std::vector<std::string> names;
    for (const MemoryModel& model : memory_models()) {
      CHECK_FALSE(model.summary.empty());
      names.push_back(model.name);
    }
    CHECK(names == std::vector<std::string>{"pseudo_channels", "tlm_simple"});
    CHECK(std::vector<std::string>(memory_model_names().begin(), memory_model_names().end()) == names);
    try {
      const RegisterMemoryModel again({"tlm_simple", "once more", make_partition<HbmController>}, {"mine.cpp", 7});
      FAIL("registered twice");
    } catch (const std::logic_error& error) {
      const std::string message = error.what();
      CHECK(message.find("the memory model 'tlm_simple' is registered twice: at ") == 0);
      CHECK(message.find("models/tlm_simple.cpp:") != std::string::npos);
      CHECK(message.find("and at mine.cpp:7") != std::string::npos);
    }
    CHECK(memory_model_names().size() == names.size());
  }

  TEST_CASE("29.3 the default is the controller of ADR-0004, to the picosecond") {
    const std::vector<Ask> asks{{true, {0, 1}, 10, 0}, {true, {8, 3}, 10, 0}, {false, {1, 40}, 10, 0}};
    const HbmSpec spec = milestone().die.hbm;
    const std::string own = dialogue(
        [&](Calendar& calendar, Calls& /*calls*/) { return std::make_unique<HbmController>("hbm", calendar, spec); },
        asks);
    CHECK("--\n" + asked({}, asks) == own);
  }

  TEST_CASE("29.16 tlm_simple serves one burst after the other, each answered a latency later") {
    const std::vector<std::string> machine{"die.hbm.model=tlm_simple", "die.hbm.bandwidth='256 GB/s'",
                                           "die.hbm.read_latency='32 ns'"};
    const std::vector<Ask> asks{
        {true, {0, 1}, 10, 0}, {false, {1, 2}, 10, 0}, {true, {7, 1}, 3009, 0}, {true, {8, 1}, 9999, 0}};
    CHECK(asked(machine, asks) == "33010 read 0\n35010 taken 1\n35010 written 1\n36010 read 7\n42999 read 8\n");
  }

  TEST_CASE("29.16 tlm_simple refuses what lies beyond the partition") {
    const Bytes capacity = milestone().die.hbm.capacity;
    const std::vector<std::string> machine{"die.hbm.model=tlm_simple"};
    CHECK_NOTHROW(static_cast<void>(asked(machine, {{true, {capacity / 256 - 1, 1}, 10, 0}})));
    std::string message;
    try {
      static_cast<void>(asked(machine, {{true, {capacity / 256, 1}, 10, 0}}));
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    CHECK(message == "memory hbm at 10 ps: the read of 256 B at address " + std::to_string(capacity) +
                         " was answered with TLM_ADDRESS_ERROR_RESPONSE");
  }
}

}  // namespace kernbench::foreign
