// Chrome's trace events: one JSON object a line. Its `ts` and `dur` are microseconds; six decimals are picoseconds.
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "sim/system/trace/trace_encoding.hpp"

namespace kernbench {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kPid = 1;
constexpr std::int64_t kRunThread = 0;

std::string json_text(const std::string& text) { return Json(text).dump(); }

/// Exactly: 1,765,250 ps are "1.765250".
std::string in_microseconds(Picoseconds time) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%lld.%06lld", static_cast<long long>(time.value / 1000000),
                static_cast<long long>(time.value % 1000000));
  return text.data();
}

void add_metadata(std::string& out, const char* what, std::int64_t thread, const std::string& value) {
  out += R"({"ph":"M","pid":)" + std::to_string(kPid) + R"(,"tid":)" + std::to_string(thread) + R"(,"name":")" + what +
         R"(","args":{)" + value + "}},\n";
}

void add_slice(std::string& out, std::int64_t thread, const std::string& name, std::string_view category,
               const Span& span, const std::string& arguments) {
  out += R"({"ph":"X","pid":)" + std::to_string(kPid) + R"(,"tid":)" + std::to_string(thread) + R"(,"ts":)" +
         in_microseconds(span.start) + R"(,"dur":)" + in_microseconds(span.end - span.start) + R"(,"name":)" +
         json_text(name) + R"(,"cat":")" + std::string(category) + R"(","args":{)" + arguments + "}}";
}

class ChromeEncoding : public TraceEncoding {
 public:
  void begin(const TraceHeader& header, std::string& out) override {
    Json facts = {{"title", header.title}};
    for (const auto& [name, value] : header.facts) facts[name] = value;
    out += R"({"displayTimeUnit":"ns","otherData":)" + facts.dump() + ",\n\"traceEvents\":[\n";
    add_metadata(out, "process_name", kRunThread, R"("name":)" + json_text(header.title));
    add_metadata(out, "thread_name", kRunThread, R"("name":"run")");
    add_metadata(out, "thread_sort_index", kRunThread, R"("sort_index":-1)");
  }

  void track(const Track& track, std::string& out) override {
    add_metadata(out, "thread_name", track.id, R"("name":)" + json_text(track.name));
    add_metadata(out, "thread_sort_index", track.id, R"("sort_index":)" + std::to_string(track.rank));
  }

  void slice(const Track& track, const Stage& stage, const OpRecord& op, std::string& out) override {
    std::string arguments;
    const auto add = [&arguments](const char* name, std::int64_t value) {
      arguments += (arguments.empty() ? "\"" : ",\"") + std::string(name) + "\":" + std::to_string(value);
    };
    if (op.tile >= 0) add("tile", op.tile);
    if (op.composite >= 0) add("composite", op.composite);
    if (op.bytes > 0) add("bytes", op.bytes);
    if (op.macs > 0) add("macs", op.macs);
    add_slice(out, track.id, slice_name(stage, op), stage.name, {op.start, op.end}, arguments);
    out += ",\n";
  }

  void end(const TraceHeader& header, const Span& run, std::string& out) override {
    const Span whole = run.empty() ? Span{{}, {}} : run;
    std::string arguments;
    for (const auto& [name, value] : header.facts) {
      arguments += (arguments.empty() ? "" : ",") + json_text(name) + ":" + json_text(value);
    }
    add_slice(out, kRunThread, header.title, "run", whole, arguments);
    out += "\n]}\n";
  }
};

}  // namespace

std::unique_ptr<TraceEncoding> chrome_encoding() { return std::make_unique<ChromeEncoding>(); }

}  // namespace kernbench
