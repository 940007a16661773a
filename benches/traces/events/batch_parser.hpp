// What the parsers of batches share: simdjson over a batch, which event does not parse, and which were taken before.
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "benches/traces/events/event_batches.hpp"
#include "benches/traces/events/event_parser.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {

/// Thrown while an event is parsed, and caught by BatchParser: an event that is JSON and none of a trace.
struct NoEvent {
  std::string reason;
};

/// What stands where a value does, without blanks behind it. "" behind the last token, where brackets that do not match
/// lead: the library's length is below zero there, in 32 bits without a sign.
[[nodiscard]] inline std::string_view raw_token(simdjson::ondemand::value value) {
  constexpr std::size_t kLongest = std::size_t{1} << 31;
  std::string_view text = value.raw_json_token();
  if (text.size() >= kLongest) text = {};
  const std::size_t last = text.find_last_not_of(" \n\r\t");
  return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

/// A number or text as it stands in the file. Throws NoEvent where none does: the library takes what follows for more
/// of the same event.
[[nodiscard]] inline std::string_view raw_text(simdjson::ondemand::value value) {
  constexpr std::string_view kNoValues = "}],:";
  const std::string_view text = raw_token(value);
  if (text.empty() || kNoValues.find(text.front()) != std::string_view::npos) throw NoEvent{"a field has no value"};
  return text;
}

/// "got" and what stands there, in short.
[[nodiscard]] inline std::string got_instead(simdjson::ondemand::value value) {
  const std::string_view text = raw_token(value);
  if (text.starts_with('{')) return "got an object";
  if (text.starts_with('[')) return "got an array";
  constexpr std::size_t kMost = 40;
  const std::string shown = printable(text.substr(0, kMost));
  return "got " + (text.starts_with('"') ? "a text" : shown.empty() ? "nothing" : shown);
}

/// The value of a field ("name: "; "" of an event itself) that is a text, or an object. Throw NoEvent where it is not.
inline void require_text(const char* field, simdjson::ondemand::value value) {
  if (std::string_view(value.raw_json_token()).starts_with('"')) return;
  throw NoEvent{std::string(field) + "expected a text, " + got_instead(value)};
}
[[nodiscard]] inline std::string_view text_in(const char* field, simdjson::ondemand::value value) {
  require_text(field, value);
  return value.get_string().value();
}
[[nodiscard]] inline simdjson::ondemand::object object_in(const char* field, simdjson::ondemand::value value) {
  if (!std::string_view(value.raw_json_token()).starts_with('{')) {
    throw NoEvent{std::string(field) + "expected an object, " + got_instead(value)};
  }
  return value.get_object().value();
}

/// What is no JSON, in words of our own: the library's name nothing that a reader of traces knows.
[[nodiscard]] inline std::string reason_of(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "expected UTF-8";
    case simdjson::STRING_ERROR:
    case simdjson::UNCLOSED_STRING:
    case simdjson::UNESCAPED_CHARS:
      return "expected texts that end, without line ends and with JSON's escapes only";
    case simdjson::INCORRECT_TYPE:
    case simdjson::NUMBER_ERROR:
      return "expected numbers, texts, arrays and objects as JSON has them";
    default:
      return "expected {\"name\": value, ...}, brackets and quotes in pairs";
  }
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
        parse_event(object_in("", value));
      }
      const char* rest = nullptr;
      if (document.current_location().get(rest) != simdjson::SUCCESS) return true;  // there is none
      bad = {byte_, "a bracket closes what it does not"};
    } catch (const simdjson::simdjson_error& error) {
      bad = {byte_, reason_of(error.error())};
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
