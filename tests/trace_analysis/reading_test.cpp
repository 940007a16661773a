// Traces of every form, and damaged ones.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>

#include "benches/traces/events/read_rank_trace.hpp"
#include "benches/traces/merge/trace_facts.hpp"
#include "benches/traces/tables/gemms.hpp"
#include "benches/traces/tables/timeline.hpp"
#include "tests/support/error_of.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using kernbench::traces::RankTrace;
using kernbench::traces::TraceReadOptions;

namespace {

bool has_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// All of a trace's events in a text, to compare.
std::string digest(const RankTrace& trace) {
  std::string text;
  for (const auto& event : trace.gpu_events) {
    text += trace.name(event.name) + " " + trace.name(event.stream) + " " + std::to_string(event.start) + " " +
            std::to_string(event.duration) + " " + std::to_string(event.correlation) + " " +
            std::to_string(event.launch) + " " + std::to_string(event.gemm_op) + "\n";
  }
  for (const auto& launch : trace.launches) text += std::to_string(launch.start) + " ";
  for (const auto& op : trace.gemm_ops) text += trace.gemm_shapes[op.shape].op + std::to_string(op.start) + " ";
  return text + std::to_string(trace.bad_events);
}

std::vector<std::string> some_events() {
  return {event_text("python_function", "f(\\\"a\\\", {b: [1, 2]})", "10.5", "3", R"("Call stack":"x,{\"y\":[}")"),
          op_text("aten::mm", "11", "2", "[[2,3],[3,4]]", "[[3,1],[4,1]]"),
          launched("kernel", "nvjet_a", 1, "14.25", "2.5", "11.5"),
          launched("gpu_memset", "Memset (Device)", 2, "13", "0.001", "11.25"),
          event_text("cpu_op", "aten::view", "12", "1", R"("Input Dims":[[2,3],[]],"x":{"y":[{},[]]})"),
          launched("kernel", "ncclDevKernel_\\u00e9\\\\", 3, "15", "1e1", "12.5")};
}

const std::string kNoJson = R"(not JSON of a trace: expected "{" or "[")";

/// The events as Chrome's array: `end` closes it, or does not.
std::string array_text(const std::vector<std::string>& events, const std::string& end) {
  const std::string text = trace_text(events);
  const std::size_t from = text.find('[');
  return text.substr(from, text.rfind("\n]}") - from) + end;
}

std::string one_kernel() { return launched("kernel", "k", 1, "1", "1"); }

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.1 gzip is known by its content; several members are one file") {
    const std::string text = trace_text(some_events());
    const std::string expected = digest(SmallTrace(text).read());
    CHECK(digest(SmallTrace(gzipped(text), "rank0.json").read()) == expected);
    CHECK(digest(SmallTrace(text, "rank0.json.gz").read()) == expected);
    CHECK(digest(SmallTrace(gzipped(text.substr(0, 100)) + gzipped(text.substr(100))).read()) == expected);
  }

  TEST_CASE("40.1 other fields of the file are passed over, before and behind the events") {
    const std::string fields =
        R"("schemaVersion":1,"metadata":{"TOKEN":"a]},{\"traceEvents\":[","x":[[1,{}]]},"baseTimeNanoseconds":1790857026000000000,
        "deviceProperties":[{"id":0,"name":"NVIDIA H200"}],"distributedInfo":{"rank":2,"world_size":4,
        "pg_config":[{"pg_name":"0","ranks":[0,1,2,3]}]})";
    std::string text = trace_text({one_kernel()}, fields);
    text.insert(text.rfind('}'), R"(, "traceName": "x", "more": [1, {"a": "]"}])");
    const RankTrace trace = SmallTrace(text).read();
    CHECK(trace.gpu_events.size() == 1);
    CHECK(trace.base_time_ns == 1'790'857'026'000'000'000);
    CHECK(trace.devices == std::vector<std::string>{"NVIDIA H200"});
    CHECK(trace.distributed.rank == 2);
    CHECK(trace.distributed.world_size == 4);
    REQUIRE(trace.distributed.groups.size() == 1);
    CHECK(trace.distributed.groups[0].ranks == std::vector<std::int64_t>{0, 1, 2, 3});
  }

  TEST_CASE("40.1 a byte order mark, and ranks that are texts") {
    const std::string mark = "\xef\xbb\xbf";
    const std::string fields =
        R"("distributedInfo":{"rank":"2","world_size":"4","pg_config":[{"pg_name":0,"ranks":["0","2"]}]})";
    const RankTrace trace = SmallTrace(mark + trace_text({one_kernel()}, fields)).read();
    CHECK(trace.distributed.rank == 2);
    CHECK(trace.distributed.world_size == 4);
    CHECK(trace.distributed.groups.at(0).ranks == std::vector<std::int64_t>{0, 2});
    CHECK(has_text(SmallTrace(mark.substr(0, 2) + "{}").error(), kNoJson + " at byte 2"));
    CHECK(SmallTrace(trace_text({one_kernel()}, R"("distributedInfo":{"rank":"two"})")).read().distributed.rank ==
          std::nullopt);
  }

  TEST_CASE("40.1 a trace may be an array of events, which nothing need close") {
    const std::string expected = digest(SmallTrace(trace_text(some_events())).read());
    for (const std::string end : {"\n]\n", "]", "", "\n", ",\n", ", ]"}) {
      CAPTURE(end);
      const std::string text = array_text(some_events(), end);
      CHECK(digest(SmallTrace(text).read()) == expected);
      CHECK(digest(SmallTrace(gzipped("\n " + text)).read()) == expected);
      for (const std::size_t window : {1, 64, 100, 1000}) {
        TraceReadOptions options;
        options.window = window;
        CHECK(digest(SmallTrace(text).read(options)) == expected);
      }
    }
    CHECK(has_text(SmallTrace(array_text(some_events(), "] x")).error(), "something follows the end of the trace"));
    CHECK(has_text(SmallTrace("[1, 2]").error(), "a JSON array, but not of trace events, at byte 0"));
    const std::string text = array_text(some_events(), "");
    CHECK(has_text(SmallTrace(text.substr(0, text.size() - 1)).error(), "truncated"));
    CHECK(has_text(SmallTrace(text.substr(0, text.size() - 10)).error(), "truncated"));
  }

  TEST_CASE("40.10 files that hold others are named") {
    std::string tar(1024, '\0');
    tar.replace(0, 11, "rank0.json");
    tar.replace(257, 5, "ustar");
    const auto refused = [](const std::string& text) { return SmallTrace(text).error(); };
    CHECK(refused(tar) == "is a tar archive: expected a trace (JSON), plain or gzip; unpack it");
    CHECK(refused(gzipped(tar)) == refused(tar));
    CHECK(has_text(refused("PK\x03\x04 and more"), "is a zip archive"));
    CHECK(has_text(refused("\x28\xb5\x2f\xfd and more"), "is zstd data"));
    CHECK(has_text(refused("BZh91AY&SY"), "is bzip2 data"));
    TraceReadOptions options;
    options.window = 1;
    CHECK(has_text(SmallTrace(tar).error(options), "is a tar archive"));
  }

  TEST_CASE("40.11 an id that 64 bits do not hold is refused, not lost") {
    const std::string most = "18446744073709551615";
    const std::string larger = "18446744073709551616";
    const auto of_id = [](const std::string& id) {
      return SmallTrace(trace_text({event_text("cuda_runtime", "l", "0", "1", R"("correlation":)" + id),
                                    event_text("kernel", "k", "1", "1", R"("correlation":)" + id)}));
    };
    CHECK(of_id(most).read().gpu_events.at(0).is_linked);
    CHECK(has_text(of_id(larger).error(), "correlation: an id of it is 2^64 or more"));
  }

  TEST_CASE("40.1 only complete events are read, and their fields in any order") {
    const RankTrace trace = read_events(
        {R"({"ph":"B","cat":"kernel","name":"b","ts":5,"pid":0,"tid":7})",
         R"({"args":{"correlation":1},"dur":2,"ts":6,"tid":"stream 7","pid":"GPU 0","name":"k","cat":"kernel","ph":"X"})",
         R"({ "name" : "launch" , "ph" : "X" , "ts" : 5.5 , "cat" : "cuda_driver" , "args" : { "correlation" : 1 } })"});
    REQUIRE(trace.gpu_events.size() == 1);
    CHECK(trace.gpu_events[0].start == 1'000'000);
    CHECK(trace.gpu_events[0].is_linked);
    CHECK(trace.name(trace.gpu_events[0].stream) == "\"GPU 0\"/\"stream 7\"");
    CHECK(trace.launches.at(0).end == 500'000);  // no dur is 0
  }

  TEST_CASE("40.2 where the windows end changes nothing") {
    const std::string text = trace_text(some_events(), R"("a":[{"b":"}]"}])");
    const std::string expected = digest(SmallTrace(text).read());
    const SmallTrace plain(text);
    const SmallTrace packed(gzipped(text), "rank0.json.gz");
    CHECK(rc::check([&](std::uint16_t size) {
      TraceReadOptions options;
      options.window = 1 + size % 3000;
      RC_ASSERT(digest(plain.read(options)) == expected);
      RC_ASSERT(digest(packed.read(options)) == expected);
    }));
  }

  TEST_CASE("40.2 what is kept of an event takes at most 48 bytes") {
    CHECK(sizeof(kernbench::traces::GpuEvent) <= 48);
    CHECK(sizeof(kernbench::traces::Launch) <= 48);
    CHECK(sizeof(kernbench::traces::GemmOp) <= 48);
  }

  TEST_CASE("40.3 times are relative to the first event, which need not be the earliest") {
    const RankTrace trace = read_events({event_text("cpu_op", "aten::view", "4414803000792.245", "1"),
                                         launched("kernel", "k", 1, "4414803000792.001", "0.333333", "4414803000790")});
    CHECK(trace.origin_us == "4414803000792.245");
    CHECK(trace.gpu_events.at(0).start == -244'000);
    CHECK(trace.gpu_events.at(0).duration == 333'333);
    CHECK(trace.launches.at(0).start == -2'245'000);
  }

  TEST_CASE("40.10 what is no trace is told apart") {
    const auto error_of_text = [](const std::string& text) { return SmallTrace(text).error(); };
    CHECK(error_of_text("") == "expected a trace (JSON), got an empty file at byte 0");
    CHECK(error_of_text("hello") == kNoJson + " at byte 0");
    CHECK(error_of_text("{\"a\": 1}") == "has no traceEvents: expected a trace, the file's object ends at byte 7");
    CHECK(error_of_text("{}") == "has no traceEvents: expected a trace, the file ends at byte 1");
    CHECK(error_of_text("{\"traceEvents\": 3}") == "not JSON: expected an array of traceEvents at byte 16");
    CHECK(has_text(error_of_text(trace_text({})), "has no GPU event"));
    CHECK(has_text(error_of_text(trace_text({event_text("cpu_op", "aten::mm", "1", "1")})), "has no GPU event"));
    CHECK(has_text(error_of_text(trace_text({one_kernel()}, "\"a\" 1")), "not JSON: expected \":\" at byte 5"));
    CHECK(has_text(error_of_text(trace_text({one_kernel()}) + "x"), "something follows the end of the trace at byte"));
    std::string twice = trace_text({one_kernel()});
    twice.insert(twice.rfind('}'), ",\"traceEvents\":[]");
    CHECK(has_text(error_of_text(twice), "has traceEvents twice"));
    CHECK(has_text(::SmallTrace("x").error(), "not JSON"));
  }

  TEST_CASE("40.10 a truncated file is named with the byte where it ends, wherever that is") {
    const std::string text = trace_text(some_events(), R"("a":{"b":"c"})");
    for (std::size_t size = 1; size + 1 < text.size(); ++size) {
      CAPTURE(size);
      const std::string message = SmallTrace(text.substr(0, size)).error();
      CHECK(has_text(message, "truncated"));
      CHECK(has_text(message, "at byte " + std::to_string(size)));
    }
  }

  TEST_CASE("40.10 gzip data that are cut or damaged are named with their byte") {
    std::string packed = gzipped(trace_text(some_events()));
    CHECK(has_text(SmallTrace(packed.substr(0, 200)).error(), "truncated: its gzip data end at byte 200"));
    packed[150] = static_cast<char>(packed[150] ^ 0x55);
    packed[151] = static_cast<char>(packed[151] ^ 0x55);
    CHECK(SmallTrace(packed).error() != "");
    CHECK(has_text(SmallTrace(std::string("\x1f\x8bhello, not gzip")).error(), "no valid gzip data at byte"));
  }

  TEST_CASE("40.11 an event that does not parse is refused with its byte and text, or left out and counted") {
    struct Bad {
      std::string what;
      std::string event;
      std::string reason;
    };
    const std::vector<Bad> all{
        {"even unescaped quotes", R"({"ph":"X","cat":"kernel","name":"a "b" c","ts":1,"dur":1})", ""},
        {"an odd unescaped quote", R"({"ph":"X","cat":"kernel","name":"a " c","ts":1,"dur":1,"args":{"x":"y"}})", ""},
        {"no UTF-8", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"\xff\xfe\",\"ts\":1,\"dur\":1}", "UTF-8"},
        {"a line end in a text", "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\nb\",\"ts\":1,\"dur\":1}", ""},
        {"a field twice", R"({"ph":"X","cat":"kernel","name":"a","ts":1,"ts":2,"dur":1})", "a field twice"},
        {"no ph", R"({"cat":"kernel","name":"a","ts":1,"dur":1})", "no ph"},
        {"a negative dur", R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":-1})",
         "expected 0 or more µs, got \"-1\""},
        {"a text as ts", R"({"ph":"X","cat":"kernel","name":"a","ts":"1","dur":1})", "ts: expected a number of µs"},
        {"a distant ts", R"({"ph":"X","cat":"kernel","name":"a","ts":1e14,"dur":1})", "within 53 days"},
        {"a bracket of the other kind", R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":1])", ""},
        {"a dur of 236 years", R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":7447580000000000})",
         "dur: expected at most 53 days, got \"7447580000000000\""},
        {"no object", "17", ""},
        {"a missing colon", R"({"ph" "X","cat":"kernel","name":"a","ts":1,"dur":1})", ""},
    };
    for (const Bad& bad : all) {
      for (const std::size_t window : {std::size_t{100}, std::size_t{1000}, kernbench::traces::kTraceWindow}) {
        CAPTURE(bad.what);
        CAPTURE(window);
        std::vector<std::string> good = some_events();
        std::vector<std::string> events = good;
        events.insert(events.begin() + 3, bad.event);
        const std::string text = trace_text(events);
        const SmallTrace trace(text);
        TraceReadOptions options;
        options.window = window;
        const std::string message = trace.error(options);
        CHECK(has_text(message, "the event at byte " + std::to_string(text.find(bad.event)) + " does not parse"));
        CHECK(has_text(message, bad.reason));
        CHECK(has_text(message, "--skip-bad"));
        options.skip_bad = true;
        const RankTrace left = trace.read(options);
        CHECK(left.bad_events == 1);
        std::string expected = digest(SmallTrace(trace_text(good)).read());
        expected.back() = '1';
        CHECK(digest(left) == expected);
      }
    }
  }

  TEST_CASE("40.11 the last event, too, is left out where it does not parse") {
    const std::string expected = digest(SmallTrace(trace_text(some_events())).read());
    for (const std::string bad : {
             R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":-5})",
             R"({"ph":"X","cat":"kernel","name":"a "b" c","ts":1,"dur":1})",
             R"({"cat":"kernel","name":"a","ts":1,"dur":1})",
             R"({"ph":"X","cat":"kernel","name":"a","ts":1,"ts":2,"dur":1,"args":{"x":[1,2]}})",
             R"({"ph":"X","cat":"kernel","name":"a","ts":1,"dur":1])",
             "17",
         }) {
      CAPTURE(bad);
      std::vector<std::string> events = some_events();
      events.push_back(bad);
      std::string with_fields = trace_text(events);
      with_fields.insert(with_fields.rfind('}'), R"(, "traceName": "x", "more": [{"a": 1}, {"b": 2}])");
      for (const std::string& text :
           {trace_text(events), with_fields, array_text(events, "]"), array_text(events, "")}) {
        for (const std::size_t window : {std::size_t{1}, std::size_t{100}, kernbench::traces::kTraceWindow}) {
          TraceReadOptions options;
          options.window = window;
          CHECK(has_text(SmallTrace(text).error(options), "does not parse"));
          options.skip_bad = true;
          std::string got = digest(SmallTrace(text).read(options));
          CHECK(got.back() == '1');
          got.back() = '0';
          CHECK(got == expected);
        }
      }
    }
  }

  TEST_CASE("40.11 arguments that no table needs may be no JSON") {
    const std::string expected = digest(SmallTrace(trace_text(some_events())).read());
    for (const char* odd : {"inf", "-inf", "nan", "-nan(ind)", "1.#INF", "Infinity", "None"}) {
      CAPTURE(odd);
      std::string text = trace_text(some_events());
      for (const char* place : {R"("correlation":2)", R"("Input Dims":[[2,3],[3,4]])"}) {
        text.insert(text.find(place), "\"memory bandwidth (GB/s)\":" + std::string(odd) + ",");
      }
      CHECK(digest(SmallTrace(text).read()) == expected);
    }
    const RankTrace trace =
        read_events({event_text("cpu_op", "aten::mm", "0", "1", R"("Input Dims":nan)"), one_kernel()});
    CHECK_FALSE(trace.gemm_shapes.at(0).is_known());
  }

  TEST_CASE("40.11 with --skip-bad a truncated file is read to its end, what that cuts left out, and that is said") {
    const std::string text = trace_text(some_events(), R"("baseTimeNanoseconds":5)");
    TraceReadOptions options;
    options.skip_bad = true;
    const std::size_t last = text.find(R"({"ph":"X","cat":"kernel","name":"ncclDevKernel)");
    const std::size_t end = text.rfind('}', text.rfind(']')) + 1;
    std::vector<std::string> whole = some_events();
    const std::string with_last = digest(SmallTrace(trace_text(whole)).read());
    whole.back() = whole.back().substr(0, whole.back().find(",\n"));  // its launch alone
    const std::string without = digest(SmallTrace(trace_text(whole)).read());
    for (std::size_t size = last - 2; size < text.size() - 1; ++size) {
      for (const std::size_t window : {std::size_t{64}, kernbench::traces::kTraceWindow}) {
        CAPTURE(size);
        options.window = window;
        const bool is_cut = size > last && size < end;
        const RankTrace trace = SmallTrace(text.substr(0, size)).read(options);
        CHECK(trace.truncated_at == size);
        CHECK(trace.bad_events == (is_cut ? 1 : 0));
        std::string got = digest(trace);
        got.back() = '0';
        CHECK(got == (size < end ? without : with_last));
        REQUIRE_FALSE(trace.warnings.empty());
        CHECK(has_text(trace.warnings.front(), "the file is truncated at byte " + std::to_string(size)));
        CHECK(has_text(trace.warnings.front(), "1 event that did not parse left out") == is_cut);
      }
    }
    options.window = kernbench::traces::kTraceWindow;
    CHECK_FALSE(SmallTrace(text).read(options).truncated_at);
    // Half a number is none; nothing of an event begins here; gzip data are refused.
    std::string fields = trace_text(some_events());
    fields.insert(fields.rfind('}'), R"(,"baseTimeNanoseconds":1790857026000000000)");
    CHECK_FALSE(SmallTrace(fields.substr(0, fields.size() - 8)).read(options).has_base_time);
    CHECK(has_text(SmallTrace(text.substr(0, 20)).error(options), "truncated"));
    CHECK(has_text(SmallTrace(gzipped(text).substr(0, 200)).error(options), "its gzip data end at byte 200"));
    CHECK(has_text(SmallTrace(text.substr(0, end - 3)).error(), "--skip-bad leaves out what its end cuts"));
  }

  TEST_CASE("40.11 what is no event, or has a field of another kind, is told in words of our own") {
    const std::string good = one_kernel();
    const std::vector<std::pair<std::string, std::string>> all{
        {"1", "expected an object, got 1: 1;"},
        {R"("x")", "expected an object, got a text: \"x\";"},
        {"[1, [2]]", "expected an object, got an array: [1, [2]];"},
        {"null", "expected an object, got null: null;"},
        {R"({"ph":5,"cat":"kernel","name":"k","ts":1})", "ph: expected a text, got 5: {"},
        {R"({"ph":"X","cat":[1],"name":"k","ts":1})", "cat: expected a text, got an array: {"},
        {R"({"ph":"X","cat":"kernel","name":tru,"ts":1})", "name: expected a text, got tru: {"},
        {R"({"ph":"X","cat":"kernel","name":"k","ts":1,"dur":1,"args":3})", "args: expected an object, got 3: {"},
        {R"({"ph":"X" "cat":"kernel"})", R"(expected {"name": value, ...}, brackets and quotes in pairs: {)"},
    };
    for (const auto& [event, reason] : all) {
      for (const std::string& text : {trace_text({good, event}), trace_text({event, good}),
                                      array_text({event, good}, "]"), array_text({good, event}, "")}) {
        CAPTURE(text);
        const SmallTrace trace(text);
        const std::size_t byte = text.find("\n" + event) + 1;
        const std::string place = "the event at byte " + std::to_string(byte) + " does not parse: ";
        CHECK(has_text(trace.error(), place + reason));
        const std::string of_check =
            ::error_of([&] { static_cast<void>(kernbench::traces::read_trace_facts(trace.file(), false)); });
        CHECK(has_text(of_check, place + reason));
        TraceReadOptions options;
        options.skip_bad = true;
        CHECK(trace.read(options).bad_events == 1);
      }
    }
  }

  TEST_CASE("40.11 whatever byte is damaged, the file is refused or read") {
    const std::string text = trace_text(some_events(), R"("a":{"b":"c"})");
    CHECK(rc::check([&text](std::uint16_t place, std::uint8_t byte, bool skip) {
      std::string damaged = text;
      damaged[place % damaged.size()] = static_cast<char>(byte);
      TraceReadOptions options;
      options.skip_bad = skip;
      options.window = 256;
      const SmallTrace trace(damaged);
      const std::string message = trace.error(options);  // another exception than ConfigError ends the test
      RC_ASSERT(message.size() < 1000U);
    }));
  }
}
