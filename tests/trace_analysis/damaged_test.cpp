// Traces whose brackets and quotes do not match: refused, or read the same wherever the reader's windows end.
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "benches/traces/events/read_rank_trace.hpp"
#include "sim/base/errors.hpp"
#include "tests/trace_analysis/small_trace.hpp"

using kernbench::traces::RankTrace;
using kernbench::traces::TraceReadOptions;

namespace {

/// An event whose fields are these texts, JSON or not.
struct Fields {
  std::string ts = "1";
  std::string dur = "2";
  std::string name = "k";
  std::string cat = "kernel";
  std::string args = R"("correlation":1)";

  [[nodiscard]] std::string text() const {
    return R"({"ph":"X","pid":1,"tid":1,"ts":)" + ts + R"(,"dur":)" + dur + R"(,"cat":")" + cat + R"(","name":")" +
           name + R"(","args":{)" + args + "}}";
  }
};

/// How many events there are and were left out; nothing where the file is refused.
std::optional<std::pair<std::size_t, std::uint64_t>> read_with(const SmallTrace& trace, bool skip_bad,
                                                               std::size_t window) {
  TraceReadOptions options;
  options.skip_bad = skip_bad;
  if (window > 0) options.window = window;
  try {
    const RankTrace read = trace.read(options);
    return std::pair(read.gpu_events.size(), read.bad_events);
  } catch (const kernbench::ConfigError&) {
    return std::nullopt;
  }
}

bool is_read_alike(const std::vector<std::string>& events) {
  std::string text = R"({"distributedInfo":{"rank":0,"world_size":2},"traceEvents":[)";
  for (const std::string& event : events) text += (text.back() == '[' ? "" : ",") + event;
  const SmallTrace trace(text + "]}");
  for (const bool skip_bad : {false, true}) {
    const auto whole = read_with(trace, skip_bad, 0);
    for (const std::size_t window : {std::size_t{1}, std::size_t{17}, std::size_t{64}}) {
      if (read_with(trace, skip_bad, window) != whole) return false;
    }
  }
  return true;
}

/// Up to three of what structure is made of.
rc::Gen<std::string> structure() {
  static const std::vector<std::string> kParts{"{",   "}",   "[",      "]",         ",",   ":",  "\"",
                                               "1",   "a",   "\"a\":", "{\"a\":1}", "[1]", "}}", "}]",
                                               "],[", "},{", "\"x\"",  "nul",       "-",   "\\"};
  return rc::gen::map(rc::gen::resize(3, rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kParts))),
                      [](const std::vector<std::string>& parts) {
                        std::string text;
                        for (const std::string& part : parts) text += part;
                        return text;
                      });
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.11 a bracket in the place of a value is told, and leads to no place behind the text") {
    const char* event = R"({"ph":"X","tid":1,"ts":],"dur":7,"cat":"nul","name":""},{}}","args":{"correlation":1}})";
    CHECK(SmallTrace(trace_text({event})).error().find("a field has no value: {") != std::string::npos);
  }

  TEST_CASE("40.11 a bracket of another kind that closes the events is the same in every window") {
    CHECK(is_read_alike({Fields{"", "", R"("}")", "", R"("correlation":[[")"}.text(),
                         Fields{"1", "5", "", "kernel", R"("correlation":c)"}.text(),
                         Fields{"", "", "", "", R"("correlation":")"}.text(),
                         Fields{"3", "3", "", "", R"("correlation":)"}.text()}));
  }

  TEST_CASE("40.11 whatever brackets and quotes stand where they should not, windows make no difference") {
    CHECK(rc::check([] {
      std::vector<std::string> events;
      const int count = *rc::gen::inRange(1, 5);
      for (int i = 0; i < count; ++i) {
        Fields fields;
        if (*rc::gen::arbitrary<bool>()) fields.ts = *structure();
        if (*rc::gen::arbitrary<bool>()) fields.dur = *structure();
        if (*rc::gen::arbitrary<bool>()) fields.name = *structure();
        if (*rc::gen::arbitrary<bool>()) fields.cat = *structure();
        if (*rc::gen::arbitrary<bool>()) fields.args += *structure();
        events.push_back(fields.text());
      }
      RC_ASSERT(is_read_alike(events));
    }));
  }
}
