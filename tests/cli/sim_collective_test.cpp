// `kernbench sim collective` from outside: the table, JSON, verification, and what it refuses.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/program.hpp"

namespace {

std::vector<std::string> collective(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"sim", "collective"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

void check_collective_fails(const std::vector<std::string>& more, int exit_code, const std::string& message) {
  const Workplace place;
  const Ended ended = place.run(kProgram, collective(more));
  CHECK(ended.exit_code == exit_code);
  CHECK_MESSAGE(has(ended.err, message), ended.err);
}

kernbench::Results results_of(const std::vector<std::string>& more) {
  const Workplace place;
  std::vector<std::string> arguments = collective(more);
  arguments.emplace_back("--json");
  const Ended ended = place.run(kProgram, arguments);
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return kernbench::parse_results(ended.out, "stdout");
}

double time_ns(const kernbench::Row& row) { return row.metrics.json().at("time_ns").get<double>(); }

}  // namespace

TEST_CASE("sim collective runs what is named twice once") {
  CHECK(results_of({"--algorithm", "ring,direct,ring", "--sizes", "1KiB,512B,2 KiB,1024B"}).rows.size() ==
        results_of({"--algorithm", "ring,direct", "--sizes", "512 B..2 KiB*2"}).rows.size());
}

TEST_SUITE("ADR-0062") {
  TEST_CASE("62.5 sim collective simulates one package for all, and all of them where somebody asks for more") {
    const std::vector<std::string> ring{"--scale",     "system",
                                        "--set",       "system.packages.columns=3",
                                        "--set",       "package.dies.rows=1",
                                        "--set",       "package.dies.columns=1",
                                        "--sizes",     "6KiB",
                                        "--algorithm", "ring"};
    const auto simulated = [&ring](const std::vector<std::string>& more) {
      std::vector<std::string> arguments = ring;
      arguments.insert(arguments.end(), more.begin(), more.end());
      return results_of(arguments).rows.at(0).metrics.json();
    };
    const auto one = simulated({});
    CHECK(one.at("pes_simulated") == 8);
    for (const char* all : {"--no-fast-forward", "--trace=trace.json", "--verify"}) {
      const auto metrics = simulated({all});
      CHECK_MESSAGE(metrics.at("pes_simulated") == 24, all);
      CHECK(metrics.at("time_ns") == one.at("time_ns"));
    }
    CHECK(simulated({"--ranks-per", "die"}).at("pes_simulated") == 24);
    const Workplace place;
    CHECK(has(place.run(kProgram, collective(ring)).out, "8 PEs stood for all 24"));
  }
}

TEST_CASE("sim collective prints a row a point, the fastest algorithm a size, and the fits") {
  const Workplace place;
  const Ended ended = place.run(kProgram, collective({"--algorithm", "ring,direct", "--sizes", "16 B..64 KiB*16",
                                                      "--verify", "--values", "bf16", "--wide"}));
  CHECK(ended.exit_code == 0);
  CHECK(ended.err.empty());
  for (const char* text :
       {"collective on milestone-1h, 8 points", "busbw (GB/s)", "verified", "fastest", "alpha (ns)", "64 KiB  ring"}) {
    CHECK_MESSAGE(has(ended.out, text), ended.out);
  }
  const std::string one = place.run(kProgram, collective({"--sizes", "64 KiB"})).out;
  for (const char* text : {"all_reduce ring of 64 KiB, 8 ranks on milestone-1h: 1x1 packages of 1x1 dies of",
                           "11,424 packet-hops", "wake-ups a hop", "GB/s busbw", "count 32,768 of bf16"}) {
    CHECK_MESSAGE(has(one, text), one);
  }
}

TEST_CASE("sim collective counts elements as nccl-tests does") {
  const Workplace place;
  const auto out = [&place](const char* size) {
    return place.run(kProgram, collective({"--collective", "reduce_scatter", "--sizes", size})).out;
  };
  CHECK(has(out("128B"), "128 B, count 8 of bf16"));
  CHECK(has(out("256B"), "256 B, count 16 of bf16"));
}

TEST_CASE("sim collective --json is a results document with the derived rows") {
  const auto results = results_of({"--algorithm", "all", "--collective", "all_gather", "--sizes", "1KiB,4KiB,64KiB"});
  CHECK(results.bench == "sim-collective");
  std::size_t simulated = 0;
  std::size_t derived = 0;
  for (const auto& row : results.rows) {
    if (row.point.contains("derived")) {
      ++derived;
      continue;
    }
    ++simulated;
    CHECK(row.metrics.json()["bound_fraction"].get<double>() <= 1);
    CHECK(row.metrics.json()["link_util_max"].get<double>() <= 1);
    if (row.point["bytes"].get<std::int64_t>() >= 65536) {  // the budget of 1.14: packets that are full
      CHECK(row.metrics.json()["wakeups"].get<double>() <= 3 * row.metrics.json()["packet_hops"].get<double>());
    }
    CHECK(row.metrics.json()["ranks"] == 8);
    CHECK(row.point["scale"] == "die");
  }
  CHECK(simulated == 3 * 6);
  CHECK(derived >= 3 + 6);
}

TEST_CASE("one rank and zero bytes take no time") {
  for (const auto& row : results_of({"--ranks", "1", "--algorithm", "all"}).rows) CHECK(time_ns(row) == 0);
  for (const auto& row : results_of({"--sizes", "0B"}).rows) CHECK(time_ns(row) == 0);
}

TEST_CASE("a collective's trace is written") {
  const Workplace place;
  const Ended ended = place.run(kProgram, collective({"--sizes", "1KiB", "--trace", "t.json"}));
  CHECK(ended.exit_code == 0);
  CHECK(std::filesystem::file_size(place.path() / "t.json") > 1000);
}

TEST_CASE("sim collective refuses wrong input with what is allowed, exit code 2") {
  check_collective_fails({"--collective", "all_reduec"}, 2, "all_reduce");
  check_collective_fails({"--algorithm", "rign"}, 2, "ring");
  check_collective_fails({"--algorithm", "pairwise"}, 2, "pairwise");  // does no all_reduce
  check_collective_fails({"--sizes", "3B"}, 2, "size: expected a multiple of an element's 2 B, got 3 B");
  check_collective_fails({"--sizes", "16"}, 2, "--sizes: expected a size such as 16 MiB, got '16' without a unit");
  check_collective_fails({"--sizes", "1 KiB..16 B*4"}, 2, "expected a range from the smaller value to the larger");
  check_collective_fails({"--sizes", "16 B..1 KiB*1"}, 2, "expected FROM..TO*FACTOR");
  check_collective_fails({"--sizes", "0 B..1 KiB*4"}, 2, "with FROM above 0");
  check_collective_fails({"--sizes", "16 B..64 MiB+2 B"}, 2, "expected at most 1000 values");
  check_collective_fails({"--ranks", "257"}, 2, "expected 1 to 256 ranks");
  check_collective_fails({"--root-die", "middle"}, 2, "--root-die: unknown root die 'middle'");
  check_collective_fails({"--chunk", "5"}, 2, "--chunk: expected a size");
  check_collective_fails({"--root", "8", "--collective", "broadcast"}, 2, "root");
  for (const char* root : {"7", "8"}) {
    check_collective_fails({"--root", root}, 2, "expected a broadcast or a reduce; all_reduce has no root");
  }
  check_collective_fails({"--root-die", "corner"}, 2, "root die corner: expected the algorithm hierarchical");
  check_collective_fails({"--trace", "t.json", "--sizes", "16B,32B"}, 2, "--trace: expected one point, got 2");
  check_collective_fails({"--set", "pe.message_queue.slots=5000"}, 2, "pe.message_queue");
  check_collective_fails({"--scale", "rack"}, 2, "--scale");
  check_collective_fails({"--time-limit", "10 ns"}, 1, "passed its time limit");
}

TEST_SUITE("ADR-0020") {
  TEST_CASE("20.15 --ranks-per: a rank a PE as ever, a die, or a package") {
    const std::vector<std::string> small{
        "--sizes", "4KiB", "--set", "package.dies.rows=1", "--set", "package.dies.columns=2"};
    const auto row = [&](std::vector<std::string> more) {
      more.insert(more.end(), small.begin(), small.end());
      return results_of(more).rows.at(0);
    };
    const kernbench::Row pe = row({"--scale", "system"});
    CHECK(pe.point == row({"--scale", "system", "--ranks-per", "pe"}).point);
    CHECK(pe.metrics.json() == row({"--scale", "system", "--ranks-per", "pe"}).metrics.json());
    CHECK(pe.point["ranks_per"] == "pe");
    const kernbench::Row die = row({"--ranks-per", "die", "--verify", "--values", "bf16"});
    CHECK(die.point["ranks_per"] == "die");
    CHECK(die.metrics.json()["ranks"] == 2);
    CHECK(die.metrics.json()["sent_bytes"] == 2 * 4096);
    const kernbench::Row package = row({"--ranks-per", "package", "--verify"});
    CHECK(package.point["ranks_per"] == "package");
    CHECK(package.metrics.json()["ranks"] == 2);
    check_collective_fails({"--ranks-per", "package", "--scale", "package"}, 2, "scale package has one rank");
    const Workplace place;
    const auto heading = [&](std::vector<std::string> more) {
      more.insert(more.end(), small.begin(), small.end());
      more.emplace_back("--wide");
      return place.run(kProgram, collective(more)).out;
    };
    CHECK(has(heading({"--ranks-per", "package", "--trace", "t.json"}),
              "all_reduce ring of 4 KiB, 2 ranks of 16 PEs on milestone-1h: 1x2 packages, packets of 256 B"));
    const std::string trace = kernbench::read_file((place.path() / "t.json").string());
    for (const char* text : {"ranks_per", "package0_die0_pe0", "package1_die1_pe7"}) CHECK(has(trace, text));
    CHECK(has(heading({"--ranks-per", "die", "--scale", "system"}),
              "4 ranks of 8 PEs on milestone-1h: 1x2 packages of "
              "1x2 dies, packets"));
    CHECK(
        has(heading({"--ranks-per", "die", "--ranks", "3"}), "3 ranks of 8 PEs on milestone-1h: a row of 3, packets"));
  }

  TEST_CASE("20.15 a rank that makes no sense is refused") {
    check_collective_fails({"--ranks-per", "dei"}, 2, "--ranks-per: unknown unit of a rank 'dei': did you mean 'die'?");
    check_collective_fails({"--ranks-per", "package", "--scale", "die"}, 2,
                           "expected scale package or system, got die");
    check_collective_fails({"--ranks-per", "package", "--ranks", "3"}, 2,
                           "expected 1 to 2 ranks, as machine milestone-1h has so many packages, got 3");
    check_collective_fails({"--ranks-per", "package", "--collective", "broadcast", "--root", "2"}, 2,
                           "root 2 is no rank: there are 2, from 0");
    check_collective_fails({"--ranks-per", "die", "--sizes", "2GiB", "--verify", "--memory", "1GiB"}, 2,
                           "elements whose values are carried");
  }

  TEST_CASE("20.16 of all algorithms what is far behind is skipped with a word, and simulated by its name") {
    const std::vector<std::string> twenty{"--ranks", "20", "--sizes", "16B,20KiB"};
    const auto with = [&twenty](const std::string& algorithm) {
      std::vector<std::string> arguments = twenty;
      arguments.insert(arguments.end(), {"--algorithm", algorithm});
      return arguments;
    };
    std::size_t skipped = 0;
    for (const kernbench::Row& row : results_of(with("all")).rows) {
      if (row.status == "ok") continue;
      ++skipped;
      CHECK(row.status == "skipped");
      CHECK(row.point.at("algorithm") == "direct");
      CHECK(row.point.at("bytes") == 20480);
      CHECK_MESSAGE(has(row.reason, "times as long as those of"), row.reason);
      CHECK_MESSAGE(has(row.reason, "--algorithm direct simulates it"), row.reason);
      CHECK(row.metrics.json().empty());
    }
    CHECK(skipped == 1);
    for (const kernbench::Row& row : results_of(with("direct")).rows) CHECK(row.status == "ok");
    const Workplace place;
    std::vector<std::string> wide = with("all");
    wide.emplace_back("--wide");
    const Ended ended = place.run(kProgram, collective(wide));
    CHECK(ended.exit_code == 0);
    CHECK_MESSAGE(has(ended.out, "skipped: its ports alone take 10 times as long as those of bidirectional_ring"),
                  ended.out);
    CHECK(has(place.run(kProgram, collective({"--algorithm", "all", "--sizes", "3B"})).err, "a multiple of"));
    std::vector<std::string> narrow = with("all");
    narrow.insert(narrow.end(), {"--set", "pe.message_queue.slots=120", "--set", "pe.tcm.capacity=1 MiB"});
    std::size_t without_room = 0;
    for (const kernbench::Row& row : results_of(narrow).rows) {
      without_room += has(row.reason, "queues of 120 slots of 4 KiB for a PE do not fit in its TCM") ? 1 : 0;
      CHECK(row.status != "failed");
    }
    CHECK(without_room > 0);
    CHECK(has(place.run(kProgram, collective({"--help"})).out, "are not far\n"));
  }

  TEST_CASE("20.13 the textbook's ring all_reduce of 1 MiB over 8 ranks takes 17 695 020 ps") {
    const auto results =
        results_of({"--topology", kernbench::source_dir() + "/topology/alpha_beta.yaml", "--scale", "system"});
    CHECK(time_ns(results.rows.at(0)) == 17695.02);
  }

  TEST_CASE("20.8 a machine key that is set beside the file is that of --set") {
    const auto hash = [](std::vector<std::string> options) {
      options.insert(options.end(), {"--sizes", "1KiB"});
      return results_of(options).source.machine_sha256;
    };
    CHECK(hash({"--packet", "4KiB"}) == hash({"--set", "simulation.packet_bytes=4 KiB"}));
    CHECK(hash({"--packet", "4KiB"}) != hash({}));
  }

  TEST_CASE("20.14 a bench's row and a collective's say with which packets they were simulated") {
    const Workplace place;
    const Ended ended =
        place.run(kProgram, {"run", "--bench", "milestone-1h-ccl", "--only", "case=all_reduce-ring-die-tcm,size=64KiB",
                             "--fresh", "--out", "out", "--no-figures", "--quiet"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const std::string file = (place.path() / "out/milestone-1h-ccl/results.json").string();
    const auto bench = kernbench::parse_results(kernbench::read_file(file), file);
    CHECK(bench.rows.at(0).metrics.json()["packet_bytes"] == 256);
    CHECK(time_ns(bench.rows.at(0)) == time_ns(results_of({"--sizes", "64KiB"}).rows.at(0)));
    CHECK(results_of({"--sizes", "64KiB", "--packet", "4KiB"}).rows.at(0).metrics.json()["packet_bytes"] == 4096);
  }

  TEST_CASE("20.14 a machine whose buffers hold no round trip is warned of by its check and by runs") {
    const Workplace place;
    const std::vector<std::string> small{"--set", "package.die_to_die.buffer=1 KiB"};
    for (std::vector<std::string> command : {std::vector<std::string>{"topology", "check"},
                                             {"sim", "collective", "--sizes", "1KiB"},
                                             {"probe", "--only", "own-hbm-read"}}) {
      CHECK(place.run(kProgram, command).err.find("warning: ") == std::string::npos);
      command.insert(command.end(), small.begin(), small.end());
      const Ended ended = place.run(kProgram, command);
      CHECK(ended.exit_code == 0);
      CHECK(ended.err.find("warning: package.die_to_die.buffer: the buffers of the links between dies hold 4 packets "
                           "of 256 B") != std::string::npos);
    }
  }
}

TEST_SUITE("ADR-0019") {
  TEST_CASE("19.20 a machine whose slots hold less than a stream has under way is noted by its check and by runs") {
    const Workplace place;
    const std::string note = "note: pe.message_queue: 4 slots of 4 KiB hold 16 KiB in flight from package0.die0.pe0 to";
    const std::vector<std::string> gemm{"sim", "gemm", "--m", "64", "--k", "64", "--n", "64", "--over", "0.0.0,0.1.0"};
    for (std::vector<std::string> command :
         {std::vector<std::string>{"topology", "check"},
          {"sim", "collective", "--sizes", "1KiB", "--scale", "package", "--algorithm", "ring"},
          gemm}) {
      CHECK(has(place.run(kProgram, command).err, note + " package0.die1.pe0: 69 % of the link"));
      command.insert(command.end(), {"--set", "pe.message_queue.slots=64"});
      CHECK_FALSE(has(place.run(kProgram, command).err, "note: pe.message_queue"));
    }
  }
}
