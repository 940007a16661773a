// `kernbench sim` and `kernbench topology` from outside: what they print, what they refuse, what they write.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/numbers.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

std::vector<std::string> gemm(const std::vector<std::string>& more, const std::string& variant = "load_ref") {
  std::vector<std::string> arguments{"sim", "gemm", "--m", "128", "--k", "128", "--n", "128", "--variant", variant};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The text behind the first `name` that begins a line.
std::string line_of(const std::string& text, const std::string& name) {
  const std::size_t found = ("\n" + text).find("\n" + name);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + name.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

void check_fails(const std::vector<std::string>& arguments, int exit_code, const std::string& message) {
  const Workplace place;
  const Ended ended = place.run(kProgram, arguments);
  CHECK(ended.exit_code == exit_code);
  CHECK(ended.out.empty());
  CHECK_MESSAGE(has(ended.err, message), ended.err);
  CHECK(has(ended.err, "error: "));
}

}  // namespace

TEST_CASE("a run whose times 63 bits do not hold ends in an error that names them, and prints no number") {
  // 22,000^3 products at one a microsecond are 1.07e19 ps: 123 days.
  const std::vector<std::string> machine = {"--set", "pe.clock=1 MHz",
                                            "--set", "pe.mac.macs_per_cycle=1",
                                            "--set", "die.hbm.capacity=4 GiB",
                                            "--set", "pe.mac.tile.m=512",
                                            "--set", "pe.mac.tile.k=512",
                                            "--set", "pe.mac.tile.n=512",
                                            "--set", "simulation.packet_bytes=16KiB"};
  std::vector<std::string> arguments{"sim",   "gemm", "--m",   "22000",     "--k",
                                     "22000", "--n",  "22000", "--variant", "ref_ref"};
  arguments.insert(arguments.end(), machine.begin(), machine.end());
  check_fails(arguments, 1, "simulated time beyond 2^63 - 1 ps (106 days)");
}

TEST_CASE("sim gemm shows stages, windows, bound and bottleneck, and says that values are verified") {
  const Workplace place;
  const Ended ended = place.run(kProgram, gemm({"--verify"}));
  CHECK(ended.exit_code == 0);
  CHECK(ended.err.empty());
  CHECK(has(ended.out, "gemm 128x128x128 load_ref on milestone-1h\n32 tiles of 32x64x32, blocked layout"));
  for (const char* stage : {"load", "schedule", "dma_in", "fetch", "mac", "store", "dma_out", "hbm"}) {
    CHECK_MESSAGE(!line_of(ended.out, stage).empty(), stage);
  }
  CHECK(has(line_of(ended.out, "mac"), "pe0.mac"));
  CHECK(has(line_of(ended.out, "mac"), "32      512.0      512.0"));  // 32 tiles of 16 ns
  CHECK(has(line_of(ended.out, "limited by"), "MAC array, "));
  CHECK(has(line_of(ended.out, "bound by"), "dma_in"));
  CHECK(has(line_of(ended.out, "values"), "verified"));
  CHECK_FALSE(has(place.run(kProgram, gemm({})).out, "verified"));
}

TEST_CASE("what limits is named for what it is") {
  const Workplace place;
  const auto limit = [&place](const std::vector<std::string>& arguments) {
    return line_of(place.run(kProgram, arguments).out, "limited by");
  };
  const std::vector<std::string> large{"sim", "gemm", "--m", "256", "--k", "256", "--n", "256", "--variant"};
  const auto with = [&large](std::vector<std::string> more) {
    more.insert(more.begin(), large.begin(), large.end());
    return more;
  };
  CHECK(has(limit(with({"ref_ref"})), "HBM bandwidth"));
  CHECK(has(limit(with({"load_load"})), "MAC array"));
  CHECK(has(limit(with({"load_load", "--epilogue", "gelu", "--set", "pe.vector.lanes=16"})), "vector unit"));
  CHECK(has(limit(with({"load_load", "--set", "pe.fetch_bandwidth=256 GB/s"})), "fetch from TCM"));
  const std::vector<std::string> small{"sim", "gemm", "--m", "8", "--k", "8", "--n", "8", "--variant", "ref_ref"};
  CHECK(has(limit(small), "latency of reads"));
}

TEST_CASE("--json is a results document") {
  const Workplace place;
  const Ended ended = place.run(kProgram, gemm({"--json", "--verify", "--layout", "row_major"}));
  CHECK(ended.exit_code == 0);
  const auto results = kernbench::parse_results(ended.out, "stdout");
  REQUIRE(results.rows.size() == 1);
  const auto& row = results.rows[0];
  CHECK(row.point["layout"] == "row_major");
  CHECK(row.metrics.json()["tiles"] == 32);
  CHECK(row.metrics.json()["time_ns"].get<double>() >= row.metrics.json()["bound_ns"].get<double>());
  CHECK(row.flags == std::vector<std::string>{"verified"});
  CHECK(results.source.machine == "milestone-1h");
}

TEST_CASE("--trace writes a trace, the same every time") {
  const Workplace place;
  const Ended ended = place.run(kProgram, gemm({"--trace", "a.perfetto-trace.gz"}));
  CHECK(ended.exit_code == 0);
  CHECK(has(line_of(ended.out, "trace"), "a.perfetto-trace.gz"));
  CHECK(place.run(kProgram, gemm({"--trace", "b.perfetto-trace.gz"})).exit_code == 0);
  CHECK(kernbench::read_file(place.path() / "a.perfetto-trace.gz") ==
        kernbench::read_file(place.path() / "b.perfetto-trace.gz"));
}

TEST_CASE("wrong input is refused with what is allowed, exit code 2") {
  check_fails(gemm({}, "load_rf"), 2, "did you mean 'load_ref'?");
  check_fails(gemm({"--layout", "diagonal"}), 2, "--layout: unknown layout 'diagonal'. There are: blocked, row_major");
  check_fails(gemm({"--epilogue", "bias,swish"}), 2,
              "unknown epilogue 'swish'. There are: scale, bias, relu, gelu, silu");
  check_fails(gemm({"--epilogue", "multiply"}), 2, "which only a kernel can give it (GemmCall::auxiliary");
  check_fails(gemm({"--trace", "t.txt"}), 2, "expected a name that ends in .perfetto-trace.gz");
  check_fails(gemm({"--trace", "nowhere/t.json"}), 2, "cannot write the trace nowhere/t.json: No such file");
  check_fails(gemm({"--time-limit", "5"}), 2, "--time-limit: expected a time");
  check_fails(gemm({"--json", "."}), 2, "--json: expected the name of a file, got '.', a folder");
  check_fails(gemm({"--csv", "/dev/null/in/it"}), 2,
              "--csv: expected a file in a folder, got '/dev/null/in/it', but /dev/null is no folder");
  check_fails(gemm({"--set", "pe.clok=1 GHz"}), 2, "did you mean 'pe.clock'?");
  check_fails({"sim", "gemm", "--m", "0", "--k", "1", "--n", "1", "--variant", "ref_ref"}, 2,
              "--m: expected a whole number from 1 to 1000000, got '0'");
  check_fails({"sim", "gemm", "--m", "many"}, 2, "kernbench sim gemm --help lists the options");
  check_fails({"sim"}, 2, "kernbench sim --help");
}

TEST_CASE("a document and a trace do not take each other's place") {
  const Workplace place;
  for (const char* other : {"t.json", "./t.json", "below/../t.json"}) {
    std::vector<std::string> arguments = gemm({"--trace", "t.json"});
    arguments.push_back(std::string("--json=") + other);
    const Ended ended = place.run(kProgram, arguments);
    CHECK(ended.exit_code == 2);
    CHECK(ended.err == "error: --trace and --json: expected two files, got t.json for both\n");
    CHECK_FALSE(fs::exists(place.path() / "t.json"));
  }
}

TEST_CASE("the machine file that is read is not written over") {
  const Workplace place;
  const fs::path machine = place.path() / "m.yaml";
  fs::copy_file(fs::path(kernbench::source_dir()) / "topology/milestone_1h.yaml", machine);
  const std::string before = kernbench::read_file(machine);
  for (const char* option : {"--json=m.yaml", "--csv=./m.yaml"}) {
    for (const auto& command : {std::vector<std::string>{"sim", "gemm", "--m", "32", "--k", "32", "--n", "32"},
                                std::vector<std::string>{"sim", "collective", "--scale", "die", "--sizes", "4KiB"},
                                std::vector<std::string>{"sim", "shift_around"}}) {
      std::vector<std::string> arguments = command;
      arguments.insert(arguments.end(), {"--topology", "m.yaml", option});
      const Ended ended = place.run(kProgram, arguments);
      CHECK(ended.exit_code == 2);
      CHECK_MESSAGE(has(ended.err, "and --topology: expected two files, got "), ended.err);
      CHECK(kernbench::read_file(machine) == before);
    }
  }
}

TEST_CASE("a simulation that fails ends with exit code 1 and leaves no trace behind") {
  check_fails(gemm({"--time-limit", "50 ns"}), 1, "passed its time limit");
  const Workplace place;
  const Ended ended = place.run(kProgram, {"sim", "gemm", "--m", "8192", "--k", "8192", "--n", "8192", "--variant",
                                           "ref_ref", "--timeout", "0.05", "--trace", "t.pftrace.gz"});
  CHECK(ended.exit_code == 1);
  CHECK(has(ended.err, "timed out after 0.05 s"));
  CHECK_FALSE(fs::exists(place.path() / "t.pftrace.gz"));
  CHECK_FALSE(fs::exists(place.path() / "t.pftrace.gz.partial"));
}

TEST_CASE("topology shows, checks and describes machine files") {
  const Workplace place;
  const Ended show = place.run(kProgram, {"topology", "show", "--set", "pe.clock=2 GHz"});
  CHECK(show.exit_code == 0);
  CHECK(has(show.out, "machine milestone-1h"));
  CHECK(has(show.out, "2 GHz"));
  const Ended check = place.run(kProgram, {"topology", "check"});
  CHECK(check.exit_code == 0);
  CHECK(has(check.out, "machine milestone-1h is valid\nsha256   "));
  CHECK_FALSE(has(check.out, "defaults"));
  const std::string smallest = kernbench::source_dir() + "/tests/machine/smallest.yaml";
  for (const char* command : {"show", "check"}) {
    CHECK(has(place.run(kProgram, {"topology", command, smallest}).out,
              "absent   system.package_link, system.host_link, system.io_processor_latency,\n"
              "         package.die_to_die, die.sram, die.wire.sram_to_router,\n"
              "         pe.message_queue, of which the file says nothing\n"
              "defaults system.packages, system.arrangement, package.dies, die.hbm.turnaround,\n"
              "         die.hbm.write_batch, die.hbm.write_queue, die.hbm.port_buffer,\n"
              "         die.hbm.model, simulation, which the file leaves out\n"));
  }
  CHECK(has(place.run(kProgram, {"probe", smallest, "--only", "own-hbm-read"}).err,
            "note: at defaults, since machine one-die leaves them out: system.packages, "));
  const Ended schema = place.run(kProgram, {"topology", "schema"});
  CHECK(kernbench::Json::parse(schema.out).contains("$schema"));

  kernbench::write_file(place.path() / "mine.yaml", "schema: kernbench.machine/1\nnmae: mine\n");
  const Ended refused = place.run(kProgram, {"topology", "check", "mine.yaml"});
  CHECK(refused.exit_code == 2);
  CHECK(has(refused.err, "mine.yaml:2:1: "));
  const Ended by_option = place.run(kProgram, {"topology", "check", "--topology", "mine.yaml"});
  CHECK(by_option.exit_code == 2);
  CHECK(by_option.err == refused.err);
  check_fails({"topology", "draw"}, 2, "draw");
}

TEST_SUITE("ADR-0003") {
  TEST_CASE("3.13 a collective and messages of a kernel are refused on a machine without message queues, by name") {
    const Workplace place;
    const std::vector<std::string> four{"--topology", kernbench::source_dir() + "/tests/machine/smallest.yaml", "--set",
                                        "die.routers.columns=4"};
    const auto refused = [&](std::vector<std::string> words, const std::string& who) {
      words.insert(words.end(), four.begin(), four.end());
      const Ended ended = place.run(kProgram, words);
      CHECK(ended.exit_code == 2);
      CHECK_MESSAGE(has(ended.err, "machine one-die has no pe.message_queue, which " + who +
                                       " needs; expected that section in the machine file, or its keys by --set"),
                    ended.err);
    };
    refused({"sim", "collective", "--sizes", "1KiB"}, "a collective");
    refused({"sim", "shift_around", "--over", "die"}, "a message between PEs");
    refused({"sim", "gemm", "--over", "die", "--variant", "ring_shift", "--m", "512", "--k", "512", "--n", "512"},
            "a GEMM whose PEs send each other messages");
    std::vector<std::string> alone{"sim", "gemm", "--m", "128", "--k", "128", "--n", "128"};
    alone.insert(alone.end(), four.begin(), four.end());
    CHECK(place.run(kProgram, alone).exit_code == 0);
  }

  TEST_CASE("3.14 topology check names the files that a machine inherits from; results have the whole machine's hash") {
    const Workplace place;
    const std::string milestone = kernbench::source_dir() + "/topology/milestone_1h.yaml";
    kernbench::write_file(place.path() / "mine.yaml",
                          "schema: kernbench.machine/1\nname: milestone-1h\nbase: " + milestone + "\n");
    const Ended check = place.run(kProgram, {"topology", "check", "mine.yaml"});
    CHECK(check.exit_code == 0);
    CHECK(has(check.out, "base     " + milestone + "\n"));
    const auto hash = [](const std::string& text) { return text.substr(text.find("sha256 "), 73); };
    CHECK(hash(check.out) == hash(place.run(kProgram, {"topology", "check"}).out));
  }
}

TEST_SUITE("ADR-0021") {
  TEST_CASE("21.13 topology show has the rates of whole paths and the keys that limit them") {
    const Workplace place;
    const Ended show = place.run(kProgram, {"topology", "show", "--set", "pe.dma.outstanding_bursts=32"});
    CHECK(has(show.out,
              "  own HBM to TCM                   = 181.802 GB/s\n"
              "    die.hbm.bandwidth                256 GB/s\n"
              "    die.router.link_bandwidth        256 GB/s\n"
              "    pe.tcm.write_bandwidth           512 GB/s\n"
              "    pe.dma.outstanding_bursts        181.802 GB/s: 32 x 256 B in 45.06 ns, the limit\n"));
  }

  TEST_CASE("21.14 topology check warns of what cannot be used, exit code 0") {
    const Workplace place;
    const Ended warned = place.run(kProgram, {"topology", "check", "--set", "die.hbm.bandwidth=512 GB/s"});
    CHECK(warned.exit_code == 0);
    CHECK(has(warned.err,
              "warning: die.hbm.bandwidth: a PE reads its own HBM with at most 256 GB/s of its 512 GB/s, because of "
              "die.router.link_bandwidth: set die.router.link_bandwidth to at least 512 GB/s\n"));
    CHECK_FALSE(has(place.run(kProgram, {"topology", "check"}).err, "warning"));
  }

  TEST_CASE("21.14 docs/machine-file.md shows the paths and warnings of its example") {
    const Workplace place;
    const std::string page = kernbench::read_file(kernbench::source_dir() + "/docs/machine-file.md");
    const std::vector<std::string> set{"--set", "die.hbm.bandwidth=512 GB/s"};
    const std::string shown = place.run(kProgram, {"topology", "show", set[0], set[1]}).out;
    const auto begin = shown.find("  own HBM to TCM");
    REQUIRE(begin != std::string::npos);
    CHECK(has(page, shown.substr(begin, shown.find("  TCM to own HBM") - begin)));
    const std::string warned = place.run(kProgram, {"topology", "check", set[0], set[1]}).err;
    CHECK(has(page, warned.substr(0, warned.find("note: "))));
  }
}

TEST_CASE("every machine of topology/ is valid and has nothing that cannot be used") {
  const Workplace place;
  int machines = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kernbench::source_dir() + "/topology")) {
    if (entry.path().extension() != ".yaml") continue;  // rows that a machine was fitted to
    const Ended check = place.run(kProgram, {"topology", "check", entry.path().string()});
    CAPTURE(entry.path().string());
    CHECK(check.exit_code == 0);
    CHECK_FALSE(has(check.err, "warning"));
    ++machines;
  }
  CHECK(machines >= 3);
}

TEST_CASE("topology check refuses a machine whose network could deadlock, with the cycle and the remedy") {
  const Workplace place;
  const Ended refused = place.run(
      kProgram, {"topology", "check", "--set", "system.packages.columns=4", "--set", "die.router.virtual_channels=1"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.out.empty());
  CHECK(has(refused.err, "  package3.switch -> package0.switch, class 0\n"));
  CHECK(has(refused.err, "set die.router.virtual_channels to at least 2, got 1"));
}

TEST_CASE("topology diagram writes the drawings of a level, or of all, and says where") {
  const Workplace place;
  const Ended die = place.run(kProgram, {"topology", "diagram", "--level", "die", "--out", "drawn"});
  CHECK(die.exit_code == 0);
  CHECK(die.out == "drawn/topology_die.svg\nwritten, and beside each a .png and the .vl.json it is drawn from\n");
  for (const char* kind : {"svg", "png", "vl.json"}) {
    CHECK(std::filesystem::file_size(place.path() / "drawn" / (std::string("topology_die.") + kind)) > 1000);
  }
  CHECK(place.run(kProgram, {"topology", "diagram"}).exit_code == 0);
  for (const char* level : {"system", "package", "die", "pe"}) {
    CHECK(std::filesystem::exists(place.path() / "out/topology" / (std::string("topology_") + level + ".png")));
  }
  check_fails({"topology", "diagram", "--level", "tile"}, 2, "tile");
  kernbench::write_file(place.path() / "file", "");
  const Ended refused = place.run(kProgram, {"topology", "diagram", "--level", "pe", "--out", "file"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err == "error: cannot make the folder file: Not a directory\n");
}

TEST_SUITE("ADR-0027") {
  TEST_CASE("27.6 a machine is an argument or --topology, sizes are --sizes or --bytes, a document JSON or CSV") {
    const Workplace place;
    const std::string file = kernbench::source_dir() + "/topology/alpha_beta.yaml";
    const auto out = [&place](const std::vector<std::string>& words) {
      const Ended ended = place.run(kProgram, words);
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
      return ended.out;
    };
    CHECK(out({"topology", "show", file}) == out({"topology", "show", "--topology", file}));
    CHECK(out({"probe", file, "--only", "own-*", "--sizes", "1MiB"}) ==
          out({"probe", "--topology", file, "--only", "own-*", "--bytes", "1MiB"}));
    for (const char* command : {"probe", "collective"}) {
      std::vector<std::string> words{"probe", "--only", "own-*"};
      if (std::string(command) == "collective") words = {"sim", "collective"};
      auto sizes = words;
      sizes.insert(sizes.end(), {"--sizes", "4KiB", "--json"});
      auto bytes = words;
      bytes.insert(bytes.end(), {"--bytes", "4KiB", "--json"});
      CHECK(out(sizes) == out(bytes));
      words.insert(words.end(), {"--csv", "table.csv"});
      CHECK(has(out(words), std::string(command) == "probe" ? "──" : "GB/s busbw"));
      CHECK(has(kernbench::read_file(place.path() / "table.csv"), "time_ns"));
    }
  }

  TEST_CASE("27.6 sim gemm shows the fastest mapping unless a variant is named, and compares all by that name") {
    const Workplace place;
    const std::vector<std::string> usual{"sim", "gemm", "--m", "64", "--k", "64", "--n", "64"};
    CHECK(has(place.run(kProgram, usual).out, "gemm 64x64x64 mapped on milestone-1h"));
    auto words = usual;
    words.insert(words.end(), {"--variant", "all"});
    const Ended all = place.run(kProgram, words);
    CHECK(all.exit_code == 0);
    for (const char* variant : {"ref_ref", "load_ref", "load_load"}) {
      CHECK(!line_of(all.out, variant).empty());
      auto one = usual;
      one.insert(one.end(), {"--variant", variant, "--json"});
      const auto results = kernbench::parse_results(place.run(kProgram, one).out, "stdout");
      const std::string time = kernbench::formatted("%.1f", results.rows.at(0).metrics.json()["time_ns"].get<double>());
      CHECK(has(line_of(all.out, variant), time));
    }
    auto json = words;
    json.emplace_back("--json");
    CHECK(kernbench::parse_results(place.run(kProgram, json).out, "stdout").rows.size() == 3);
    auto trace = words;
    trace.insert(trace.end(), {"--trace", "t.json"});
    check_fails(trace, 2, "--trace: expected one point, got 3");
  }
}
