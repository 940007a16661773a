// Workloads: what one declaration makes of an axis, on which machine, and the same numbers by every command.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "benches/io/text/json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"

using kernbench::Json;
using kernbench::refusal;

namespace {

using Words = std::vector<std::string>;

const std::string kGpu = kernbench::source_dir() + "/topology/h200.yaml";

Json rows_by(const std::string& program, Words words) {
  const Workplace place;
  words.insert(words.end(), {"--json", "result.json"});
  const Ended ended = place.run(program, words);
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  return Json::parse(std::ifstream(place.path() / "result.json")).at("rows");
}

Words names_of(const Json& object) {
  Words names;
  for (const auto& field : object.items()) names.push_back(field.key());
  return names;
}

Words with(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// By option: the field that it sets, another value than the usual one, and that value in a point.
struct Asked {
  std::string field;
  std::string text;
  Json value;
};

void check_each_option(const std::string& program, const Words& command, const std::map<std::string, Asked>& options) {
  const Json usual = rows_by(program, command).front().at("point");
  for (const auto& one : options) {
    const std::string& option = one.first;
    const Asked& asked = one.second;
    CAPTURE(option);
    Json expected = usual;
    REQUIRE(expected.at(asked.field) != asked.value);
    expected[asked.field] = asked.value;
    CHECK(rows_by(program, with(command, {option, asked.text})).front().at("point") == expected);
  }
}

/// The time of the only row of a bench at these values.
Json time_by_run(const std::string& program, const std::string& bench, const Words& more) {
  const Workplace place;
  const Ended ended = place.run(program, with({"run", bench, "-q", "--no-figures"}, more));
  REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
  const Json rows = Json::parse(std::ifstream(place.path() / "out" / bench / "results.json")).at("rows");
  REQUIRE(rows.size() == 1);
  return rows.front().at("metrics").at("time_ns");
}

const Words kOperator{"sim", "operator", "--op", "gelu", "--dimension", "64", "--sequence", "2"};

}  // namespace

TEST_SUITE("ADR-0063") {
  TEST_CASE("63.1 63.4 a point has the fields of its machine's axes, in their order, and each option is one of them") {
    CHECK(names_of(rows_by(kProgram, kOperator).front().at("point")) ==
          Words{"operation", "implementation", "batch_size", "sequence_length", "tensor_dimension", "dtype", "over"});
    CHECK(names_of(rows_by(kProgram, with(kOperator, {"--topology", kGpu})).front().at("point")) ==
          Words{"operation", "implementation", "batch_size", "sequence_length", "tensor_dimension", "dtype", "l2"});
    const Words usual{"sim", "operator", "--op", "gelu", "--dimension", "64"};
    check_each_option(kProgram, usual,
                      {{"--batch", {"batch_size", "3", 3}},
                       {"--sequence", {"sequence_length", "5", 5}},
                       {"--dtype", {"dtype", "fp32", "fp32"}},
                       {"--over", {"over", "0.0.0-0.0.1", "0.0.0-0.0.1"}}});
    check_each_option(kProgram, with(usual, {"--topology", kGpu}),
                      {{"--batch", {"batch_size", "3", 3}}, {"--l2", {"l2", "flushed", "flushed"}}});
    CHECK(rows_by(kProgram, {"sim", "operator", "--op", "silu", "--dimension", "096"})
              .front()
              .at("point")
              .at("operation") == "swish");
    CHECK(rows_by(kProgram, kOperator).front().at("point").at("implementation") == "plan");
    CHECK(rows_by(kProgram, with(kOperator, {"--topology", kGpu})).front().at("point").at("implementation") ==
          "pytorch");
  }

  TEST_CASE("63.1 a workload of one file has a command with help, a bench with sweeps, and a what-if") {
    check_each_option(kToy, {"sim", "toy-wait"},
                      {{"--cycles", {"cycles", "9", 9}}, {"--pace", {"pace", "hasty", "hasty"}}});
    const Workplace place;
    for (const char* command : {"sim", "whatif"}) {
      const std::string help = place.run(kToy, {command, "toy-wait", "--help"}).out;
      CHECK(has(help, "--cycles N"));
      CHECK(has(help, "Cycles of the PE's clock (1..1000000) [8]"));
      CHECK(has(help, "[steady]"));
    }
    const Ended swept = place.run(kToy, {"run", "toy-wait", "--sweep", "cycles=1,2,4", "--sweep", "pe.clock=1,2 GHz",
                                         "--only", "pace=hasty", "-q"});
    REQUIRE_MESSAGE(swept.exit_code == 0, swept.err);
    const Json rows = Json::parse(std::ifstream(place.path() / "out/toy-wait-sweep/results.json")).at("rows");
    REQUIRE(rows.size() == 6);
    for (const Json& row : rows) {
      const Json& point = row.at("point");
      const double ghz = point.at("pe.clock") == "2 GHz" ? 2 : 1;
      CHECK(row.at("metrics").at("time_ns") == point.at("cycles").get<double>() / 2 / ghz);
    }
    const Json whatif = rows_by(kToy, {"whatif", "toy-wait", "--stairs", "0"});
    CHECK(whatif.front().at("metrics").at("time_ns") == 8.0);
  }

  TEST_CASE("63.1 a quiet axis is in a point only where it is not the usual one") {
    const Words broadcast{"sim", "collective", "--collective", "broadcast", "--sizes", "1KiB"};
    const Json usual = rows_by(kProgram, broadcast).front().at("point");
    CHECK(names_of(usual) == Words{"collective", "algorithm", "bytes", "scale", "ranks_per", "root_die", "chunk"});
    CHECK(rows_by(kProgram, with(broadcast, {"--root", "0"})).front().at("point") == usual);
    Json expected = usual;
    expected["root"] = 3;
    CHECK(rows_by(kProgram, with(broadcast, {"--root", "3"})).front().at("point") == expected);
    check_each_option(kProgram, {"sim", "collective"},
                      {{"--collective", {"collective", "all_gather", "all_gather"}},
                       {"--algorithm", {"algorithm", "direct", "direct"}},
                       {"--bytes", {"bytes", "2 KiB", 2048}},
                       {"--scale", {"scale", "package", "package"}},
                       {"--chunk", {"chunk", "0.25KiB", "256 B"}}});
  }

  TEST_CASE("63.3 several values are all combinations; of those that one name stands for what cannot be is left out") {
    const auto points = [](const Words& more) {
      std::size_t simulated = 0;
      for (const Json& row : rows_by(kProgram, with({"sim", "collective", "--ranks", "6"}, more))) {
        simulated += row.at("point").contains("derived") ? 0 : 1;
      }
      return simulated;
    };
    CHECK(points({"--algorithm", "ring,direct", "--sizes", "12 B..48 B*2"}) == 6);
    CHECK(points({"--collective", "all_to_all", "--algorithm", "all", "--sizes", "12B"}) == 2);
    CHECK(refusal({"sim", "collective", "--ranks", "6", "--algorithm", "all", "--sizes", "3B"}) ==
          "error: size: expected a multiple of an element's 2 B, got 3 B\n");
    CHECK(has(refusal({"sim", "collective", "--sizes", "16B,1MB"}), "--sizes: expected a size such as 16 MiB"));
    CHECK(rows_by(kProgram, {"sim", "operator", "--op", "gelu,swish", "--dimension", "64", "--sequence", "2..4+1"})
              .size() == 6);
    const Workplace place;
    const Ended ended = place.run(kToy, {"sim", "toy-wait", "--cycles", "1,2,4", "--pace", "steady,hasty"});
    CHECK(ended.exit_code == 0);
    CHECK(has(ended.out, "toy-wait on milestone-1h, 6 points"));
    CHECK(has(ended.out, "hasty"));
  }

  TEST_CASE("63.3 a collective has the same time by sim, run and whatif, on PEs and on GPUs") {
    for (const Words& machine : {Words{}, Words{"--topology", kernbench::source_dir() + "/topology/h200_x4.yaml"}}) {
      const Words asked = with({"collective", "--collective", "all_gather", "--sizes", "64KiB"}, machine);
      const Json time = rows_by(kProgram, with({"sim"}, asked)).front().at("metrics").at("time_ns");
      CHECK(time ==
            time_by_run(kProgram, "collective", with({"--only", "collective=all_gather,size=64 KiB"}, machine)));
      const Json base = rows_by(kProgram, with(with({"whatif"}, asked), {"--stairs", "0"})).front();
      CHECK(base.at("metrics").at("time_ns") == time);
      CHECK(base.at("metrics").contains("busbw_gbs"));
    }
  }

  TEST_CASE("63.2 what a kind of machine does not have is refused by name") {
    const Words gpu = with(kOperator, {"--topology", kGpu});
    CHECK(refusal(with(gpu, {"--over", "die"})) ==
          "error: --over: expected a machine of PEs; the machine file is a GPU\n");
    CHECK(refusal(with(gpu, {"--verify"})) ==
          "error: --verify: expected a machine of PEs; the machine file is a GPU\n");
    CHECK(refusal(with(kOperator, {"--l2", "flushed"})) == "error: --l2: expected a machine file of `kind: gpu`\n");
    CHECK(has(refusal({"sim", "operator", "--op", "rotary", "--dimension", "64", "--topology", kGpu}),
              "expected layernorm, gelu, swish, mse or cross_entropy"));
    CHECK(has(refusal({"run", "operators", "--only", "l2=flushed"}), "l2 is of GPUs alone"));
    const Workplace place;
    for (const char* command : {"sim", "whatif"}) {
      const Ended ended = place.run(kToy, {command, "toy-wait", "--topology", kGpu});
      CHECK(ended.exit_code == 2);
      CHECK(has(ended.err, "expected a machine of PEs, the only ones that toy-wait is known of"));
    }
  }

  TEST_CASE("63.3 sim, run and whatif have the same time of a point") {
    const Words asked{"--op", "layernorm", "--batch", "2", "--sequence", "3", "--dimension", "100"};
    const Words only{"--only", "operation=layernorm,batch_size=2,sequence_length=3,tensor_dimension=100"};
    for (const Words& machine : {Words{}, Words{"--topology", kGpu}}) {
      const Json time =
          rows_by(kProgram, with(with({"sim", "operator"}, asked), machine)).front().at("metrics").at("time_ns");
      CHECK(time == time_by_run(kProgram, "operators", with(only, machine)));
      const Json base = rows_by(kProgram, with(with({"whatif", "operator", "--stairs", "0"}, asked), machine)).front();
      CHECK(base.at("point").at("what") == "base");
      CHECK(base.at("metrics").at("time_ns") == time);
    }
  }

  TEST_CASE("63.5 a count that the file leaves out beside others has to be named") {
    const Workplace place;
    std::ofstream(place.path() / "layer.csv") << "name,m,k,count\nqkv,16,32,2\n";
    const Words run{"run", "gemm", "--points", "layer.csv"};
    const Ended wrong = place.run(kProgram, run);
    CHECK(wrong.exit_code == 2);
    CHECK(has(wrong.err,
              "--points layer.csv: it has a column m and none n: expected one, --only n=VALUE or --sweep "
              "n=VALUES"));
    for (const Words& named : {Words{"--only", "n=16"}, Words{"--sweep", "n=16,32"}}) {
      const Ended ended = place.run(kProgram, with(with(run, named), {"--dry-run"}));
      CHECK_MESSAGE(ended.exit_code == 0, ended.err);
    }
    std::ofstream(place.path() / "layer.csv") << "name,dtype\nqkv,bf16\n";
    CHECK(place.run(kProgram, with(run, {"--dry-run"})).exit_code == 0);
  }

  TEST_CASE("63.6 points of a file are one run, whose sum is told; a sweep has a sum for each machine") {
    const Workplace place;
    std::ofstream(place.path() / "layer.csv")
        << "name,tensor_dimension,operation,count\nnorm,64,rmsnorm,2\nact,96,gelu,1\n";
    const Words run{"run", "operators", "--points", "layer.csv", "--only", "batch_size=1,sequence_length=128"};
    const Ended ended = place.run(kProgram, run);
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const Json rows = Json::parse(std::ifstream(place.path() / "out/operators/results.json")).at("rows");
    REQUIRE(rows.size() == 3);
    const auto time = [&rows](std::size_t i) { return rows.at(i).at("metrics").at("time_ns").get<double>(); };
    CHECK(time(2) == 2 * time(0) + time(1));
    CHECK(rows.at(0).at("metrics").at("time_ns") ==
          rows_by(kProgram, {"sim", "operator", "--op", "rmsnorm", "--sequence", "128", "--dimension", "64"})
              .front()
              .at("metrics")
              .at("time_ns"));
    CHECK(has(ended.out, "All of it, 3 runs of 2 points, takes "));
    const Ended swept = place.run(kProgram, with(run, {"--sweep", "pe.vector.lanes=64,128", "--out", "swept"}));
    REQUIRE_MESSAGE(swept.exit_code == 0, swept.err);
    CHECK(std::regex_search(
        swept.out, std::regex("\\n *pe.vector.lanes +total\\n[^\\n]+\\n +64 +[0-9.]+ [^\\n]+\\n +128 +[0-9.]+ ")));
    CHECK_FALSE(has(ended.out, "total\n"));
    const Json all = Json::parse(std::ifstream(place.path() / "swept/operators-sweep/results.json")).at("rows");
    REQUIRE(all.size() == 6);
    CHECK(all.at(5).at("point").at("pe.vector.lanes") == "128");
    CHECK(all.at(5).at("metrics").at("time_ns") == time(2));
    // A quiet axis is in points only where it is not the usual one: both lines are of one sum all the same.
    std::ofstream(place.path() / "placed.csv") << "name,m,k,n,over,placement,variant,count\na,64,64,64,die,least_bound,"
                                                  "owner_computes,2\nb,64,64,64,die,c=rows,"
                                                  "owner_computes,5\n";
    const Ended placed = place.run(kProgram, {"run", "gemm", "--points", "placed.csv", "--no-figures"});
    REQUIRE_MESSAGE(placed.exit_code == 0, placed.err);
    CHECK_MESSAGE(has(placed.out, "All of it, 7 runs of 2 points, takes "), placed.out);
    const auto refused = [&](const Words& words) {
      const Ended wrong = place.run(kProgram, words);
      CHECK(wrong.exit_code == 2);
      return wrong.err;
    };
    CHECK(has(refused(with(run, {"--fast"})), "--points: expected no --fast"));
    const Words file{"run", "operators", "--points", "layer.csv"};
    CHECK(has(refused(file), "--points: bench operators has 3 values of batch_size: expected --only batch_size=VALUE"));
    CHECK(has(refused(with(file, {"--only", "tensor_dimension=3"})), "tensor_dimension is a column of layer.csv"));
    std::ofstream(place.path() / "layer.csv") << "tensor_dimension,operation,over\n63,rotary,die\n";
    CHECK(has(refused(run), "--points: rotary 63 die"));
    CHECK(has(refused(with(run, {"--topology", kGpu})), "layer.csv:1: column over: over is of PEs alone"));
    std::ofstream(place.path() / "layer.csv") << "tensor_dimension,operation\n64,rotary\n";
    const Ended skipped = place.run(kProgram, with(run, {"--topology", kGpu, "--out", "skipped"}));
    CHECK_MESSAGE(skipped.exit_code == 0, skipped.err);
    CHECK(has(skipped.out, "No total: rotary 64 has no time."));
  }
}
