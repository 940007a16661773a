#include "benches/traces/events/event_times.hpp"

#include <limits>
#include <optional>

#include "benches/traces/events/decimal_time.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::size_t kShownTime = 80;  // characters

std::string in_words(std::string_view digits) { return "\"" + shortened(printable(digits), kShownTime) + "\""; }

}  // namespace

std::string read_times(std::string_view ts, std::string_view duration, Int128 origin, EventTimes& times) {
  const std::optional<Int128> start = picoseconds_from_microseconds(ts);
  if (!start) return "ts: expected a number of µs, got " + in_words(ts);
  const std::string_view digits = duration.empty() ? "0" : duration;
  const std::optional<Int128> length = picoseconds_from_microseconds(digits);
  if (!length) return "dur: expected a number of µs, got " + in_words(digits);
  if (*length < 0) return "dur: expected 0 or more µs, got " + in_words(digits);
  constexpr Int128 kMost = std::numeric_limits<TracePs>::max() / 2;
  const Int128 relative = *start - origin;
  if (*length > kMost) return "dur: expected at most 53 days, got " + in_words(digits);
  if (relative > kMost || relative < -kMost) {
    return "ts: expected a time within 53 days of the file's first event, got " + in_words(ts);
  }
  times.start = static_cast<TracePs>(relative);
  times.end = times.start + static_cast<TracePs>(*length);
  return "";
}

}  // namespace kernbench::traces
