// docs/machine-file.md shows what the program says: its generated parts are compared with the program's own output.
// KERNBENCH_APPROVE=1 rewrites them instead.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "sim/machine/gpu/gpu_keys.hpp"
#include "sim/machine/load_machine.hpp"
#include "sim/machine/schema.hpp"
#include "tests/support/generated_part.hpp"

using namespace kernbench;

namespace {

const std::string kRoot = kernbench::source_dir();
const std::string kMachinePage = kRoot + "/docs/machine-file.md";

std::string as_code(const std::string& text) {
  return "```text\n" + text + (text.ends_with('\n') ? "" : "\n") + "```\n";
}

}  // namespace

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.11 the reference of all keys is the one generated from the table") {
    check_generated(kMachinePage, "reference", machine_file_reference());
  }

  TEST_CASE("3.8 the page's example of errors is what the program says about that file") {
    const auto broken = read_file(kRoot + "/tests/machine/broken.yaml");
    check_generated(kMachinePage, "broken file", "```yaml\n" + broken + "```\n");
    std::string message;
    try {
      parse_machine(broken, "broken.yaml", {"pe.dma.outstandng_bursts=128"});
    } catch (const ConfigError& error) {
      message = error.what();
    }
    check_generated(kMachinePage, "errors", as_code(message));
  }

  TEST_CASE("3.5 the page's smallest file is one, and stands at the milestone machine's values where it says nothing") {
    const auto smallest = read_file(kRoot + "/tests/machine/smallest.yaml");
    check_generated(kMachinePage, "smallest file", "```yaml\n" + smallest + "```\n");
    const auto machine = parse_machine(smallest, "smallest.yaml");
    const auto whole = load_machine(kRoot + "/topology/milestone_1h.yaml").spec;
    CHECK(machine.left_out == std::vector<std::string>{"system.packages", "system.arrangement", "package.dies",
                                                       "die.hbm.turnaround", "die.hbm.write_batch",
                                                       "die.hbm.write_queue", "die.hbm.port_buffer", "die.hbm.model",
                                                       "simulation"});
    CHECK(machine.spec.absent == std::vector<std::string>{"system.package_link", "system.host_link",
                                                          "system.io_processor_latency", "package.die_to_die",
                                                          "die.sram", "die.wire.sram_to_router", "pe.message_queue"});
    try {
      parse_machine("schema: kernbench.machine/1\nname: x\n", "x.yaml");
      FAIL("taken");
    } catch (const ConfigError& error) {  // asks for no more than the smallest file has
      CHECK(std::string(error.what()) ==
            "x.yaml:1:1: die: missing section; expected the keys routers, router, wire, hbm\n"
            "x.yaml:1:1: pe: missing section; expected the keys clock, control_latency, scheduler_latency, tcm, dma, "
            "stream_depth, output_depth, fetch_bandwidth, store_bandwidth, mac, vector\n"
            "2 errors in machine x.yaml");
    }
    const auto partly = parse_machine(smallest, "smallest.yaml", {"die.sram.latency=1 ns"}).left_out;
    for (const char* key : {"die.sram.capacity", "die.sram.bandwidth", "die.sram.router", "die.sram.port_buffer"}) {
      CHECK(std::ranges::count(partly, key) == 1);
    }
    CHECK(std::ranges::count(partly, "die.sram") == 0);  // what --set gives is no default
    int at_defaults = 0;
    for (const auto& key : machine_keys()) {
      const std::string path(key.path);
      if (path.starts_with("system.packages") || path.starts_with("package.dies")) {
        CHECK(written_value(key, machine.spec) == "1");
      } else if (!key.default_value.empty() && key.at_default == AtDefault::kTold) {
        CAPTURE(path);
        CHECK(written_value(key, machine.spec) == written_value(key, whole));
        ++at_defaults;
      }
    }
    CHECK(at_defaults == 32);
  }

  TEST_CASE("3.9 the page's summary of a changed machine is the program's") {
    const auto machine =
        load_machine(kRoot + "/topology/milestone_1h.yaml", {"name=faster-memory", "die.hbm.bandwidth=512 GB/s"});
    check_generated(kMachinePage, "summary", as_code(describe_machine(machine.spec)));
  }
}

TEST_SUITE("ADR-0048") {
  TEST_CASE("48.1 the reference of a GPU's keys is the one generated from the table") {
    check_generated(kRoot + "/docs/gpu-file.md", "keys", gpu_file_reference());
  }
}
