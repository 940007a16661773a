// Cuts `traceEvents` of a trace, or the array that a trace is, into JSON arrays of whole events, a window at a time,
// and passes over the other fields of the file, which hold environments, tokens among them: only the few that are named
// here are kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "benches/traces/events/byte_window.hpp"
#include "benches/traces/events/structural_scan.hpp"
#include "sim/base/errors.hpp"

namespace kernbench::traces {

/// A file that is whole, and no trace: of a folder such a one may be passed over.
class NoTraceError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// `text` is a JSON array; `capacity` bytes may be read from its begin.
struct EventBatch {
  std::string_view text;
  std::size_t capacity = 0;
  std::uint64_t first_byte = 0;  ///< of the decompressed file, where `text` begins
  bool is_whole = true;          ///< false: no array, but an event that does not end

  /// The byte where its first event begins.
  [[nodiscard]] std::uint64_t first_event() const {
    return first_byte + std::min(text.find_first_not_of(" \n\r\t", 1), text.size());
  }
};

class EventBatches {
 public:
  /// The fields beside `traceEvents` whose JSON text is kept.
  static constexpr std::string_view kDistributedInfo = "distributedInfo";
  static constexpr std::string_view kBaseTime = "baseTimeNanoseconds";
  static constexpr std::string_view kDevices = "deviceProperties";
  static constexpr std::string_view kMerge = "kernbenchMerge";  ///< what a merge says of its ranks

  /// Reads up to the first event. Throws NoTraceError "FILE: ..." for what is not JSON, has no `traceEvents` and is no
  /// array of events, ConfigError for what ends too early; `window` in bytes.
  EventBatches(ByteSource& source, std::size_t window, std::size_t padding);

  /// The next events; false where there are no more: then the rest of the file has been read too. The batch is valid
  /// until the next call. Throws ConfigError as the constructor does.
  [[nodiscard]] bool next(EventBatch& batch);

  /// From now on a file that ends inside of its events, or behind them, is taken as far as it goes.
  void take_truncated() { takes_truncated_ = true; }
  /// The byte where a file that is taken so ends; nothing where it is whole.
  [[nodiscard]] std::optional<std::uint64_t> truncated_at() const { return truncated_at_; }
  /// Whether its end cuts an event that came in no batch.
  [[nodiscard]] bool has_cut_event() const { return has_cut_event_; }

  /// Takes back what the last batch has from that byte on: it comes again, an event a batch.
  void again_one_by_one(std::uint64_t byte);
  /// Whether the last batch is to be one event.
  [[nodiscard]] bool is_one_by_one() const { return window_.byte_at(lead_) < one_by_one_until_; }
  /// Whether nothing but the end of the trace follows the last batch. The batch is not valid any more.
  [[nodiscard]] bool is_last();
  /// The last batch is no event: goes on where the next one may begin, one by one. False where the file has none; then
  /// there is no next batch, and it counts as truncated.
  [[nodiscard]] bool resynchronise();

  [[nodiscard]] const std::map<std::string, std::string, std::less<>>& fields() const { return fields_; }
  /// Bytes of the file that have been read, decompressed.
  [[nodiscard]] std::uint64_t bytes() const { return window_.byte_at(window_.end()); }

 private:
  [[nodiscard]] bool cut(EventBatch& batch, std::size_t end);
  [[nodiscard]] bool cut_open_array(EventBatch& batch);
  [[nodiscard]] bool cut_rest(EventBatch& batch);
  void end_early();
  void begin_array();
  void restore();
  void start_scan();
  void read_fields(bool before_events);
  void read_end();
  [[nodiscard]] std::string read_string();
  void skip_value(std::string* kept);
  [[nodiscard]] int peek();
  [[nodiscard]] int peek_after_blanks();
  void skip_byte_order_mark();
  void expect(char character, const char* what);
  [[nodiscard]] std::string message(const std::string& what, std::size_t index) const;
  [[noreturn]] void refuse(const std::string& what, std::size_t index) const;
  [[noreturn]] void refuse_truncated() const;
  [[noreturn]] void refuse_no_trace(const std::string& what, std::size_t index) const;
  void refuse_archive();

  ByteWindow window_;
  std::size_t padding_;
  std::map<std::string, std::string, std::less<>> fields_;
  std::size_t lead_ = 0;     ///< the bracket or comma before the next event; outside of events the next character
  std::size_t scanned_ = 0;  ///< how far
  ScanState scan_;
  std::size_t cut_at_ = kNotFound;  ///< where a comma, or a bracket, has become the batch's own
  char cut_ = ',';                  ///< what was there
  std::size_t next_lead_ = 0;
  bool is_array_ = false;  ///< the file is an array of events
  bool closes_ = false;    ///< the batch is the last one
  bool ended_ = false;
  bool takes_truncated_ = false;
  std::optional<std::uint64_t> truncated_at_;
  bool has_cut_event_ = false;
  std::uint64_t one_by_one_until_ = 0;
};

}  // namespace kernbench::traces
