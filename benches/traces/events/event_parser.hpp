// Parses batches of events, and no more of an event than its reader wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/trace_event.hpp"

namespace kernbench::traces {

/// Of an event by its `cat`.
[[nodiscard]] EventCategory category_of(std::string_view cat);

/// Who takes the events.
class EventSink {
 public:
  virtual ~EventSink() = default;

  /// Asked once a category and name are known, so that the rest of other events is not parsed.
  [[nodiscard]] virtual bool wants(EventCategory category, std::string_view name) = 0;
  /// `ts` of the file's first event, its digits.
  virtual void first_time(std::string_view digits) = 0;
  /// A complete event (ph X) that is wanted. Returns what is wrong with it, "" where nothing is; then it is not kept.
  [[nodiscard]] virtual std::string take(const TraceEvent& event) = 0;
};

/// Of a batch that does not parse: where the event begins, and why.
struct BadEvent {
  std::uint64_t byte = 0;
  std::string reason;
};

class EventParser {
 public:
  explicit EventParser(EventSink& sink);
  ~EventParser();
  EventParser(const EventParser&) = delete;
  EventParser& operator=(const EventParser&) = delete;

  /// Bytes behind a batch that are read as well.
  static std::size_t padding();

  /// True where all of it parsed; else `bad` says which event did not, and those before it are taken. The byte may be
  /// that of the batch, where only the whole is known to be bad.
  [[nodiscard]] bool parse(const EventBatch& batch, BadEvent& bad);

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace kernbench::traces
