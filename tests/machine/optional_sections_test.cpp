// What a machine may be without, what that does to its summary, and that nobody takes a number from it.
#include "sim/machine/optional_sections.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "sim/machine/schema.hpp"
#include "tests/machine/example_machine.hpp"

using namespace kernbench;

namespace {

using KeyNames = std::vector<std::string>;

const std::vector<std::string> kOneDie{"system.packages.rows=1", "system.packages.columns=1", "package.dies.rows=1",
                                       "package.dies.columns=1"};

/// kExample without the lines that begin with one of these.
std::string without(const KeyNames& keys) {
  std::string text(kExample);
  for (const std::string& key : keys) {
    const auto begin = text.find("\n" + key) + 1;
    REQUIRE(begin != 0);
    auto end = text.find('\n', begin) + 1;
    while (text.compare(end, 4, "    ") == 0) end = text.find('\n', end) + 1;  // what goes on in the next lines
    text.erase(begin, end - begin);
  }
  return text;
}

std::string refusal(const MachineSpec& machine, const std::string& section) {
  try {
    require_section(machine, section, "a collective");
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.13 a section of which file and overrides say nothing is absent, and what needs it is refused") {
    const auto machine = parse_machine(without({"  message_queue:"}), "m.yaml");
    CHECK(machine.spec.absent == KeyNames{"pe.message_queue"});
    CHECK(machine.left_out.empty());
    CHECK_FALSE(has_section(machine.spec, "pe.message_queue"));
    CHECK(has_section(machine.spec, "die.sram"));
    CHECK(refusal(machine.spec, "die.sram").empty());
    CHECK(refusal(machine.spec, "pe.message_queue") ==
          "machine example.m-1 has no pe.message_queue, which a collective needs; expected that section in the machine "
          "file, or its keys by --set");
    const auto given = parse_machine(without({"  message_queue:"}), "m.yaml", {"pe.message_queue.slots=3"});
    CHECK(given.spec.absent.empty());
    CHECK(refusal(given.spec, "pe.message_queue").empty());
    CHECK(given.left_out == KeyNames{"pe.message_queue.slot_bytes", "pe.message_queue.credit_bytes",
                                     "pe.message_queue.tier", "pe.message_queue.wait", "pe.message_queue.wake_latency",
                                     "pe.message_queue.poll_interval", "pe.message_queue.consumer"});
    CHECK(parse_machine(kExample, "m.yaml").spec.absent.empty());
  }

  TEST_CASE("3.13 a key that says something only of an absent section is absent with it, unless it is given") {
    const auto hostless = parse_machine(without({"  host_link:"}), "m.yaml");
    CHECK(hostless.spec.absent == KeyNames{"system.host_link"});
    const auto nothing = parse_machine(without({"  host_link:", "  io_processor_latency:"}), "m.yaml");
    CHECK(nothing.spec.absent == KeyNames{"system.host_link", "system.io_processor_latency"});
    CHECK(nothing.left_out.empty());
    CHECK(absence(nothing.spec, sections_to_host()) == "machine example.m-1 has no system.host_link");
    const auto alone = parse_machine(without({"  package_link:"}), "m.yaml", kOneDie);
    CHECK(absence(alone.spec, sections_to_host()) == "machine example.m-1 has no system.package_link");
  }

  TEST_CASE("3.13 slots of messages cannot lie in an absent SRAM") {
    const std::string text = without({"  sram:"});
    CHECK(errors_of(text).empty());
    CHECK(errors_of(text, {"pe.message_queue.tier=sram"}) ==
          one_error("--set pe.message_queue.tier=sram: pe.message_queue.tier: contradicts die.sram, which the machine "
                    "has not: expected 'tcm' or 'hbm', got 'sram'"));
  }

  TEST_CASE("3.13 the summary says none of an absent section, and the hash is that of its defaults") {
    const auto machine = parse_machine(without({"  sram:", "  host_link:"}), "m.yaml");
    const std::string shown = describe_machine(machine.spec);
    CHECK(shown.find("\n  sram                             none\n") != std::string::npos);
    CHECK(shown.find("\n  host_link                        none\n") != std::string::npos);
    CHECK(shown.find("sram.capacity") == std::string::npos);
    CHECK(shown.find("host_link.bandwidth") == std::string::npos);
    CHECK(shown.find("io_processor_latency") != std::string::npos);  // the file gives it
    CHECK(canonical_form(machine.spec).find("\ndie.sram.capacity=33554432\n") != std::string::npos);
  }
}
