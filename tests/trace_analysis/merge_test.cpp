// Ranks merged into one file and read back by `trace check`; the file itself is read by a JSON library.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/traces/merge/merge_traces.hpp"
#include "benches/traces/merge/sorted_records.hpp"
#include "benches/traces/merge/trace_facts.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/source_dir.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/trace_analysis/small_trace.hpp"

namespace fs = std::filesystem;
using namespace kernbench::traces;
using nlohmann::json;

namespace {

const fs::path kOverlap =
    fs::path(kernbench::source_dir()) / "benches/reference/nvidia-h200/traces/overlap/28ch_256threads";

/// A folder of ranks and what is merged of them.
class Run {
 public:
  explicit Run(const std::vector<std::string>& ranks) {
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      kernbench::write_file(inputs() / ("rank" + std::to_string(i) + ".json"), ranks[i]);
    }
  }

  [[nodiscard]] fs::path inputs() const {
    fs::create_directories(folder_.path() / "in");
    return folder_.path() / "in";
  }
  [[nodiscard]] fs::path out(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] std::vector<MergedRank> merge(const std::string& name, Alignment align = Alignment::kAuto) const {
    return merge_traces(find_trace_files({inputs()}, ""), out(name), {align, false});
  }
  [[nodiscard]] json merged(Alignment align = Alignment::kAuto) const {
    static_cast<void>(merge("all.json", align));
    return json::parse(kernbench::read_file(out("all.json")));
  }
  /// Problems of the merged file, differences from the inputs among them.
  [[nodiscard]] std::vector<std::string> problems(const std::string& name) const {
    const TraceFacts facts = read_trace_facts(out(name), false);
    std::vector<std::string> all = facts.problems;
    for (std::string& line : compare_with_inputs(facts, find_trace_files({inputs()}, ""), false)) all.push_back(line);
    return all;
  }

 private:
  TemporaryFolder folder_;
};

std::vector<json> events_of(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

std::string flow_text(const std::string& phase, int id, const std::string& ts, const std::string& track) {
  return R"({"ph":")" + phase + R"(","id":)" + std::to_string(id) + R"(,"cat":"ac2g","name":"ac2g","ts":)" + ts + "," +
         track + "}";
}

std::string collective(const std::string& ts, int sequence) {
  return event_text("kernel", "ncclDevKernel", ts, "1.000",
                    R"("Collective name":"allreduce","Process Group Name":"0","Seq":)" + std::to_string(sequence),
                    R"("pid":0,"tid":9)");
}

const std::string kGpu = R"("pid":0,"tid":7)";
const std::string kBase = R"("baseTimeNanoseconds":1000000)";

}  // namespace

TEST_SUITE("ADR-0042") {
  TEST_CASE("42.11 the sweep's four ranks are in the merged file, each slice once") {
    const TemporaryFolder folder;
    const std::vector<TraceFile> inputs = find_trace_files({kOverlap}, "");
    for (const char* name : {"all.json.gz", "all.pftrace.gz", "all.pftrace"}) {
      CAPTURE(name);
      const auto ranks = merge_traces(inputs, folder.path() / name, {});
      REQUIRE(ranks.size() == 4);
      const TraceFacts facts = read_trace_facts(folder.path() / name, false);
      CHECK(facts.is_merged);
      CHECK(facts.problems == std::vector<std::string>{});
      CHECK(compare_with_inputs(facts, inputs, false) == std::vector<std::string>{});
      // Without one rank all of that rank is too much.
      const std::vector<TraceFile> three(inputs.begin(), inputs.begin() + 3);
      CHECK(compare_with_inputs(facts, three, false).size() > 5);
    }
  }

  TEST_CASE("42.4 flows of the sweep: those with both ends are written, the others counted") {
    const TemporaryFolder folder;
    for (const MergedRank& rank : merge_traces(find_trace_files({kOverlap}, ""), folder.path() / "all.json", {})) {
      CHECK(rank.flow_counts.begins == 250);
      CHECK(rank.flow_counts.ends == 332);
      CHECK(rank.flow_counts.ends_without_begin == 132);
      CHECK(rank.flow_counts.begins_without_end == 50);
      CHECK(rank.crossing == 0);
    }
  }

  TEST_CASE("42.4 a flow with one end is left out, in both formats") {
    const Run run({trace_text({launched("kernel", "k", 1, "5", "2"), flow_text("s", 1, "0", R"("pid":1,"tid":1)"),
                               flow_text("f", 1, "5", kGpu), flow_text("s", 2, "0", R"("pid":1,"tid":1)"),
                               flow_text("f", 3, "5", kGpu)})});
    const json trace = run.merged();
    CHECK(events_of(trace, "s").size() == 1);
    CHECK(events_of(trace, "f").size() == 1);
    CHECK(events_of(trace, "s")[0]["id"] == events_of(trace, "f")[0]["id"]);
    CHECK(run.merge("all.pftrace")[0].flow_counts.without_partner() == 2);
    CHECK(read_trace_facts(run.out("all.pftrace"), false).flows.begins == 1);
    CHECK(run.problems("all.pftrace") == std::vector<std::string>{});
  }

  TEST_CASE("42.3 slices that cross go to a second lane, those that touch or hold each other stay") {
    const Run run({trace_text(
        {event_text("kernel", "inner", "0", "4", "", kGpu), event_text("kernel", "outer", "0", "10", "", kGpu),
         event_text("kernel", "crossing", "6", "10", "", kGpu), event_text("kernel", "after", "16", "1", "", kGpu)})});
    CHECK(read_trace_facts(run.inputs() / "rank0.json", false).crossing() == 1);
    const json trace = run.merged();
    std::map<std::string, int> lanes;
    for (const json& event : events_of(trace, "X")) lanes[event["name"]] = event["tid"];
    CHECK(lanes["outer"] == lanes["inner"]);
    CHECK(lanes["outer"] == lanes["after"]);
    CHECK(lanes["outer"] != lanes["crossing"]);
    CHECK(trace.dump().find("stream 7 #2") != std::string::npos);
    CHECK(run.merge("all.pftrace")[0].crossing == 1);
    CHECK(run.problems("all.pftrace") == std::vector<std::string>{});
    CHECK(run.problems("all.json") == std::vector<std::string>{});
  }

  TEST_CASE("42.5 ids of two ranks do not collide, and what they link stays linked") {
    const std::string rank = trace_text({launched("kernel", "k", 7, "5", "2"),
                                         flow_text("s", 7, "0", R"("pid":1,"tid":1)"), flow_text("f", 7, "5", kGpu)});
    const Run run({rank, rank});
    std::map<int, std::vector<std::string>> of_id;
    const json trace = run.merged();
    for (const json& event : events_of(trace, "X")) of_id[event["args"]["correlation"]].push_back(event["cat"]);
    REQUIRE(of_id.size() == 2);
    for (const auto& [id, categories] : of_id) CHECK(categories.size() == 2);
    CHECK(events_of(trace, "s")[0]["id"] != events_of(trace, "s")[1]["id"]);
    CHECK(run.problems("all.json") == std::vector<std::string>{});
  }

  TEST_CASE("42.10 a merged file with ids of one rank among another's is wrong") {
    const std::string rank = trace_text({launched("kernel", "k", 7, "5", "2")});
    const Run run({rank, rank});
    json trace = run.merged();
    for (json& event : trace["traceEvents"]) {
      if (event["ph"] == "X") event["args"]["correlation"] = 7;
    }
    kernbench::write_file(run.out("bad.json"), trace.dump());
    CHECK(run.problems("bad.json") ==
          std::vector<std::string>{"correlation ids of ranks 0 and 1 lie among each other"});
  }

  TEST_CASE("42.2 processes and tracks are named, in the order of ranks") {
    const std::string names = R"({"ph":"M","name":"process_name","pid":0,"tid":0,"args":{"name":"python3"}},)"
                              R"({"ph":"M","name":"process_labels","pid":0,"tid":0,"args":{"labels":"GPU 0"}},)"
                              R"({"ph":"M","name":"thread_name","pid":0,"tid":7,"args":{"name":"stream 7 "}})";
    const std::string rank = trace_text({launched("kernel", "<script>alert(1)</script>", 1, "5", "2"), names});
    const json trace = Run({rank, rank}).merged();
    std::map<int, std::string> processes;
    for (const json& event : events_of(trace, "M")) {
      if (event["name"] == "process_name") processes[event["pid"]] = event["args"]["name"];
    }
    CHECK(processes == std::map<int, std::string>{
                           {1, "[R0] python3 GPU 0"}, {2, "[R0] CPU"}, {3, "[R1] python3 GPU 0"}, {4, "[R1] CPU"}});
    CHECK(trace.dump().find("\"stream 7\"") != std::string::npos);
    CHECK(trace.dump().find("\"thread 1\"") != std::string::npos);
    CHECK(trace.dump().find("<script>alert(1)</script>") != std::string::npos);
  }

  TEST_CASE("42.1 other fields are not copied, instants are") {
    const Run run(
        {trace_text({launched("kernel", "k", 1, "5", "2"), R"({"ph":"i","name":"mark","pid":1,"tid":1,"ts":3})",
                     R"({"ph":"C","name":"counter","pid":1,"tid":1,"ts":3,"args":{"x":1}})"},
                    R"("environment":{"TOKEN":"secret"})")});
    const json trace = run.merged();
    CHECK(trace.dump().find("secret") == std::string::npos);
    CHECK(events_of(trace, "i").size() == 1);
    CHECK(run.merge("all.pftrace")[0].other_events == 1);
    CHECK(kernbench::read_file(run.out("all.pftrace")).find("secret") == std::string::npos);
    CHECK(read_trace_facts(run.out("all.pftrace"), false).instants == 1);
  }

  TEST_CASE("42.1 an argument that is no JSON is a text, and an array of events is a trace") {
    for (const char* odd : {"inf", "-nan", "1.#IND"}) {
      CAPTURE(odd);
      const std::string copy = event_text("gpu_memcpy", "copy", "5", "0", R"("bandwidth":)" + std::string(odd), kGpu);
      const Run run({"[" + copy + "," + event_text("cpu_op", "op", "1", "2") + "]"});
      CHECK(read_trace_facts(run.inputs() / "rank0.json", false).slices() == 2);
      const json trace = run.merged();
      const auto slices = events_of(trace, "X");
      REQUIRE(slices.size() == 2);
      const json& args = slices[0].contains("args") ? slices[0]["args"] : slices[1]["args"];
      CHECK(args["bandwidth"] == odd);
      CHECK(run.problems("all.json") == std::vector<std::string>{});
      static_cast<void>(run.merge("all.pftrace"));
      CHECK(run.problems("all.pftrace") == std::vector<std::string>{});
    }
    const Run run({trace_text({event_text("kernel", "k", "1", "2", R"("a":,"b":1)", kGpu)})});
    CHECK(::error_of([&] { static_cast<void>(run.merge("all.json")); }).find("does not parse") != std::string::npos);
  }

  TEST_CASE("42.6 times are base time and ts, to the picosecond") {
    const Run run({trace_text({event_text("kernel", "a", "10.000001", "2.0000005", "", kGpu)}, kBase),
                   trace_text({event_text("kernel", "b", "11", "0.5", "", kGpu)}, R"("baseTimeNanoseconds":1003000)")});
    static_cast<void>(run.merged());
    const std::string text = kernbench::read_file(run.out("all.json"));
    CHECK(text.find("\"baseTimeNanoseconds\":1010000,") != std::string::npos);
    CHECK(text.find("\"ts\":0.000001,\"name\":\"a\"") != std::string::npos);
    CHECK(text.find("\"dur\":2.000001}") != std::string::npos);
    CHECK(text.find("\"ts\":4.000,\"name\":\"b\"") != std::string::npos);
    static_cast<void>(run.merge("all.pftrace"));
    const TraceFacts facts = read_trace_facts(run.out("all.pftrace"), false);
    CHECK(facts.first_ps == 1'010'000'000);
    CHECK(facts.span_ps == 4'500'000);
    CHECK(run.problems("all.pftrace") == std::vector<std::string>{});
  }

  TEST_CASE("42.7 clocks: what is measured is applied where bases are missing or ends say that a clock is another") {
    const auto rank = [](const std::string& shift, const std::string& base) {
      return trace_text({collective(shift + "10", 1), collective(shift + "20", 2), collective(shift + "37", 3)}, base);
    };
    const auto shift_us = [&](const Run& run, Alignment align) {
      return static_cast<double>(run.merge("all.json", align)[1].clock.shift_ps) / 1e6;
    };
    const Run near({rank("1", kBase), rank("2", kBase)});  // 100 µs
    CHECK(shift_us(near, Alignment::kAuto) == 0);
    CHECK(shift_us(near, Alignment::kEnds) == -100);
    CHECK(shift_us(near, Alignment::kBase) == 0);
    CHECK(near.merge("all.json")[1].clock.matched == 3);
    const Run far({rank("1", kBase), rank("20", kBase)});  // 1900 µs
    CHECK(shift_us(far, Alignment::kAuto) == -1900);
    CHECK(shift_us(far, Alignment::kBase) == 0);
    const Run little({rank("1", kBase), rank("3", kBase)});  // 200 µs
    CHECK(shift_us(little, Alignment::kAuto) == -200);
    const Run without({rank("1", kBase), rank("2", "")});
    CHECK(shift_us(without, Alignment::kAuto) == 900);  // 1 ms of base, 100 µs
    CHECK(far.problems("all.json") == std::vector<std::string>{});
  }

  TEST_CASE("42.7 collectives without Seq that may be matched one off move nobody, and are told") {
    const auto rank = [](int first) {
      std::vector<std::string> events;
      for (int i = first; i < first + 6; ++i) {
        events.push_back(event_text("kernel", "ncclDevKernel", std::to_string(1000 * i), "1.000",
                                    R"("Collective name":"allreduce","Process Group Name":"0")", kGpu));
      }
      return trace_text(events, kBase);
    };
    const Run off({rank(0), rank(1)});
    const RankClock clock = off.merge("all.json")[1].clock;
    CHECK(clock.doubt == ClockDoubt::kOneOff);
    CHECK(clock.median_ps == 1'000'000'000);
    CHECK(clock.shift_ps == 0);
    CHECK(off.merge("all.json", Alignment::kEnds)[1].clock.shift_ps == -1'000'000'000);
    CHECK(Run({rank(0), rank(0)}).merge("all.json")[1].clock.doubt == ClockDoubt::kNone);
  }

  TEST_CASE("42.8 the file without base time is named, with what to do") {
    const std::string far = R"("baseTimeNanoseconds":1790857026000000000)";
    const Run apart({trace_text({collective("10", 1)}, far), trace_text({collective("10", 2)})});
    const std::string alone = ::error_of([&] { static_cast<void>(apart.merge("all.json")); });
    CHECK(alone.find("in/rank1.json: has no baseTimeNanoseconds, and other files have") != std::string::npos);
    CHECK(alone.find("merge the files without it by themselves, or add the field") != std::string::npos);
    const Run together({trace_text({collective("10", 1)}), trace_text({collective("10", 1)}, far)});
    CHECK(together.merge("all.json").size() == 2);
    const std::string base = ::error_of([&] { static_cast<void>(together.merge("other.json", Alignment::kBase)); });
    CHECK(base.find("in/rank0.json: has no baseTimeNanoseconds") != std::string::npos);
    CHECK(base.find("--align auto, which sets clocks by the collectives") != std::string::npos);
    const Run years({trace_text({collective("10", 1)}, kBase), trace_text({collective("10", 2)}, far)});
    CHECK(::error_of([&] {
            static_cast<void>(years.merge("all.json"));
          }).find("in/rank1.json: its times are more than 53 days from those of ") != std::string::npos);
    CHECK(!fs::exists(apart.out("all.json")));
  }

  TEST_CASE("42.8 what cannot be merged is refused and leaves no file") {
    const std::string rank = trace_text({launched("kernel", "k", 1, "5", "2")});
    const Run run({rank, trace_text({event_text("cpu_op", "op", "1", "2")})});
    CHECK(::error_of([&] { static_cast<void>(run.merge("all.json")); }).find("has no GPU event") != std::string::npos);
    CHECK(!fs::exists(run.out("all.json")));
    CHECK(::error_of([&] { static_cast<void>(run.merge("all.txt")); }).find("--out ") != std::string::npos);
    CHECK(::error_of([&] { static_cast<void>(run.merge("in/rank0.json")); }).find("is one of the traces") !=
          std::string::npos);
  }

  TEST_CASE("42.9 records come sorted, whatever of them fits in memory") {
    std::mt19937 random(5);
    for (const std::size_t memory : {std::size_t{100}, std::size_t{5000}, SortedRecords::kMemory}) {
      SortedRecords records(fs::temp_directory_path(), memory);
      std::vector<std::tuple<std::uint32_t, TracePs, TracePs, std::string>> expected;
      for (int i = 0; i < 500; ++i) {
        const RecordHead head{static_cast<std::uint32_t>(random() % 3), RecordKind::kSlice,
                              static_cast<TracePs>(random() % 50), static_cast<TracePs>(random() % 5)};
        const std::string payload(random() % 40, static_cast<char>('a' + random() % 26));
        records.add(head, payload);
        expected.emplace_back(head.track, head.start, -head.duration, payload);
      }
      std::ranges::stable_sort(expected, {}, [](const auto& one) {
        return std::tuple(std::get<0>(one), std::get<1>(one), std::get<2>(one));
      });
      records.finish();
      SortedRecord record;
      for (const auto& [track, start, duration, payload] : expected) {
        REQUIRE(records.next(record));
        CHECK(std::tuple(record.head.track, record.head.start, -record.head.duration, std::string(record.payload)) ==
              std::tuple(track, start, duration, payload));
      }
      CHECK(!records.next(record));
    }
  }

  TEST_CASE("42.3 random traces keep every slice's name, duration and relative time, and nest") {
    std::mt19937 random(3);
    for (int tries = 0; tries < 30; ++tries) {
      std::vector<std::string> events;
      std::vector<std::tuple<std::string, int, int>> expected;
      for (int i = 0; i < 40; ++i) {
        const int start = static_cast<int>(random() % 30);
        const int duration = static_cast<int>(random() % 8);
        events.push_back(event_text("kernel", "k" + std::to_string(i), std::to_string(start), std::to_string(duration),
                                    "", R"("pid":0,"tid":)" + std::to_string(random() % 2)));
        expected.emplace_back("k" + std::to_string(i), start, duration);
      }
      const Run run({trace_text(events, kBase)});
      const json trace = run.merged();
      int first = 30;
      for (const auto& [name, start, duration] : expected) first = std::min(first, start);
      for (auto& [name, start, duration] : expected) start -= first;
      std::vector<std::tuple<std::string, int, int>> got;
      for (const json& event : events_of(trace, "X")) {
        got.emplace_back(event["name"], event["ts"].get<double>(), event["dur"].get<double>());
      }
      std::ranges::sort(expected);
      std::ranges::sort(got);
      CHECK(got == expected);
      CHECK(run.problems("all.json") == std::vector<std::string>{});
      static_cast<void>(run.merge("all.pftrace"));
      CHECK(run.problems("all.pftrace") == std::vector<std::string>{});
    }
  }
}
