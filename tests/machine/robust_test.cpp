// Whatever stands in a machine file, the answer is a machine or a ConfigError that names places: no crash, no hang.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>

#include "sim/machine/schema.hpp"
#include "tests/machine/example_machine.hpp"

using namespace kernbench;

namespace {

/// Every line but the last begins with a place; the last counts the others.
bool is_well_formed(const std::string& message) {
  std::size_t lines = 0;
  std::size_t begin = 0;
  for (auto end = message.find('\n'); end != std::string::npos; end = message.find('\n', begin)) {
    if (message.compare(begin, 7, "m.yaml:") != 0) return false;
    ++lines;
    begin = end + 1;
  }
  const auto count = lines == 1 ? "1 error" : std::to_string(lines) + " errors";
  return lines > 0 && message.substr(begin) == count + " in machine m.yaml";
}

void read(const std::string& text) {
  try {
    const auto machine = parse_machine(text, "m.yaml");
    RC_ASSERT(machine.sha256.size() == 64U);
  } catch (const ConfigError& error) {
    RC_ASSERT(is_well_formed(error.what()));
  }
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.8 a damaged file gives a machine or well-formed errors") {
    CHECK(rc::check("a few characters replaced", [] {
      std::string text(kExample);
      const auto changes = *rc::gen::inRange(1, 4);
      for (int i = 0; i < changes; ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
        text[at] = *rc::gen::oneOf(rc::gen::elementOf(std::string("{}[]:,#&*!|>'\"%@-?\n\t 0aZ.")),
                                   rc::gen::arbitrary<char>());
      }
      read(text);
    }));
    CHECK(rc::check("cut short",
                    [] { read(std::string(kExample.substr(0, *rc::gen::inRange<std::size_t>(0, kExample.size())))); }));
    CHECK(rc::check("a line moved elsewhere", [] {
      std::string text(kExample);
      const auto begin = text.rfind('\n', *rc::gen::inRange<std::size_t>(0, text.size() - 1));
      const auto from = begin == std::string::npos ? 0 : begin + 1;
      const auto line = text.substr(from, text.find('\n', from) - from + 1);
      text.erase(from, line.size());
      const auto target = text.rfind('\n', *rc::gen::inRange<std::size_t>(0, text.size()));
      read(text.insert(target == std::string::npos ? 0 : target + 1, line));
    }));
  }

  TEST_CASE("3.8 a directive in the middle of a file ends the reading, not the patience") {
    CHECK(errors_of(changed("  tcm:", "% tcm:")) ==
          one_error("m.yaml:33:3: expected one machine in a file, got a second YAML document"));
  }

  TEST_CASE("3.8 anchors that refer to themselves and deep nesting end in errors") {
    CHECK(is_well_formed(errors_of("&a\npe: *a\n")));
    CHECK(is_well_formed(errors_of("pe: " + std::string(5000, '['))));
    CHECK(is_well_formed(errors_of("pe: " + std::string(5000, '{'))));
  }
}

TEST_CASE("a machine written out and read back is the same machine") {
  CHECK(rc::check("written values of random machines", [] {
    MachineSpec spec = parse_machine(kExample, "m.yaml").spec;
    for (const auto& key : machine_keys()) {
      const auto* field = std::get_if<QuantityField>(&key.field);
      if (field == nullptr) continue;
      const auto least = parse_quantity(field->least, field->dimension);
      const auto most = parse_quantity(field->most, field->dimension);
      field->ref(spec) = *rc::gen::inRange<std::int64_t>(least, most);
    }
    MachineSpec read_back;
    for (const auto& key : machine_keys()) read_value(key, written_value(key, spec), read_back);
    RC_ASSERT(canonical_form(read_back) == canonical_form(spec));
  }));
}
