// Machine files that inherit from others: what wins, where errors stand, which chains are refused.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/machine/example_machine.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernbench;

namespace {

const std::string kHead = "schema: kernbench.machine/1\n";

/// Files below a folder, and what is said of them with the folder's path left out.
class Files {
 public:
  std::string add(const std::string& name, const std::string& text) const {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  [[nodiscard]] LoadedMachine load(const std::string& name, const std::vector<std::string>& overrides = {}) const {
    return load_machine((folder_.path() / name).string(), overrides);
  }
  [[nodiscard]] std::string errors(const std::string& name, const std::vector<std::string>& overrides = {}) const {
    try {
      static_cast<void>(load(name, overrides));
      return "";
    } catch (const ConfigError& error) {
      return shown(error.what());
    }
  }
  [[nodiscard]] std::string shown(std::string text) const {
    const std::string folder = folder_.path().string() + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder)) text.erase(at, folder.size());
    return text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.14 what a file gives replaces single keys of its base, a base's those of its own") {
    const Files files;
    files.add("whole.yaml", std::string(kExample));
    files.add("variants/faster.yaml",
              kHead + "name: faster\nbase: ../whole.yaml\npe: {clock: 2 GHz, stream_depth: 9}\n");
    files.add("fastest.yaml", kHead + "base: variants/faster.yaml\nname: fastest\npe:\n  clock: 3 GHz\n");
    const auto machine = files.load("fastest.yaml", {"pe.output_depth=5"});
    const auto whole = parse_machine(kExample, "m.yaml");
    CHECK(machine.spec.name == "fastest");
    CHECK(machine.spec.pe.clock.hertz == 3'000'000'000);
    CHECK(machine.spec.pe.stream_depth == 9);
    CHECK(machine.spec.pe.output_depth == 5);
    CHECK(machine.spec.pe.tcm.capacity == whole.spec.pe.tcm.capacity);
    CHECK(machine.spec.absent.empty());
    CHECK(machine.left_out.empty());
    REQUIRE(machine.bases.size() == 2);
    CHECK(files.shown(machine.bases[0]) == "variants/faster.yaml");
    CHECK(files.shown(machine.bases[1]) == "whole.yaml");
  }

  TEST_CASE("3.14 the hash covers what is inherited: it is that of the same machine in one file") {
    const Files files;
    files.add("whole.yaml", std::string(kExample));
    files.add("same.yaml", kHead + "name: example.m-1\nbase: whole.yaml\n");
    CHECK(files.load("same.yaml").sha256 == parse_machine(kExample, "m.yaml").sha256);
    files.add("whole.yaml", changed("clock: 1.7 GHz", "clock: 1.8 GHz"));
    CHECK(files.load("same.yaml").sha256 ==
          parse_machine(changed("clock: 1.7 GHz", "clock: 1.8 GHz"), "m.yaml").sha256);
    CHECK(files.load("same.yaml").sha256 != parse_machine(kExample, "m.yaml").sha256);
  }

  TEST_CASE("3.14 an error stands where its key does, those of the file before those of its base") {
    const Files files;
    files.add("whole.yaml", changed("clock: 1.7 GHz", "clock: 1.7"));
    files.add("mine.yaml", kHead + "name: mine\nbase: whole.yaml\npe: {clokc: 2 GHz}\n");
    CHECK(files.errors("mine.yaml") ==
          "mine.yaml:4:6: pe.clokc: unknown key; did you mean 'pe.clock'?\n"
          "whole.yaml:29:10: pe.clock: expected a frequency such as 1 GHz, got '1.7' without a unit (Hz, kHz, MHz or "
          "GHz)\n2 errors in machine mine.yaml");
  }

  TEST_CASE("3.14 a contradiction names the place of the key that stands") {
    const Files files;
    files.add("whole.yaml", std::string(kExample));
    files.add("mine.yaml", kHead + "name: mine\nbase: whole.yaml\ndie: {hbm: {burst: 96 B}}\n");
    const std::string errors = files.errors("mine.yaml");
    CHECK(errors.starts_with("mine.yaml:4:20: die.hbm.burst: expected a power of two, got 96 B\n"));
    CHECK(errors.find("\nwhole.yaml:") != std::string::npos);  // packet_bytes, which the base gives
  }

  TEST_CASE("3.14 schema and name are of each file; a key that no file gives is missing") {
    const Files files;
    files.add("whole.yaml", std::string(kExample));
    files.add("mine.yaml", kHead + "base: whole.yaml\n");
    CHECK(files.errors("mine.yaml") ==
          "mine.yaml:1:1: name: missing; expected a name of up to 64 letters, digits, '-', '_' and '.'\n"
          "1 error in machine mine.yaml");
    files.add("part.yaml", changed(kHead, "", changed("  clock: 1.7 GHz\n", "")));
    files.add("mine.yaml", kHead + "name: mine\nbase: part.yaml\n");
    CHECK(files.errors("mine.yaml") ==
          "part.yaml:1:1: schema: missing; expected 'kernbench.machine/1'\n"
          "part.yaml:27:1: pe.clock: missing; expected a frequency such as 1 GHz\n2 errors in machine mine.yaml");
    files.add("part.yaml", changed("  clock: 1.7 GHz\n", ""));
    CHECK(files.errors("mine.yaml", {"pe.clock=1 GHz"}).empty());
  }

  TEST_CASE("3.14 circles, missing files, long chains and what is no path are refused at the base's place") {
    const Files files;
    files.add("a.yaml", kHead + "name: a\nbase: b.yaml\n");
    files.add("b.yaml", kHead + "name: b\nbase: sub/../a.yaml\n");
    CHECK(files.errors("a.yaml") ==
          "b.yaml:3:7: base: a file cannot be its own base: expected another than a.yaml, b.yaml, got a.yaml\n"
          "1 error in machine a.yaml");
    files.add("a.yaml", kHead + "name: a\nbase: gone.yaml\n");
    CHECK(files.errors("a.yaml").starts_with("a.yaml:3:7: base: cannot read gone.yaml"));
    files.add("a.yaml", kHead + "name: a\nbase: [b.yaml]\n");
    CHECK(files.errors("a.yaml") ==
          "a.yaml:3:7: base: expected the path of another machine file, relative to this one, got a list\n"
          "1 error in machine a.yaml");
    files.add("a.yaml", kHead + "name: a\nbase: not_yaml.yaml\n");
    files.add("not_yaml.yaml", "[\n");
    CHECK(files.errors("a.yaml").starts_with("not_yaml.yaml:2:1: not valid YAML: "));
    for (int i = 0; i < 16; ++i) {
      files.add("n" + std::to_string(i), kHead + "name: n\nbase: n" + std::to_string(i + 1) + "\n");
    }
    CHECK(files.errors("n0") ==
          "n15:3:7: base: expected at most 16 files of which each is the base of another\n1 error in machine n0");
  }

  TEST_CASE("3.14 a misspelt base is told alone, --set takes none, and text in memory has none") {
    const Files files;
    files.add("a.yaml", kHead + "name: a\nbaes: b.yaml\n");
    CHECK(files.errors("a.yaml") == "a.yaml:3:1: baes: unknown key; did you mean 'base'?\n1 error in machine a.yaml");
    CHECK(errors_of(kExample, {"base=b.yaml"}) ==
          one_error("--set base=b.yaml: base: expected in a machine file, not as --set, which replaces one value"));
    CHECK(errors_of(kHead + "name: a\nbase: b.yaml\n") ==
          one_error("m.yaml:3:7: base: expected a machine that is whole, as this text is in no folder of others"));
  }
}
