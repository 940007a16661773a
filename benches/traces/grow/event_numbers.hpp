// Events as their text and the numbers in it that differ from copy to copy: times, ids, steps.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/event_parser.hpp"

namespace kernbench::traces {

/// Numbers of one kind name each other.
enum class NumberKind : std::uint8_t {
  kTime,      ///< ts
  kLinkedId,  ///< correlation, External id, and the id of a flow
  kEventIndex,
  kPythonId,
  kSequence,
  kStep  ///< behind "ProfilerStep#" at the end of a name
};
inline constexpr std::size_t kNumberKinds = 6;

struct EventNumber {
  NumberKind kind = NumberKind::kTime;
  std::string_view digits;  ///< a part of the event's text
};

/// It lives as long as its batch.
struct NumberedEvent {
  std::string_view text;  ///< JSON of an object
  bool is_once = false;   ///< of the file, not of what it measured: metadata, the profiler's own spans
  std::string_view duration;
  std::vector<EventNumber> numbers;  ///< in the order of the text
};

class NumberedEventSink {
 public:
  virtual ~NumberedEventSink() = default;
  /// Each event once. Returns what is wrong with it, "" where nothing is.
  [[nodiscard]] virtual std::string take(const NumberedEvent& event) = 0;
};

class NumberedEventParser {
 public:
  explicit NumberedEventParser(NumberedEventSink& sink);
  ~NumberedEventParser();
  NumberedEventParser(const NumberedEventParser&) = delete;
  NumberedEventParser& operator=(const NumberedEventParser&) = delete;

  /// As EventParser::parse.
  [[nodiscard]] bool parse(const EventBatch& batch, BadEvent& bad);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace kernbench::traces
