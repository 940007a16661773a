// Each class of error, by the exact message a user sees.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/machine/example_machine.hpp"

using namespace kernbench;

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.2 a value without its unit, or with another, is refused with the right unit") {
    CHECK(
        errors_of(changed("clock: 1.7 GHz", "clock: 2")) ==
        one_error("m.yaml:29:10: pe.clock: expected a frequency such as 1 GHz, got '2' without a unit (Hz, kHz, MHz or "
                  "GHz)"));
    CHECK(errors_of(changed("fetch_bandwidth: 9 GB/s", "fetch_bandwidth: 9 GiB/s")) ==
          one_error(
              "m.yaml:36:20: pe.fetch_bandwidth: expected a bandwidth such as 256 GB/s (in B/s, kB/s, MB/s, GB/s or "
              "TB/s), got '9 GiB/s'; bandwidths are powers of 1000; did you mean 'GB/s'?"));
    CHECK(errors_of(changed("capacity: 3 GiB", "capacity: 64 KB")) ==
          one_error("m.yaml:32:19: pe.tcm.capacity: expected a size such as 16 MiB (in B, KiB, MiB, GiB or TiB), got "
                    "'64 KB'; sizes are powers of 1024; did you mean 'KiB'?"));
    CHECK(errors_of(changed("stream_depth: 13", "stream_depth: 13 tiles")) ==
          one_error(
              "m.yaml:34:17: pe.stream_depth: expected a whole number such as 8, got '13 tiles', which has a unit"));
  }

  TEST_CASE("3.1 a value that is no whole number of base units is refused") {
    CHECK(errors_of(changed("clock: 1.7 GHz", "clock: 1.7000000001 GHz")) ==
          one_error("m.yaml:29:10: pe.clock: expected a whole number of hertz, got '1.7000000001 GHz'"));
  }

  TEST_CASE("3.3 an unknown key names the nearest valid one") {
    CHECK(errors_of(changed("clock:", "clokc:")) ==
          one_error("m.yaml:29:3: pe.clokc: unknown key; did you mean 'pe.clock'?"));
    CHECK(errors_of(changed("dma:", "burst: 8 B\n  dma:")) ==
          one_error("m.yaml:33:3: pe.burst: unknown key; did you mean 'die.hbm.burst'?"));
    CHECK(errors_of(changed("vector:", "colour: red\n  vector:")) ==
          one_error(
              "m.yaml:44:3: pe.colour: unknown key; expected one of clock, control_latency, scheduler_latency, tcm, "
              "dma, stream_depth, output_depth, fetch_bandwidth, store_bandwidth, accumulate_bandwidth, mac, vector, "
              "message_queue"));
  }

  TEST_CASE("3.3 of a key that others are multiples of it is said why there is none, and what says it") {
    const std::string bf16 = errors_of(kExample, {"pe.mac.rates.bf16=2"});
    CHECK_MESSAGE(
        bf16.find("pe.mac.rates.bf16: unknown key; bf16 is what the others are multiples of: expected "
                  "pe.mac.macs_per_cycle, or pe.mac.rows, columns and depth, to say its rate") != std::string::npos,
        bf16);
    const std::string add = errors_of(kExample, {"pe.vector.rates.add=2"});
    CHECK_MESSAGE(add.find("expected pe.vector.lanes to say their rate") != std::string::npos, add);
  }

  TEST_CASE("3.3 a key with dots is refused in a file, and control characters are shown, not sent") {
    CHECK(errors_of(std::string(kExample) + "pe.clock: 1 GHz\n") ==
          one_error("m.yaml:49:1: pe.clock: expected nested sections, got a key with dots, which only --set takes"));
    CHECK(errors_of(changed("example.m-1", "\"a\\nb\\e\"")) ==
          one_error(
              "m.yaml:2:7: name: expected a name of up to 64 letters, digits, '-', '_' and '.', got 'a\\x0ab\\x1b'"));
  }

  TEST_CASE("3.3 what stands under a misspelt key is read as if it were spelt right") {
    CHECK(errors_of(changed("  hbm:\n    bandwidth: 5 GB/s", "  hmb:\n    bandwidth: 0 GB/s")) ==
          "m.yaml:16:3: die.hmb: unknown key; did you mean 'die.hbm'?\n"
          "m.yaml:17:16: die.hbm.bandwidth: out of range: expected 1 MB/s to 1000 TB/s, got '0 GB/s'\n"
          "2 errors in machine m.yaml");
  }

  TEST_CASE("3.4 a duplicate key is refused and both lines are named") {
    CHECK(errors_of(changed("stream_depth: 13\n", "stream_depth: 13\n  clock: 2 GHz\n")) ==
          one_error("m.yaml:35:3: pe.clock: duplicate key: expected it once, got it on line 29 and on line 35"));
    CHECK(errors_of(std::string(kExample) + "name: again\n") ==
          one_error("m.yaml:49:1: name: duplicate key: expected it once, got it on line 2 and on line 49"));
  }

  TEST_CASE("3.4 anchors, aliases and tags, by which a key could be given twice, are refused") {
    const std::string remedy = "; machine files take no anchors (&), aliases (*) and tags (!): write it out";
    CHECK(errors_of(changed("  clock: 1.7 GHz\n", "  &k clock: 1.7 GHz\n  *k : 9 GHz\n")) ==
          "m.yaml:29:3: got the anchor '&k'" + remedy + "\nm.yaml:30:3: got an alias" + remedy +
              "\n2 errors in machine m.yaml");
    CHECK(errors_of(changed("stream_depth: 13", "stream_depth: !!int 13")) ==
          one_error("m.yaml:34:17: got the tag 'tag:yaml.org,2002:int'" + remedy));
    CHECK(errors_of(changed("vector: {", "vector: !v {")) == one_error("m.yaml:44:11: got the tag '!v'" + remedy));
    CHECK(errors_of(changed("accumulators: 18", "accumulators: !!null")).find("got the tag") != std::string::npos);
    CHECK(errors_of(changed("accumulators: 18", "accumulators: '18'")).empty());
    CHECK(errors_of(kExample, {"pe.clock=!!int 4 GHz"}) ==
          one_error("--set pe.clock=!!int 4 GHz: pe.clock: expected a frequency such as 1 GHz; got the tag "
                    "'tag:yaml.org,2002:int'" +
                    remedy));
  }

  TEST_CASE("3.5 a missing key is named with what it wants, a missing section with its keys") {
    CHECK(errors_of(changed("  clock: 1.7 GHz\n", "")) ==
          one_error("m.yaml:28:1: pe.clock: missing; expected a frequency such as 1 GHz"));
    CHECK(errors_of(changed("    tile: {m: 19, k: 20, n: 21}\n", "")) ==
          one_error("m.yaml:38:3: pe.mac.tile: missing section; expected the keys m, k, n"));
    CHECK(errors_of(changed("name: example.m-1\n", "")) ==
          one_error("m.yaml:1:1: name: missing; expected a name of up to 64 letters, digits, '-', '_' and '.'"));
  }

  TEST_CASE("3.6 values out of range, of the wrong kind or of another schema version are refused") {
    CHECK(errors_of(changed("hop_latency: 5 ns", "hop_latency: 2000 us")) ==
          one_error("m.yaml:14:25: die.router.hop_latency: out of range: expected 0 ns to 1000 us, got '2000 us'"));
    CHECK(errors_of(changed("accumulators: 18", "accumulators: -1")) ==
          one_error("m.yaml:42:19: pe.mac.accumulators: expected a whole number such as 8, not negative, got '-1'"));
    CHECK(errors_of(changed("accumulators: 18", "accumulators: [18]")) ==
          one_error("m.yaml:42:19: pe.mac.accumulators: expected a whole number such as 8, got a list"));
    CHECK(errors_of(changed("accumulators: 18", "accumulators:")) ==
          one_error("m.yaml:42:5: pe.mac.accumulators: expected a whole number such as 8, got nothing"));
    CHECK(
        errors_of(changed("{lanes: 22, latency_cycles: 23}", "22")) ==
        one_error("m.yaml:44:11: pe.vector: expected a section with the keys lanes, latency_cycles, rates, got '22'"));
    CHECK(errors_of(changed("arrangement: torus", "arrangement: tours")) ==
          one_error("m.yaml:5:16: system.arrangement: expected one of 'ring', 'mesh', 'torus', 'fully_connected', "
                    "'switched', got 'tours'; did you mean 'torus'?"));
    CHECK(
        errors_of(changed("example.m-1", "my machine")) ==
        one_error("m.yaml:2:7: name: expected a name of up to 64 letters, digits, '-', '_' and '.', got 'my machine'"));
    CHECK(errors_of(changed("machine/1", "machine/2")) ==
          one_error("m.yaml:1:9: schema: expected 'kernbench.machine/1', got 'kernbench.machine/2'; did you mean "
                    "'kernbench.machine/1'?"));
  }

  TEST_CASE("3.7 values that contradict each other are refused with both keys and the numbers") {
    CHECK(
        errors_of(changed("packet_bytes: 128 B", "packet_bytes: 160 B")) ==
        one_error("m.yaml:48:17: simulation.packet_bytes: contradicts die.hbm.burst: expected a multiple of the burst, "
                  "64 B, got 160 B"));
    CHECK(errors_of(changed("packet_bytes: 128 B", "packet_bytes: 832 B")) ==
          one_error("m.yaml:48:17: simulation.packet_bytes: contradicts pe.dma.outstanding_bursts: expected at most 12 "
                    "bursts of 64 B = 768 B, got 832 B"));
    CHECK(errors_of(changed("packet_bytes: 128 B", "packet_bytes: 768 B")).empty());
    CHECK(errors_of(changed("burst: 64 B", "burst: 96 B", changed("packet_bytes: 128 B", "packet_bytes: 96 B"))) ==
          one_error("m.yaml:19:12: die.hbm.burst: expected a power of two, got 96 B"));
    CHECK(errors_of(changed("pseudo_channels: 4", "pseudo_channels: 6")) ==
          one_error("m.yaml:18:22: die.hbm.pseudo_channels: expected a power of two, got 6"));
    CHECK(errors_of(changed("capacity: 1 GiB", "capacity: 1281 B")) ==
          one_error("m.yaml:26:15: die.hbm.capacity: contradicts die.hbm.pseudo_channels and die.hbm.burst: expected a "
                    "multiple of 4 x 64 B = 256 B, got 1281 B"));
    CHECK(errors_of(changed("write_batch: 35", "write_batch: 72")).empty());
    CHECK(errors_of(changed("write_batch: 35", "write_batch: 73")) ==
          one_error("m.yaml:23:18: die.hbm.write_queue: contradicts die.hbm.write_batch: expected at least a batch, 73 "
                    "bursts, got 72"));
    // 13 x 2 x (19 x 20 + 20 x 21) + 14 x 2 x (19 x 21) = 31972 bytes of buffers.
    CHECK(errors_of(changed("capacity: 3 GiB", "capacity: 31971 B")) ==
          one_error(
              "m.yaml:32:19: pe.tcm.capacity: contradicts pe.stream_depth and pe.output_depth: expected at least 13 "
              "operand tiles of 1600 B + 14 output tiles of 798 B = 31972 B, got 31971 B"));
    CHECK(errors_of(changed("capacity: 3 GiB", "capacity: 31972 B")).empty());
    for (const std::string arrangement : {"ring", "fully_connected", "switched"}) {
      CHECK(errors_of(changed("arrangement: torus", "arrangement: " + arrangement)) ==
            one_error("m.yaml:4:20: system.packages.rows: contradicts system.arrangement: expected 1 row, or the "
                      "arrangement 'mesh' or 'torus', got 3 rows"));
    }
    CHECK(errors_of(changed("arrangement: torus", "arrangement: mesh")).empty());
  }

  TEST_CASE("3.5 an array says how many MACs it has, or how many rows and columns") {
    const auto nothing = changed("    macs_per_cycle: 15\n", "");
    CHECK(errors_of(nothing) ==
          one_error("m.yaml:38:3: pe.mac.macs_per_cycle: missing; expected a whole number such as "
                    "8, as there are no pe.mac.rows and pe.mac.columns"));
    CHECK(errors_of(nothing, {"pe.mac.rows=4", "pe.mac.columns=5"}).empty());
  }

  TEST_CASE("3.7 the SRAM hangs off a router that exists, and a side's connections are shared out evenly") {
    CHECK(errors_of(changed("router: 29", "router: 110")) ==
          one_error("m.yaml:27:70: die.sram.router: contradicts die.routers.rows and die.routers.columns: expected at "
                    "most 109, as a die has 10 x 11 routers, counted from 0, got 110"));
    CHECK(errors_of(changed("router: 29", "router: 109")).empty());
    CHECK(
        errors_of(changed("connections: 220", "connections: 20")) ==
        one_error("m.yaml:11:29: package.die_to_die.connections: contradicts die.routers.columns: expected a multiple "
                  "of 11, as many for each router on a die's north and south side, got 20"));
    CHECK(
        errors_of(changed("connections: 220", "connections: 33")) ==
        one_error("m.yaml:11:29: package.die_to_die.connections: contradicts die.routers.rows: expected a multiple of "
                  "10, as many for each router on a die's east and west side, got 33"));
    const auto column_of_dies = changed("dies: {rows: 6, columns: 7}", "dies: {rows: 6, columns: 1}");
    CHECK(errors_of(changed("connections: 220", "connections: 33", column_of_dies)).empty());
    CHECK(errors_of(changed("connections: 220", "connections: 20", column_of_dies)).find("die.routers.columns") !=
          std::string::npos);
  }

  TEST_CASE("3.8 all errors are reported at once, in file order, overrides last") {
    auto text = changed("store_bandwidth: 10 GB/s", "store_bandwidth: fast");
    text = changed("clock: 1.7 GHz", "clock: 1 ghz", text);
    text = changed("  packet_bytes: 128 B", "  packet_bytes: 100 B\n  speed: 1", text);
    CHECK(
        errors_of(text, {"pe.mac.tile.q=3", "pe.stream_depth=0"}) ==
        "m.yaml:29:10: pe.clock: expected a frequency such as 1 GHz (in Hz, kHz, MHz or GHz), got '1 ghz'; did you "
        "mean "
        "'GHz'?\n"
        "m.yaml:37:20: pe.store_bandwidth: expected a bandwidth such as 256 GB/s, got 'fast'\n"
        "m.yaml:48:17: simulation.packet_bytes: contradicts die.hbm.burst: expected a multiple of the burst, 64 B, got "
        "100 B\n"
        "m.yaml:49:3: simulation.speed: unknown key; expected one of packet_bytes\n"
        "--set pe.mac.tile.q=3: pe.mac.tile.q: unknown key; expected one of m, k, n\n"
        "--set pe.stream_depth=0: pe.stream_depth: out of range: expected 1 to 65536, got '0'\n"
        "6 errors in machine m.yaml");
  }

  TEST_CASE("3.8 text that is no machine at all is one error") {
    CHECK(errors_of("pe: {clock: 1 GHz\n").find("m.yaml:2:1: not valid YAML: ") == 0);
    CHECK(errors_of("") ==
          one_error("m.yaml:1:1: expected a machine with the keys schema, name, base, system, package, die, pe, "
                    "simulation, energy, cost, got nothing"));
    CHECK(errors_of("- 1\n").find("m.yaml:1:1: expected a machine with the keys schema,") == 0);
    CHECK(errors_of(std::string(kExample) + "---\nname: second\n") ==
          one_error("m.yaml:49:1: expected one machine in a file, got a second YAML document"));
    CHECK_THROWS_WITH_AS(load_machine("/nowhere/m.yaml"), "cannot read /nowhere/m.yaml: No such file or directory",
                         ConfigError);
    CHECK_THROWS_WITH_AS(load_machine("/"), "cannot read /: expected a file, got a folder", ConfigError);
  }

  TEST_CASE("3.8 nesting has an end that is said") {
    CHECK(errors_of("pe: " + std::string(100'000, '[')).find("expected at most 16 levels inside each other") !=
          std::string::npos);
    std::string deep;
    for (std::size_t i = 0; i < 20; ++i) deep += std::string(i, ' ') + "a:\n";
    CHECK(errors_of(deep + std::string(20, ' ') + "a: 1\n") ==
          one_error("m.yaml:17:17: not valid YAML: expected at most 16 levels inside each other, got more"));
  }

  TEST_CASE("3.9 an override is refused as the user typed it") {
    CHECK(errors_of(kExample, {"pe.clock"}) ==
          one_error("--set pe.clock: expected key.path=value, such as pe.clock='2 GHz'"));
    CHECK(errors_of(kExample, {"pe.clok=2 GHz"}) ==
          one_error("--set pe.clok=2 GHz: pe.clok: unknown key; did you mean 'pe.clock'?"));
    CHECK(errors_of(kExample, {"clock=2 GHz"}) ==
          one_error("--set clock=2 GHz: clock: unknown key; did you mean 'pe.clock'?"));
    CHECK(errors_of(kExample, {"hbm.bandwidth=1 TB/s"}) ==
          one_error("--set hbm.bandwidth=1 TB/s: hbm.bandwidth: unknown key; did you mean 'die.hbm.bandwidth'?"));
    CHECK(errors_of(kExample, {"pe.mac.tile={m: 1, k: 1, n: 1}"}) ==
          one_error(
              "--set pe.mac.tile={m: 1, k: 1, n: 1}: pe.mac.tile: expected one key, got a section; set its keys one "
              "by one: m, k, n"));
    CHECK(errors_of(kExample, {"pe.clock={a: 1}"}) ==
          one_error("--set pe.clock={a: 1}: pe.clock: expected a frequency such as 1 GHz, got a map"));
    CHECK(
        errors_of(kExample, {"pe.clock=1 GHz", "pe.clock=2 GHz"}) ==
        one_error("--set pe.clock=2 GHz: pe.clock: duplicate key: expected it once, got --set pe.clock=1 GHz before"));
    CHECK(errors_of(kExample, {"die.hbm.burst=256 B"}) ==
          one_error(
              "--set die.hbm.burst=256 B: simulation.packet_bytes: contradicts die.hbm.burst: expected a multiple of "
              "the burst, 256 B, got 128 B"));
  }
}

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.8 a file of nothing but errors is answered with the first hundred, each of them short") {
    std::string keys;
    while (keys.size() < 1'000'000) keys += "k" + std::to_string(keys.size()) + ": 1\n";
    const std::string message = errors_of(keys);
    CHECK(std::count(message.begin(), message.end(), '\n') == 100);
    CHECK(message.size() < 20'000);
    CHECK(message.ends_with("\n100 errors, and perhaps more, in machine m.yaml"));
    CHECK(errors_of(changed("1.7 GHz", std::string(100'000, '7'))).size() < 1100);
    std::string anchors;
    while (anchors.size() < 1'000'000) anchors += "- &a 1\n";
    CHECK(errors_of(anchors).size() < 20'000);
  }
}

TEST_SUITE("ADR-0031") {
  TEST_CASE("31.10 what an array of cells cannot be is refused with both keys") {
    const auto error = [](const std::vector<std::string>& overrides) {
      const std::string text = errors_of(kExample, overrides);
      return text.substr(0, text.find('\n'));
    };
    CHECK(error({"pe.mac.rows=3", "pe.mac.columns=5"}) == "");
    CHECK(error({"pe.mac.rows=3", "pe.mac.columns=5", "pe.mac.depth=2"}) ==
          "--set pe.mac.rows=3: pe.mac.macs_per_cycle: contradicts pe.mac.rows, pe.mac.columns and pe.mac.depth: "
          "expected none, or 3 x 5 x 2 = 30, got 15");
    CHECK(error({"pe.mac.rows=3"}) ==
          "--set pe.mac.rows=3: pe.mac.rows: contradicts pe.mac.columns: expected rows and columns, or neither, got 3 "
          "x 0");
    CHECK(error({"pe.mac.columns=3"}).find("expected rows and columns, or neither, got 0 x 3") != std::string::npos);
    CHECK(error({"pe.mac.macs_per_cycle=0"}) ==
          "--set pe.mac.macs_per_cycle=0: pe.mac.macs_per_cycle: contradicts pe.mac.rows: expected 1 or more, or the "
          "rows and columns of an array, got 0");
    CHECK(error({"pe.mac.depth=2"}) ==
          "--set pe.mac.depth=2: pe.mac.depth: contradicts pe.mac.rows: expected 1, or an array with rows and columns, "
          "got 2");
    CHECK(error({"pe.mac.dataflow=output_stationary"}) ==
          "--set pe.mac.dataflow=output_stationary: pe.mac.dataflow: contradicts pe.mac.rows: a systolic array is "
          "expected to have rows and columns of 1 or more, got output_stationary without");
    CHECK(error({"pe.mac.weight_buffers=2"}) ==
          "--set pe.mac.weight_buffers=2: pe.mac.weight_buffers: contradicts pe.mac.dataflow: expected 1, or the "
          "dataflow 'weight_stationary', got 2");
    CHECK(error({"pe.mac.dataflow=weight_stationary", "pe.mac.weight_buffers=2", "pe.mac.rows=3",
                 "pe.mac.columns=5"}) == "");
    CHECK(error({"pe.mac.dataflow=systolic"})
              .find("expected one of 'dot_product', 'output_stationary', "
                    "'weight_stationary', got 'systolic'") != std::string::npos);
  }
}
