#include "benches/traces/events/parse_events.hpp"

#include <algorithm>
#include <string_view>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr std::size_t kShownEvent = 120;  // characters of an event that does not parse

/// Events that do not parse: refused, or left out and counted. A batch that has one comes again, an event at a time.
class BadEvents {
 public:
  BadEvents(std::string file, bool skip) : file_(std::move(file)), skip_(skip) {}

  void found(EventBatches& batches, const EventBatch& batch, const BadEvent& bad, bool is_one) {
    if (!is_one) {
      batches.again_one_by_one(bad.byte - 1);
      return;
    }
    if (!skip_) refuse(batch, bad);
    if (!searching_) ++count_;
    searching_ = true;
    if (batch.is_whole && batches.is_last()) return;
    static_cast<void>(batches.resynchronise());  // or it was the last one
  }
  void parsed() { searching_ = false; }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// The last one has not been left behind.
  [[nodiscard]] bool is_searching() const { return searching_; }

 private:
  [[noreturn]] void refuse(const EventBatch& batch, const BadEvent& bad) const {
    std::string_view text = batch.text;
    if (batch.is_whole) text.remove_suffix(1);  // the batch's bracket
    text.remove_prefix(std::min(static_cast<std::size_t>(bad.byte - batch.first_byte), text.size()));
    text = text.substr(0, text.find_last_not_of(" \n\r\t") + 1);
    throw ConfigError(file_ + ": the event at byte " + std::to_string(bad.byte) + " does not parse: " + bad.reason +
                      ": " + shortened(printable(text.substr(0, 2 * kShownEvent)), kShownEvent) +
                      "; --skip-bad leaves such events out");
  }

  std::string file_;
  bool skip_;
  bool searching_ = false;  ///< for the next event that parses
  std::uint64_t count_ = 0;
};

}  // namespace

std::uint64_t parse_events(EventBatches& batches, const ParseBatch& parse, const std::string& file, bool skip_bad) {
  BadEvents bad_events(file, skip_bad);
  if (skip_bad) batches.take_truncated();
  EventBatch batch;
  while (batches.next(batch)) {
    BadEvent bad{batch.first_event(), "it does not end"};
    if (batch.is_whole && parse(batch, bad)) {
      bad_events.parsed();
    } else {
      bad_events.found(batches, batch, bad, batches.is_one_by_one() || !batch.is_whole);
    }
  }
  return bad_events.count() + (batches.has_cut_event() && !bad_events.is_searching() ? 1 : 0);
}

}  // namespace kernbench::traces
