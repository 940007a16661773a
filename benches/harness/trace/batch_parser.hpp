// What the parsers of batches share: simdjson over a batch, which event does not parse, and which were taken before.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "benches/harness/trace/event_batches.hpp"
#include "benches/harness/trace/event_parser.hpp"

namespace kernbench::traces {

/// Thrown while an event is parsed, and caught by BatchParser: an event that is JSON and none of a trace.
struct NoEvent {
  std::string reason;
};

/// A number or text as it stands in the file, without blanks behind it.
[[nodiscard]] inline std::string_view raw_text(simdjson::ondemand::value value) {
  const std::string_view text = value.raw_json_token();
  const std::size_t last = text.find_last_not_of(" \n\r\t");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

class BatchParser {
 public:
  /// Gives each event to `parse_event`, which takes a simdjson::ondemand::object. As EventParser::parse.
  template <class ParseEvent>
  [[nodiscard]] bool parse(const EventBatch& batch, BadEvent& bad, const ParseEvent& parse_event) {
    byte_ = batch.first_event();
    try {
      simdjson::ondemand::document document =
          parser_.iterate(simdjson::padded_string_view(batch.text.data(), batch.text.size(), batch.capacity));
      for (simdjson::ondemand::value value : document.get_array()) {
        const char* begin = value.raw_json_token().data();
        byte_ = batch.first_byte + static_cast<std::uint64_t>(begin - batch.text.data());
        parse_event(value.get_object());
      }
      const char* rest = nullptr;
      if (document.current_location().get(rest) != simdjson::SUCCESS) return true;  // there is none
      bad = {byte_, "a bracket closes what it does not"};
    } catch (const simdjson::simdjson_error& error) {
      bad = {byte_, error.what()};
    } catch (const NoEvent& error) {
      bad = {byte_, error.reason};
    }
    return false;
  }

  /// Whether the event that is parsed is there already: a batch that comes again brings such.
  [[nodiscard]] bool was_taken() const { return byte_ < taken_until_; }
  /// It is there now, unless there is an objection to it.
  void take(const std::string& objection) {
    if (!objection.empty()) throw NoEvent{objection};
    taken_until_ = byte_ + 1;
  }

 private:
  simdjson::ondemand::parser parser_;
  std::uint64_t byte_ = 0;
  std::uint64_t taken_until_ = 0;
};

}  // namespace kernbench::traces
