// Traces of a training run: they agree with its times to the picosecond, and its truth adds up.
#include "benches/workloads/training/training_traces.hpp"

#include <doctest/doctest.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <map>

#include "benches/results/rows/results_json.hpp"
#include "benches/workloads/training/training_row.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/milestone.hpp"

using namespace kernbench;

namespace {

constexpr std::int64_t kLaunchPs = 500'001;  // odd: its half is rounded

/// A run of two dies, two steps, as a row that has been written and read.
const Row& sample() {
  static const Row row = [] {
    const std::string json = forked([] {
      TrainingSetup setup{.step = plan_training_step({{96, 64, 128}, {96, 128, 64}, {96, 64, 64}}, 0),
                          .channels = 3,
                          .threads = 256,
                          .launch = Picoseconds{kLaunchPs},
                          .latency = from_ns(1000),
                          .gap = from_ns(200)};
      const auto injections = parse_injections("rank=1,steps=1,clock=0.9;rank=0,gemm=0,extra=3 ns",
                                               {.ranks = 2, .steps = 2, .step = &setup.step}, "--inject");
      const MachineSpec machine =
          milestone({"package.dies.rows=1", "package.dies.columns=1", "simulation.packet_bytes=4 KiB"});
      return row_to_json(row_from_training(run_training(machine, setup, 2, injections), injections)).dump();
    });
    Row read = row_from_json(Json::parse(json), "sample");
    read.point = {{"channels", 3}, {"threads", 256}};
    return read;
  }();
  return row;
}

std::string unzipped(const std::string& packed) {
  z_stream stream{};
  REQUIRE(::inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK);
  std::string in = packed;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  std::string text;
  std::array<char, 4096> buffer{};
  int end = Z_OK;
  while (end == Z_OK) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream.avail_out = buffer.size();
    end = ::inflate(&stream, Z_NO_FLUSH);
    text.append(buffer.data(), buffer.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  CHECK(end == Z_STREAM_END);
  return text;
}

/// The file as a reader finds it.
Json file(const std::string& name) {
  for (const NewFile& file : training_files(sample(), "t")) {
    if (file.name == "t/" + name) return Json::parse(name.ends_with(".gz") ? unzipped(file.bytes) : file.bytes);
  }
  FAIL("no file ", name);
  return {};
}

/// From the decimal digits: no more than six of them are after the point.
std::int64_t ps_of(const Json& us) {
  const std::string text = us.dump();
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string decimals = point < text.size() ? text.substr(point + 1) : "";
  CHECK(decimals.size() <= 6);
  CHECK(text.find('e') == std::string::npos);
  decimals.resize(6, '0');
  return std::stoll(text.substr(0, point)) * 1'000'000 + std::stoll(decimals);
}

struct Span {
  std::int64_t start = 0;
  std::int64_t end = 0;
  Json event;
};

/// Events of a category by correlation, or in their order.
std::map<std::int64_t, Span> spans(const Json& trace, const std::string& category, const char* key) {
  std::map<std::int64_t, Span> found;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") != "X" || event.at("cat") != category) continue;
    const std::int64_t start = ps_of(event.at("ts"));
    found[event.at("args").at(key).get<std::int64_t>()] = {start, start + ps_of(event.at("dur")), event};
  }
  return found;
}

}  // namespace

TEST_SUITE("ADR-0041") {
  TEST_CASE("41.12 every kernel of a rank's trace has the times of the run, its launch and its op") {
    const Json& steps = sample().timeline.at("steps");
    for (std::int64_t rank = 0; rank < 2; ++rank) {
      const Json trace = file("rank" + std::to_string(rank) + ".json.gz");
      CHECK(trace.at("distributedInfo").at("rank") == rank);
      CHECK(trace.at("distributedInfo").at("world_size") == 2);
      const auto kernels = spans(trace, "kernel", "correlation");
      const auto calls = spans(trace, "cuda_runtime", "correlation");
      const auto ops = spans(trace, "cpu_op", "External id");
      REQUIRE(kernels.size() == 2 * 11);
      CHECK(calls.size() == kernels.size());
      CHECK(ops.size() == kernels.size());
      std::int64_t flows = 0;
      for (const Json& event : trace.at("traceEvents")) {
        if (event.at("ph") != "s" && event.at("ph") != "f") continue;
        const auto& ends = event.at("ph") == "s" ? calls : kernels;
        CHECK(ps_of(event.at("ts")) == ends.at(event.at("id")).start);
        ++flows;
      }
      CHECK(flows == 2 * 22);
      std::int64_t correlation = 0;
      std::int64_t sequence = 0;
      for (const Json& step : steps) {
        const Json& of = step.at(static_cast<std::size_t>(rank));
        std::size_t gemm = 0;
        std::size_t collective = 0;
        for (std::int64_t launch = 0; launch < 11; ++launch) {
          const Span& kernel = kernels.at(++correlation);
          const Span& call = calls.at(correlation);
          const Span& op = ops.at(kernel.event.at("args").at("External id"));
          CHECK(op.start == of.at("host").get<std::int64_t>() + launch * kLaunchPs);
          CHECK(op.end == op.start + kLaunchPs);
          CHECK(call.start == op.end - kLaunchPs / 2);
          CHECK(call.end == op.end);
          CHECK(call.end <= kernel.start);
          const bool reduces = op.event.at("name") == "record_param_comms";
          const Json& times = reduces ? of.at("collectives").at(collective++) : of.at("gemms").at(gemm++);
          CHECK(kernel.start == times.at(0).get<std::int64_t>());
          CHECK(kernel.end == times.at(1).get<std::int64_t>());
          const Json& args = kernel.event.at("args");
          CHECK(args.at("stream") == (reduces ? 19 : 7));
          if (!reduces) continue;
          CHECK(args.at("Seq") == ++sequence);
          CHECK(args.at("In msg nelems") == sample().timeline.at("collectives").at(collective - 1).at("elements"));
          CHECK(args.at("Process Group Ranks") == "[0, 1]");
          CHECK(args.at("dtype") == "BFloat16");
        }
      }
    }
  }

  TEST_CASE("41.12 ops have the shapes of their GEMMs, and steps their annotations") {
    const Json trace = file("rank1.json.gz");
    std::string shapes;
    for (const auto& [id, op] : spans(trace, "cpu_op", "External id")) {
      const Json& args = op.event.at("args");
      if (op.event.at("name") == "aten::mm") shapes += args.at("Input Dims").dump() + args.at("Input Strides").dump();
    }
    const std::string one =
        "[[96,64],[64,128]][[64,1],[128,1]]"  // forward
        "[[96,128],[128,64]][[128,1],[64,1]]"
        "[[96,64],[64,64]][[64,1],[64,1]]"
        "[[96,64],[64,64]][[64,1],[1,64]]"   // layer 2's gradient of its input, by its weights transposed
        "[[64,96],[96,64]][[1,64],[64,1]]"   // of its weights, by its input transposed
        "[[96,64],[64,128]][[64,1],[1,64]]"  // layer 1
        "[[128,96],[96,64]][[1,128],[64,1]]"
        "[[64,96],[96,128]][[1,64],[128,1]]";
    CHECK(shapes == one + one);
    std::string names;
    for (const auto& [id, step] : spans(trace, "user_annotation", "External id")) {
      const auto number = static_cast<std::size_t>(step.event.at("name").get<std::string>().back() - '0');
      const Json& of = sample().timeline.at("steps").at(number).at(1);
      CHECK(step.start == of.at("begin").get<std::int64_t>());
      CHECK(step.end == of.at("end").get<std::int64_t>());
      names += step.event.at("name").get<std::string>() + " ";
    }
    CHECK(names == "ProfilerStep#0 ProfilerStep#1 ");
  }

  TEST_CASE("41.13 truth has every injection, and for every GEMM of the traces parts that add up") {
    const Json truth = file("truth.json");
    CHECK(truth.at("injections").size() == 2);
    CHECK(truth.at("injections").at(0) == Json{{"rank", 1}, {"first_step", 1}, {"last_step", 1}, {"clock", 0.9}});
    CHECK(truth.at("injections").at(1).at("gemm") == "layer0.forward");
    CHECK(truth.at("gemms").size() == 2 * 2 * 8);
    for (const Json& gemm : truth.at("gemms")) {
      const auto ps = [&gemm](const char* part) { return gemm.at(part).get<std::int64_t>(); };
      CHECK(ps("duration_ps") == ps("alone_ps") + ps("clock_ps") + ps("extra_ps") + ps("contention_ps"));
      const Json trace = file("rank" + std::to_string(gemm.at("rank").get<int>()) + ".json.gz");
      const auto kernels = spans(trace, "kernel", "correlation");
      const Span& kernel = kernels.at(gemm.at("correlation"));
      CHECK(kernel.end - kernel.start == ps("duration_ps"));
      CHECK(kernel.event.at("name") == "kernbench_gemm_owner_computes");
      CHECK(kernel.event.at("args").at("gemm") == gemm.at("gemm"));
      CHECK((ps("clock_ps") > 0) == (gemm.at("rank") == 1 && gemm.at("step") == 1));
    }
    const Json config = file("config.json");
    CHECK(config.at("point") == sample().point);
    CHECK(config.at("ranks") == Json{"rank0.json.gz", "rank1.json.gz"});
  }

  TEST_CASE("41.14 nothing else is on the device: GEMMs and all_reduces are all its kernels") {
    for (const auto& [id, kernel] : spans(file("rank0.json.gz"), "kernel", "correlation")) {
      const std::string name = kernel.event.at("name");
      const bool known = name.starts_with("kernbench_gemm_") || name == "ncclDevKernel_AllReduce_Sum_bf16_RING";
      CHECK_MESSAGE(known, name);
    }
    CHECK(training_files(Row{}, "t").empty());
  }

  TEST_CASE("41.12 the metrics of a row are means of its times") {
    double step_ns = 0;
    double gemm_ns = 0;
    for (const Json& step : sample().timeline.at("steps")) {
      for (const Json& rank : step) {
        step_ns += (rank.at("end").get<double>() - rank.at("begin").get<double>()) / 1e3 / 4;
        for (const Json& gemm : rank.at("gemms")) {
          gemm_ns += (gemm.at(1).get<double>() - gemm.at(0).get<double>()) / 1e3 / 4;
        }
      }
    }
    CHECK(sample().metrics.json().at("time_ns").get<double>() == doctest::Approx(step_ns).epsilon(1e-12));
    CHECK(sample().metrics.json().at("gemm_ns").get<double>() == doctest::Approx(gemm_ns).epsilon(1e-12));
    CHECK(sample().metrics.json().at("slots") == 8);
  }
}
