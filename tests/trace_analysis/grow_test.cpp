// Grown traces: copies that meet nowhere, and tables that are known.
#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "benches/io/files/write_file.hpp"
#include "benches/traces/grow/grow_trace.hpp"
#include "benches/traces/merge/trace_facts.hpp"
#include "benches/traces/tables/collectives.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/trace_analysis/grown_tables.hpp"
#include "tests/trace_analysis/small_trace.hpp"

namespace fs = std::filesystem;
using namespace kernbench::traces;
using nlohmann::json;

namespace {

const fs::path kMeasuredRun =
    fs::path(kernbench::source_dir()) / "benches/reference/nvidia-h200/traces/overlap/28ch_256threads";

/// A text, and what it is grown to.
class Grown {
 public:
  explicit Grown(const std::string& text) { kernbench::write_file(in(), text); }

  [[nodiscard]] fs::path in() const { return folder_.path() / "rank0.json"; }
  [[nodiscard]] fs::path out() const { return folder_.path() / "out.json"; }
  [[nodiscard]] json grow(const GrowOptions& options) const {
    static_cast<void>(grow_trace(in(), out(), options));
    return json::parse(kernbench::read_file(out()));
  }
  [[nodiscard]] std::string error(const GrowOptions& options) const {
    return ::error_of([&] { static_cast<void>(grow_trace(in(), out(), options)); });
  }

 private:
  TemporaryFolder folder_;
};

std::string launch_and_kernel(const std::string& id) {
  const std::string flow = R"("cat":"ac2g","name":"ac2g","id":)" + id;
  return event_text("cuda_runtime", "launch", "4414803000792.2451", "1", R"("correlation":)" + id) + "," +
         event_text("kernel", "k", "4414803000795.5", "2", R"("correlation":)" + id, R"("pid":0,"tid":7)") +
         R"(,{"ph":"s",)" + flow + R"(,"ts":4414803000792.2451,"pid":1,"tid":1},{"ph":"f",)" + flow +
         R"(,"ts":4414803000795.5,"pid":0,"tid":7})";
}

}  // namespace

TEST_SUITE("ADR-0042") {
  TEST_CASE("42.12 copies are a period apart, and share no id, flow or step") {
    const Grown grown(
        trace_text({R"({"ph":"M","name":"process_name","pid":0,"args":{"name":"python3"}})", launch_and_kernel("7"),
                    event_text("user_annotation", "ProfilerStep#12", "4414803000790", "5"),
                    event_text("cpu_op", "op", "4414803000790", "5", R"("Ev Idx":0,"correlation":0)"),
                    event_text("Trace", "PyTorch Profiler (0)", "4414803000000", "1000")},
                   R"("baseTimeNanoseconds":5,"environment":"secret")"));
    const json trace = grown.grow({.copies = 3});
    CHECK(!trace.contains("environment"));
    CHECK(trace["baseTimeNanoseconds"] == 5);
    CHECK(trace["traceEvents"].size() == 2 + 3 * 6);
    std::map<std::string, std::set<std::string>> seen;
    for (const json& event : trace["traceEvents"]) {
      const std::string name = event["name"];
      if (event["ph"] != "X") {
        if (event["ph"] == "s") seen["flow"].insert(event["id"].dump());
        continue;
      }
      if (event["cat"] == "kernel") seen["kernel"].insert(event["args"]["correlation"].dump());
      if (event["cat"] == "user_annotation") seen["step"].insert(name);
      if (event["cat"] == "cpu_op") {
        seen["event"].insert(event["args"]["Ev Idx"].dump());
        CHECK(event["args"]["correlation"] == 0);  // none
      }
    }
    CHECK(seen["kernel"] == std::set<std::string>{"7", "15", "23"});
    CHECK(seen["flow"] == seen["kernel"]);
    CHECK(seen["step"] == std::set<std::string>{"ProfilerStep#12", "ProfilerStep#13", "ProfilerStep#14"});
    CHECK(seen["event"] == std::set<std::string>{"0", "1", "2"});
    const std::string text = kernbench::read_file(grown.out());
    for (const char* ts : {"4414803000792.2451", "4414803001792.245100", "4414803002792.245100"}) {
      CHECK(text.find(std::string("\"ts\":") + ts) != std::string::npos);
    }
  }

  TEST_CASE("42.12 the four ranks of the project's sweep, five times: counts and sums five times, the rest the same") {
    const TemporaryFolder folder;
    const std::vector<TraceFile> files = find_trace_files({kMeasuredRun}, "");
    for (const TraceFile& file : files) {
      const std::string out = "rank" + std::to_string(file.rank.value()) + ".json.gz";
      const GrownTrace grown = grow_trace(file.path, folder.path() / out, {.copies = 5, .period = 30'000'000'000});
      CHECK(grown.copies == 5);
    }
    expect_grown_tables(read_traces(files, {}), read_traces(find_trace_files({folder.path()}, ""), {}), 5,
                        30'000'000'000);
  }

  TEST_CASE("42.12 a size is reached within half a copy, whole periods of ms") {
    const TemporaryFolder folder;
    const fs::path out = folder.path() / "big.json";
    const GrownTrace grown = grow_trace(kMeasuredRun / "rank0.json.gz", out, {.bytes = 3'000'000});
    CHECK(grown.bytes == fs::file_size(out));
    CHECK(grown.bytes > 2'800'000);
    CHECK(grown.bytes < 3'200'000);
    CHECK(grown.period % 1'000'000'000 == 0);
    CHECK(read_trace_facts(out, false).flows.begun_twice == 0);
  }

  TEST_CASE("42.12 what cannot be grown is refused, and leaves no file") {
    const Grown grown(trace_text({launch_and_kernel("7")}));
    CHECK(grown.error({.copies = 2, .period = 1}).find("--period: expected 6 us or more") != std::string::npos);
    CHECK(grown.error({.copies = 1'000'000'000'000}).find("longer than 53 days") != std::string::npos);
    CHECK(::error_of([&] {
            static_cast<void>(grow_trace(grown.in(), grown.in(), {.copies = 2}));
          }).find("is the trace itself") != std::string::npos);
    CHECK(::error_of([&] {
            static_cast<void>(grow_trace(grown.in(), "out.pftrace", {.copies = 2}));
          }).find("ends in .json or .json.gz") != std::string::npos);
    const Grown bad(trace_text({R"({"ph":"X","ts":"soon"})", launch_and_kernel("7")}));
    CHECK(bad.error({.copies = 2}).find("expected a number of µs") != std::string::npos);
    CHECK(bad.error({.copies = 2, .skip_bad = true}).empty());
    const Grown large(trace_text({launch_and_kernel("7"), launch_and_kernel("18446744073709551000")}));
    CHECK(large.error({.copies = 100}).find("has ids of 2^48 and more") != std::string::npos);
    CHECK(large.error({.copies = 10}).empty());
    CHECK(!fs::exists(grown.out()));
  }
}
