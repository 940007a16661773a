#include "benches/traces/grow/grow_trace.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "benches/traces/events/byte_source.hpp"
#include "benches/traces/events/decimal_time.hpp"
#include "benches/traces/events/event_times.hpp"
#include "benches/traces/events/parse_events.hpp"
#include "benches/traces/grow/event_numbers.hpp"
#include "benches/traces/merge/json_text.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/system/trace/trace_file.hpp"

namespace kernbench::traces {
namespace {

namespace fs = std::filesystem;

constexpr TracePs kMillisecond = 1'000'000'000;
constexpr std::uint64_t kLargeId = std::uint64_t{1} << 48U;  ///< from here on ids are no counters
constexpr std::uint64_t kNoLink = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kWritten = std::size_t{1} << 20U;  ///< bytes at once

/// The number; none where it has more than 64 bits.
std::optional<std::uint64_t> number_of(const EventNumber& number) {
  std::uint64_t value = 0;
  const char* end = number.digits.data() + number.digits.size();
  const auto [rest, error] = std::from_chars(number.digits.data(), end, value);
  return error == std::errc{} && rest == end ? std::optional(value) : std::nullopt;
}

/// Ids that say that there is none stay what they are.
bool is_shifted(NumberKind kind, std::uint64_t value) {
  return kind != NumberKind::kLinkedId || (value != 0 && value != kNoLink);
}

/// What one copy is: its times, ids and size.
class Measured : public NumberedEventSink {
 public:
  struct Range {
    std::uint64_t first = kNoLink;
    std::uint64_t last = 0;
    void add(std::uint64_t value) {
      first = std::min(first, value);
      last = std::max(last, value);
    }
    [[nodiscard]] bool is_empty() const { return first > last; }
  };

  std::string take(const NumberedEvent& event) override {
    if (event.is_once) {
      ++once;
      bytes_once += event.text.size();
      return "";
    }
    for (const EventNumber& number : event.numbers) {
      if (number.kind == NumberKind::kTime) {
        if (std::string wrong = add_time(number.digits, event.duration); !wrong.empty()) return wrong;
      } else if (const auto value = number_of(number); value && is_shifted(number.kind, *value)) {
        (*value < kLargeId ? ids : large_ids)[number.kind].add(*value);
      }
    }
    ++repeated;
    bytes += event.text.size() + 2;
    return "";
  }

  /// Ids of a copy are this much above those of the copy before.
  [[nodiscard]] std::uint64_t stride(NumberKind kind) const {
    const auto found = ids.find(kind);
    if (found == ids.end()) return 1;
    return kind == NumberKind::kStep ? found->second.last - found->second.first + 1 : found->second.last + 1;
  }
  [[nodiscard]] TracePs span() const { return repeated > 0 && first <= last ? last - first : 0; }

  std::map<NumberKind, Range> ids;
  std::map<NumberKind, Range> large_ids;
  std::optional<Int128> origin;
  TracePs first = std::numeric_limits<TracePs>::max();
  TracePs last = std::numeric_limits<TracePs>::min();
  std::uint64_t once = 0;
  std::uint64_t repeated = 0;
  std::uint64_t bytes_once = 0;
  std::uint64_t bytes = 0;

 private:
  std::string add_time(std::string_view ts, std::string_view duration) {
    if (!origin) origin = picoseconds_from_microseconds(ts);
    EventTimes times;
    std::string wrong = read_times(ts, duration, origin.value_or(0), times);
    first = std::min(first, times.start);
    last = std::max(last, times.end);
    return wrong;
  }
};

/// µs with as many decimals as picoseconds need.
void append_time(std::string& out, Int128 ps) {
  constexpr std::int64_t kPsPerUs = 1'000'000;
  const Int128 size = ps < 0 ? -ps : ps;
  if (ps < 0) out += '-';
  out += std::to_string(static_cast<std::uint64_t>(size / kPsPerUs));
  std::string below;
  append_microseconds(below, static_cast<TracePs>(size % kPsPerUs));
  out.append(below, 1);
}

/// Writes one copy of the events.
class Copied : public NumberedEventSink {
 public:
  Copied(kernbench::TraceFile& file, const Measured& measured, TracePs period) : file_(file), period_(period) {
    for (std::size_t kind = 0; kind < kNumberKinds; ++kind)
      strides_.at(kind) = measured.stride(static_cast<NumberKind>(kind));
  }

  void begin_copy(std::uint64_t copy) { copy_ = copy; }

  std::string take(const NumberedEvent& event) override {
    if (event.is_once && copy_ > 0) return "";
    if (std::exchange(is_first_, false)) {
      buffer_ += '\n';
    } else {
      buffer_ += ",\n";
    }
    const char* from = event.text.data();
    for (const EventNumber& number : event.numbers) {
      buffer_.append(from, number.digits.data());
      append_shifted(number);
      from = number.digits.data() + number.digits.size();
    }
    buffer_.append(from, event.text.data() + event.text.size());
    ++events_;
    if (buffer_.size() >= kWritten) flush();
    return "";
  }

  void append(std::string_view text) { buffer_ += text; }
  void flush() {
    bytes_ += buffer_.size();
    file_.write(buffer_);
    buffer_.clear();
  }
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  void append_shifted(const EventNumber& number) {
    if (number.kind == NumberKind::kTime) {
      const auto time = picoseconds_from_microseconds(number.digits);
      if (copy_ > 0 && time) return append_time(buffer_, *time + Int128{period_} * copy_);
    } else if (const auto value = number_of(number); copy_ > 0 && value && is_shifted(number.kind, *value)) {
      buffer_ += std::to_string(*value + copy_ * strides_.at(static_cast<std::size_t>(number.kind)));
      return;
    }
    buffer_ += number.digits;
  }

  kernbench::TraceFile& file_;
  std::array<std::uint64_t, kNumberKinds> strides_{};
  TracePs period_;
  std::uint64_t copy_ = 0;
  bool is_first_ = true;
  std::string buffer_;
  std::uint64_t events_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Gives all events to the sink; returns the file's other fields that are kept.
std::string pass(const fs::path& in, bool skip_bad, NumberedEventSink& sink) {
  const std::unique_ptr<ByteSource> source = open_bytes(in);
  EventBatches batches(*source, kTraceWindow, EventParser::padding());
  NumberedEventParser parser(sink);
  parse_events(
      batches, [&parser](const EventBatch& batch, BadEvent& bad) { return parser.parse(batch, bad); }, source->name(),
      skip_bad);
  std::string fields;
  for (const auto& [name, text] : batches.fields()) fields += "\"" + name + "\":" + text + ",\n";
  return fields;
}

std::uint64_t copies_of(const Measured& measured, std::size_t bytes_of_fields, const GrowOptions& options) {
  if (options.copies) return *options.copies;
  const std::uint64_t fixed = measured.bytes_once + bytes_of_fields;
  if (*options.bytes <= fixed || measured.bytes == 0) return 1;
  return std::max<std::uint64_t>(1, (*options.bytes - fixed + measured.bytes / 2) / measured.bytes);
}

void require_room(const fs::path& in, const Measured& measured, std::uint64_t copies, TracePs period) {
  const std::string name = printable(in.string());
  constexpr TracePs kMost = std::numeric_limits<TracePs>::max() / 2;
  if (copies > static_cast<std::uint64_t>((kMost - std::min(kMost, measured.span())) / period)) {
    throw ConfigError(name + ": " + std::to_string(copies) +
                      " copies are longer than 53 days: expected fewer; give a smaller --size or --copies");
  }
  for (const auto& [kind, large] : measured.large_ids) {
    const std::uint64_t stride = measured.stride(kind);
    const bool meet = large.last - large.first >= stride || copies > (kLargeId - 1) / stride ||
                      copies > (kNoLink - large.last) / stride;
    if (meet && copies > 1) {
      throw ConfigError(name +
                        ": has ids of 2^48 and more, which those of other copies would meet: expected ids that " +
                        "lie closer together, or --copies 1");
    }
  }
}

void require_names(const fs::path& in, const fs::path& out) {
  const std::string name = out.filename().string();
  if (!name.ends_with(".json") && !name.ends_with(".json.gz")) {
    throw ConfigError("OUT " + printable(out.string()) + ": expected a name that ends in .json or .json.gz");
  }
  std::error_code error;
  if (fs::equivalent(in, out, error)) {
    throw ConfigError("OUT " + printable(out.string()) + ": is the trace itself: expected another file");
  }
}

}  // namespace

GrownTrace grow_trace(const fs::path& in, const fs::path& out, const GrowOptions& options) {
  require_names(in, out);
  Measured measured;
  const std::string fields = pass(in, options.skip_bad, measured);
  const TracePs least = (measured.span() / kMillisecond + 1) * kMillisecond;
  const TracePs period = options.period.value_or(least);
  if (period < measured.span()) {
    throw ConfigError("--period: expected " + std::to_string(measured.span() / 1'000'000 + 1) +
                      " us or more, the time that " + printable(in.string()) + " spans; leave it out for a whole ms");
  }
  GrownTrace grown{copies_of(measured, fields.size(), options), period, 0, 0};
  require_room(in, measured, grown.copies, period);
  kernbench::TraceFile file(out);
  Copied copied(file, measured, period);
  copied.append("{" + fields + "\"traceEvents\":[");
  for (std::uint64_t copy = 0; copy < grown.copies; ++copy) {
    copied.begin_copy(copy);
    static_cast<void>(pass(in, options.skip_bad, copied));
  }
  copied.append("\n]}\n");
  copied.flush();
  file.commit();
  grown.events = copied.events();
  grown.bytes = copied.bytes();
  return grown;
}

}  // namespace kernbench::traces
