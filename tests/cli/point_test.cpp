// What a row is of, is said in its point or its source: every option of every command that simulates, once more.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "benches/results/rows/results_json.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/cli/outcome.hpp"
#include "tests/cli/program.hpp"

namespace {

using kernbench::Json;
using Arguments = std::vector<std::string>;
using Options = std::map<std::string, std::vector<std::string>>;  ///< by option: values; {""}: it takes none

/// A command, and what each of its options is set to once more.
struct Tried {
  std::string what;
  Arguments base;
  Options options;
  std::set<std::string> refused{};  ///< options that the base has no use for: exit code 2
};

const std::string kGpu = kernbench::source_dir() + "/topology/h200.yaml";
const std::string kGpus = kernbench::source_dir() + "/topology/h200_x4.yaml";

/// They say where results go, whether and by whom is simulated, and how long that may take.
const std::set<std::string> kOfTheRun{"--help",       "--json",   "--csv",      "--wide",    "--out",
                                      "--trace",      "--jobs",   "--top",      "--timeout", "--memory",
                                      "--time-limit", "--counts", "--no-cache", "--plan"};
const std::set<std::string> kOfGpus{"--l2", "--state", "--launch", "--channels", "--nccl-threads", "--gpus"};
const std::set<std::string> kOfPes{"--dtype-b",         "--layout", "--epilogue",  "--over",  "--place",
                                   "--no-fast-forward", "--verify", "--ranks-per", "--packet"};
/// What the simulator cost, and what verifying adds (9.13).
const std::set<std::string> kCosts{"wakeups",           "engine_wakeups", "pes_simulated",   "tiles_simulated",
                                   "tiles_passed_over", "events",         "values_compared", "largest_error"};

const Options kProduct{{"--m", {"97"}}, {"--k", {"201"}}, {"--n", {"81"}}, {"--set", {"pe.clock=500 MHz"}}};

Options with(Options options, const Options& more) {
  for (const auto& [name, values] : more) options[name] = values;
  return options;
}

std::set<std::string> all_of(std::set<std::string> some, const std::set<std::string>& more) {
  some.insert(more.begin(), more.end());
  return some;
}

Arguments followed_by(Arguments some, const Arguments& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

std::vector<Tried> commands() {
  const Arguments gemm{"sim", "gemm", "--m", "96", "--k", "200", "--n", "80"};
  const Arguments product{"sim", "gemm", "--m", "512", "--k", "4096", "--n", "512", "--topology"};
  const Options on_a_pe = with(kProduct, {{"--dtype", {"fp8_e4m3", "fp16"}},
                                          {"--dtype-b", {"int8"}},
                                          {"--epilogue", {"gelu", "gelu+bias", "scale@k_tile"}},
                                          {"--layout", {"row_major"}},
                                          {"--topology", {kernbench::source_dir() + "/topology/edge_npu.yaml"}}});
  const Options simulated{{"--verify", {""}}, {"--no-fast-forward", {""}}};
  return {
      {"a PE", followed_by(gemm, {"--variant", "load_ref"}),
       with(with(on_a_pe, simulated), {{"--variant", {"load_load"}}, {"--packet", {"1KiB"}}}),
       all_of(kOfGpus, {"--place", "--over"})},
      {"a PE, mapped", followed_by(gemm, {"--variant", "tile=32x64x32 block=32x128x32 order=mnk"}),
       with(with(on_a_pe, simulated),
            {{"--variant", {"tile=32x64x32 block=64x128x32 order=mnk", "auto"}}, {"--over", {"die"}}}),
       all_of(kOfGpus, {"--place", "--packet"})},
      {"PEs", followed_by(gemm, {"--over", "die", "--variant", "ring_shift"}),
       with(with(kProduct, simulated), {{"--variant", {"split_k", "owner_computes"}},
                                        {"--epilogue", {"gelu", "scale"}},
                                        {"--layout", {"row_major"}},
                                        {"--over", {"package", "0.0.0-0.0.3"}},
                                        {"--place", {"a=rows,b=columns,c=columns"}},
                                        {"--packet", {"1KiB"}},
                                        {"--topology", {kernbench::source_dir() + "/topology/wormhole_n150.yaml"}}}),
       all_of(kOfGpus, {"--dtype", "--dtype-b"})},
      {"PEs, mapped", followed_by(gemm, {"--over", "die"}),
       with(with(kProduct, simulated), {{"--variant", {"split_k=2"}},
                                        {"--epilogue", {"gelu"}},
                                        {"--layout", {"row_major"}},
                                        {"--over", {"package"}},
                                        {"--place", {"a=replicate"}}}),
       all_of(kOfGpus, {"--dtype", "--dtype-b", "--packet", "--topology"})},
      {"PEs beside a collective",
       {"sim", "concurrent", "--m", "96", "--k", "200", "--n", "80", "--variant", "ring_shift", "--sizes", "64KiB"},
       with(kProduct, {{"--sizes", {"128KiB"}},
                       {"--collective", {"all_gather"}},
                       {"--algorithm", {"direct"}},
                       {"--variant", {"split_k"}},
                       {"--epilogue", {"gelu"}},
                       {"--layout", {"row_major"}},
                       {"--scale", {"package"}},
                       {"--place", {"a=rows,b=columns,c=columns"}},
                       {"--ranks-per", {"die"}},
                       {"--ranks", {"4"}},
                       {"--chunk", {"256B"}},
                       {"--packet", {"1KiB"}},
                       {"--verify", {""}}}),
       all_of(kOfGpus, {"--dtype", "--no-fast-forward", "--topology", "--root", "--root-die", "--values"})},
      {"a GPU",
       followed_by(product, {kGpu}),
       {{"--m", {"500"}},
        {"--k", {"4000"}},
        {"--n", {"500"}},
        {"--l2", {"flushed"}},
        {"--state", {"steady"}},
        {"--launch", {"stream", "eager"}},
        {"--dtype", {"fp16", "tf32"}},
        {"--variant", {"128x128"}},
        {"--set", {"launch.kernel=5 us"}},
        {"--topology", {kernbench::source_dir() + "/topology/h100.yaml"}}},
       kOfPes},
      {"a GPU beside a collective",
       {"sim", "concurrent", "--m", "512", "--k", "4096", "--n", "512", "--sizes", "8MiB", "--topology", kGpus},
       {{"--m", {"500"}},
        {"--k", {"4000"}},
        {"--n", {"500"}},
        {"--l2", {"flushed"}},
        {"--state", {"steady"}},
        {"--channels", {"8"}},
        {"--nccl-threads", {"128"}},
        {"--gpus", {"2"}},
        {"--dtype", {"fp16"}},
        {"--variant", {"128x128"}},
        {"--collective", {"all_gather"}},
        {"--sizes", {"16MiB"}},
        {"--set", {"launch.kernel=5 us"}},
        {"--topology", {kernbench::source_dir() + "/topology/h200_x2.yaml"}}},
       all_of(kOfPes, {"--algorithm", "--scale", "--ranks", "--root", "--root-die", "--chunk", "--values"})},
      {"a collective",
       {"sim", "collective", "--sizes", "6KiB"},
       {{"--collective", {"all_gather", "reduce_scatter"}},
        {"--algorithm", {"direct"}},
        {"--sizes", {"12KiB"}},
        {"--scale", {"package"}},
        {"--ranks-per", {"die"}},
        {"--ranks", {"4"}},
        {"--chunk", {"256B"}},
        {"--packet", {"4KiB"}},
        {"--set", {"pe.clock=500 MHz"}},
        {"--verify", {""}},
        {"--no-fast-forward", {""}}},
       {"--channels", "--nccl-threads", "--gpus", "--root", "--root-die", "--topology", "--values"}},
      {"a broadcast",
       {"sim", "collective", "--sizes", "6KiB", "--collective", "broadcast", "--algorithm", "hierarchical", "--scale",
        "package"},
       {{"--root", {"2"}}, {"--root-die", {"corner"}}, {"--chunk", {"256B"}}},
       {"--channels", "--nccl-threads", "--gpus", "--topology", "--collective", "--algorithm", "--sizes", "--scale",
        "--ranks-per", "--ranks", "--packet", "--set", "--verify", "--values", "--no-fast-forward"}},
      {"a collective of GPUs",
       {"sim", "collective", "--sizes", "8MiB", "--topology", kGpus},
       {{"--collective", {"all_gather"}},
        {"--sizes", {"16MiB"}},
        {"--channels", {"8"}},
        {"--nccl-threads", {"128"}},
        {"--gpus", {"2"}},
        {"--set", {"nccl.start=9 us"}},
        {"--topology", {kernbench::source_dir() + "/topology/h200_x2.yaml"}}},
       {"--algorithm", "--scale", "--ranks-per", "--ranks", "--root", "--root-die", "--chunk", "--packet", "--verify",
        "--values", "--no-fast-forward"}},
      {"an operator",
       {"sim", "operator", "--op", "layernorm", "--dimension", "768", "--sequence", "16"},
       {{"--op", {"gelu", "softmax"}},
        {"--batch", {"2"}},
        {"--sequence", {"17"}},
        {"--dimension", {"700"}},
        {"--dtype", {"fp32"}},
        {"--over", {"die"}},
        {"--set", {"pe.clock=500 MHz"}},
        {"--packet", {"4KiB"}},
        {"--no-fast-forward", {""}},
        {"--topology", {kernbench::source_dir() + "/topology/edge_npu.yaml"}},
        {"--verify", {""}}},
       {"--l2"}},
      {"an operator on a GPU",
       {"sim", "operator", "--op", "layernorm", "--dimension", "768", "--sequence", "16", "--topology", kGpu},
       {{"--op", {"gelu", "cross_entropy"}},
        {"--batch", {"20"}},
        {"--sequence", {"400"}},
        {"--dimension", {"7000"}},
        {"--dtype", {"fp32"}},
        {"--l2", {"flushed"}},
        {"--set", {"operators.launch=1 us"}},
        {"--topology", {kernbench::source_dir() + "/topology/h100.yaml"}}},
       {"--over", "--verify", "--packet", "--no-fast-forward"}},
      {"a kernel",
       {"sim", "shift_around", "--over", "die"},
       {{"--over", {"package"}},
        {"--rows", {"32"}},
        {"--packet", {"4KiB"}},
        {"--set", {"pe.clock=500 MHz"}},
        {"--verify", {""}},
        {"--no-fast-forward", {""}}},
       {"--topology"}},
      {"a transfer",
       {"sim", "transfer"},
       {{"--initiator", {"0.0.1", "die"}},
        {"--target", {"0.0.3", "0.0"}},
        {"--direction", {"write"}},
        {"--sizes", {"32KiB"}},
        {"--packet", {"1KiB"}},
        {"--set", {"pe.clock=500 MHz"}}},
       {"--verify", "--no-fast-forward", "--topology"}},
      {"traffic",
       {"sim", "traffic", "--measure", "1 us", "--warm-up", "100 ns", "--traffic", "hotspot"},
       {{"--pes", {"0.0.0-0.0.3", "package"}},
        {"--traffic", {"uniform", "neighbour"}},
        {"--rate", {"16 GB/s"}},
        {"--size", {"1KiB", "64B"}},
        {"--hot", {"30"}},
        {"--seed", {"5"}},
        {"--warm-up", {"200 ns"}},
        {"--measure", {"2 us"}},
        {"--packet", {"1KiB"}},
        {"--set", {"die.router.hop_latency=3 ns"}},
        {"--topology", {kernbench::source_dir() + "/topology/wormhole_n150.yaml"}}},
       {"--verify", "--no-fast-forward"}},
      {"a mesh",
       {"sim", "noc", "--mesh", "4x4", "--rate", "0.1", "--measure", "500", "--warm-up", "100"},
       {{"--mesh", {"4x5"}},
        {"--network", {"packets"}},
        {"--traffic", {"transpose", "hotspot", "multicast"}},
        {"--rate", {"0.2"}},
        {"--packet-flits", {"2"}},
        {"--virtual-channels", {"2"}},
        {"--buffer-flits", {"3"}},
        {"--router-cycles", {"4"}},
        {"--link-cycles", {"2"}},
        {"--credit-cycles", {"2"}},
        {"--seed", {"5"}},
        {"--warm-up", {"200"}},
        {"--measure", {"600"}}},
       {"--hotspot-nodes", "--hotspot-fraction", "--group"}},
      {"a mesh of groups",
       {"sim", "noc", "--mesh", "4x4", "--traffic", "multicast", "--rate", "0.05", "--measure", "500"},
       {{"--group", {"column", "2x2", "0,5"}}},
       {"--mesh", "--network", "--traffic", "--rate", "--packet-flits", "--virtual-channels", "--buffer-flits",
        "--router-cycles", "--link-cycles", "--credit-cycles", "--seed", "--warm-up", "--measure", "--hotspot-nodes",
        "--hotspot-fraction"}},
      {"a hot mesh",
       {"sim", "noc", "--mesh", "4x4", "--traffic", "hotspot", "--rate", "0.05", "--measure", "500"},
       {{"--hotspot-nodes", {"3"}}, {"--hotspot-fraction", {"0.3"}}},
       {"--mesh", "--network", "--traffic", "--rate", "--packet-flits", "--virtual-channels", "--buffer-flits",
        "--router-cycles", "--link-cycles", "--credit-cycles", "--seed", "--warm-up", "--measure", "--group"}},
      {"mappings of a PE",
       {"map", "gemm", "--m", "96", "--k", "200", "--n", "80"},
       with(kProduct, {{"--dtype", {"fp8_e4m3", "fp16"}},
                       {"--dtype-b", {"int8"}},
                       {"--epilogue", {"gelu"}},
                       {"--layout", {"row_major"}},
                       {"--variant", {"tile=32x64x32 block=64x128x32 order=mnk"}},
                       {"--over", {"die"}}}),
       all_of(kOfGpus, {"--place", "--packet", "--topology"})},
      {"mappings over PEs",
       {"map", "gemm", "--m", "96", "--k", "200", "--n", "80", "--over", "die", "--top", "3"},
       with(kProduct, {{"--over", {"0.0.0-0.0.3"}},
                       {"--epilogue", {"gelu"}},
                       {"--layout", {"row_major"}},
                       {"--place", {"a=rows,b=columns,c=columns"}},
                       {"--packet", {"1KiB"}},
                       {"--variant", {"block=32x200x32"}}}),
       all_of(kOfGpus, {"--dtype", "--dtype-b", "--topology"})},
      {"kernels of a GPU",
       {"map", "gemm", "--m", "500", "--k", "4000", "--n", "512", "--topology", kGpu},
       {{"--m", {"512"}},
        {"--l2", {"flushed"}},
        {"--state", {"steady"}},
        {"--launch", {"eager"}},
        {"--dtype", {"fp16"}},
        {"--set", {"launch.kernel=5 us"}},
        {"--topology", {kernbench::source_dir() + "/topology/h100.yaml"}}},
       all_of(kOfPes, {"--k", "--n", "--variant"})},
      {"a GEMM over GPUs",
       {"sim", "universal-gemm", "--topology", kGpus, "--m", "8192", "--k", "8192", "--n", "8192", "--methods",
        "stationary_c"},
       {{"--m", {"8000"}},
        {"--k", {"8000"}},
        {"--n", {"8000"}},
        {"--gpus", {"2"}},
        {"--methods", {"stationary_a,stationary_c", "auto"}},
        {"--partitions", {"block,block,block"}},
        {"--replications", {"1", "2"}},
        {"--pace", {"again"}},
        {"--without", {"hand-over", "copy-engine,kernel-order"}},
        {"--set", {"peer_copy.start=9 us"}},
        {"--topology", {kernbench::source_dir() + "/topology/h200_x2.yaml"}}},
       {"--measured", "--replication", "--prefetch", "--outstanding"}},
      {"a what-if",
       {"whatif", "gemm", "--m", "32", "--k", "64", "--n", "32", "--variant", "load_ref", "--stairs", "0"},
       {{"--m", {"33"}}, {"--dtype-b", {"int8"}}, {"--set", {"pe.clock=500 MHz"}}},
       all_of(kOfGpus, {"--topology", "--stairs", "--k", "--n", "--dtype", "--variant", "--over", "--place", "--packet",
                        "--epilogue", "--layout", "--keep-mapping"})},
      {"a what-if of a collective",
       {"whatif", "collective", "--sizes", "256B", "--ranks", "2", "--stairs", "0"},
       {{"--collective", {"all_gather"}}, {"--chunk", {"64B"}}},
       {"--values", "--gpus", "--channels", "--nccl-threads", "--algorithm", "--sizes", "--scale", "--ranks",
        "--ranks-per", "--packet", "--set", "--root", "--root-die", "--topology", "--stairs"}},
  };
}

/// Rows of a run by point and source; of one that fails, what it said.
struct Run {
  std::map<std::string, Json> rows;
  Json source;
  Ended ended;
};

Run run(const Workplace& place, Arguments arguments) {
  arguments.emplace_back("--json");
  Run run;
  run.ended = place.run(kProgram, arguments);
  if (run.ended.exit_code != 0) return run;
  const Json document = Json::parse(run.ended.out);
  run.source = document.at("source");
  for (const Json& row : document.at("rows")) {
    Json numbers = row;
    for (const char* name : {"point", "flags", "status", "reason"}) numbers.erase(name);
    for (const std::string& cost : kCosts) numbers["metrics"].erase(cost);
    CHECK_MESSAGE(run.rows.emplace(row.at("point").dump(), numbers).second, "two rows of one point");
  }
  return run;
}

/// The command with an option, instead of the one of that name or of what excludes it.
Arguments command_with(Arguments base, const std::string& option, const std::string& value) {
  const auto erase = [&base](const std::string& name) {
    const auto at = std::ranges::find(base, name);
    if (at != base.end()) base.erase(at, at + 2);
  };
  erase(option);
  base.push_back(option);
  if (!value.empty()) base.push_back(value);
  return base;
}

std::set<std::string> options_of(const Workplace& place, const Tried& tried) {
  std::set<std::string> all;
  std::istringstream help(place.run(kProgram, {tried.base[0], tried.base[1], "--help"}).out);
  for (std::string line; std::getline(help, line);) {
    const auto at = line.find("--");
    if (!line.starts_with("  -") || at == std::string::npos) continue;
    all.insert(line.substr(at, line.find_first_of(" ,", at) - at));
  }
  return all;
}

/// Rows of the same point have the same numbers.
void check_told(const Run& base, const Run& other) {
  for (const auto& row : other.rows) {
    const auto same = base.rows.find(row.first);
    CHECK_MESSAGE((same == base.rows.end() || same->second == row.second), "not in the point ", row.first);
  }
}

void check(const Tried& tried) {
  CAPTURE(tried.what);
  const Workplace place;
  for (const std::string& option : options_of(place, tried)) {
    CHECK_MESSAGE((tried.options.contains(option) || tried.refused.contains(option) || kOfTheRun.contains(option)),
                  (option + " is not tried here"));
  }
  const Run base = run(place, tried.base);
  REQUIRE_MESSAGE(base.ended.exit_code == 0, base.ended.err);
  for (const auto& [option, values] : tried.options) {
    for (const std::string& value : values) {
      const std::string given = option + " " + value;
      CAPTURE(given);
      const Run other = run(place, command_with(tried.base, option, value));
      CHECK_MESSAGE(other.ended.exit_code == 0, other.ended.err);
      if (other.source == base.source) check_told(base, other);
    }
  }
}

}  // namespace

TEST_SUITE("ADR-0009") {
  TEST_CASE("9.13 a row of the same point and source has the same numbers, whatever options it was asked for with") {
    for (const Tried& tried : commands()) check(tried);
  }
}
