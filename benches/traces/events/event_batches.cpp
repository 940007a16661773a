// A batch is made in place: the comma before its first event becomes "[", the one behind its last "]".
#include "benches/traces/events/event_batches.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"

namespace kernbench::traces {
namespace {

constexpr int kEnd = -1;
constexpr std::size_t kLongestFieldName = 1000;
constexpr std::size_t kLargestKeptField = std::size_t{4} << 20U;  // names of some thousand devices and groups
constexpr std::size_t kSeenOfArray = std::size_t{64} << 10U;      // of an array, for an event
/// A file that ends before it should.
class TruncatedError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

constexpr const char* kNoJson = "not JSON of a trace: expected \"{\" or \"[\"";

/// What files that hold others begin with, and where.
struct ArchiveMark {
  std::string_view bytes;
  std::size_t at;
  const char* name;
};
constexpr std::array<ArchiveMark, 6> kArchiveMarks{{{"PK\x03\x04", 0, "a zip archive"},
                                                    {"ustar", 257, "a tar archive"},
                                                    {"BZh", 0, "bzip2 data"},
                                                    {"\xfd\x37zXZ", 0, "xz data"},
                                                    {"\x28\xb5\x2f\xfd", 0, "zstd data"},
                                                    {"7z\xbc\xaf", 0, "a 7z archive"}}};
constexpr std::size_t kLongestMark = 262;  // bytes

bool is_blank(int character) { return character == ' ' || character == '\n' || character == '\r' || character == '\t'; }

/// Where ", {" and the name of a field follow: the index of the comma, at or after `from`; kNotFound, and in `partial`
/// from where on more bytes are to be seen.
std::size_t find_event_start(const char* text, std::size_t from, std::size_t end, std::size_t& partial) {
  const auto after_blanks = [text, end](std::size_t at) {
    while (at < end && is_blank(text[at])) ++at;
    return at;
  };
  for (std::size_t comma = from; comma < end; ++comma) {
    const void* found = std::memchr(text + comma, ',', end - comma);
    if (found == nullptr) break;
    comma = static_cast<std::size_t>(static_cast<const char*>(found) - text);
    const std::size_t brace = after_blanks(comma + 1);
    if (brace < end && text[brace] != '{') continue;
    const std::size_t quote = brace < end ? after_blanks(brace + 1) : end;
    if (quote < end && text[quote] != '"') continue;
    partial = comma;
    return quote < end ? comma : kNotFound;
  }
  partial = end;
  return kNotFound;
}

}  // namespace

EventBatches::EventBatches(ByteSource& source, std::size_t window, std::size_t padding)
    : window_(source, window, padding + 1), padding_(padding) {  // one more: the bracket of an open array
  skip_byte_order_mark();
  const int first = peek_after_blanks();
  if (first == kEnd) refuse("expected a trace (JSON), got an empty file", lead_);
  if (first == '[') {
    begin_array();
    return;
  }
  if (first != '{') refuse_archive();
  if (first != '{') refuse_no_trace(kNoJson, lead_);
  ++lead_;
  read_fields(true);
}

std::string EventBatches::message(const std::string& what, std::size_t index) const {
  return window_.name() + ": " + what + " at byte " + std::to_string(window_.byte_at(index));
}

void EventBatches::refuse(const std::string& what, std::size_t index) const { throw ConfigError(message(what, index)); }

/// At its end.
void EventBatches::refuse_truncated() const {
  throw TruncatedError(message("truncated: the file ends", window_.end()) + ": copy it again");
}

void EventBatches::refuse_no_trace(const std::string& what, std::size_t index) const {
  throw NoTraceError(message(what, index));
}

/// Where the file is one that holds others, by its first bytes.
void EventBatches::refuse_archive() {
  if (lead_ > 0) return;
  while (window_.end() < kLongestMark && window_.read_on(0)) {
  }
  const std::string_view begin(window_.data(), window_.end());
  for (const ArchiveMark& mark : kArchiveMarks) {
    if (begin.size() < mark.at || !begin.substr(mark.at).starts_with(mark.bytes)) continue;
    throw NoTraceError(window_.name() + ": is " + mark.name + ": expected a trace (JSON), plain or gzip; unpack it");
  }
}

/// Chrome's array of events, without an object around it.
void EventBatches::begin_array() {
  bool is_more = true;
  while (is_more && window_.end() - lead_ < kSeenOfArray) {
    is_more = window_.read_on(lead_);
    lead_ = 0;
  }
  const std::string_view begin(window_.data() + lead_, window_.end() - lead_);
  if (begin.find("\"ph\"") == std::string_view::npos) refuse_no_trace("a JSON array, but not of trace events,", lead_);
  is_array_ = true;
  start_scan();
}

int EventBatches::peek() {
  if (lead_ == window_.end()) {
    const bool is_more = window_.read_on(lead_);
    lead_ = 0;
    if (!is_more) return kEnd;
  }
  return static_cast<unsigned char>(window_.data()[lead_]);
}

int EventBatches::peek_after_blanks() {
  while (is_blank(peek())) ++lead_;
  return peek();
}

/// As editors of some systems put before UTF-8.
void EventBatches::skip_byte_order_mark() {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (peek() != static_cast<unsigned char>(kMark.front())) return;
  for (const char byte : kMark) {
    if (peek() != static_cast<unsigned char>(byte)) refuse_no_trace(kNoJson, lead_);
    ++lead_;
  }
}

void EventBatches::expect(char character, const char* what) {
  const int got = peek_after_blanks();
  if (got == kEnd) refuse_truncated();
  if (got != character) refuse(std::string("not JSON: expected ") + what, lead_);
  ++lead_;
}

std::string EventBatches::read_string() {
  expect('"', "the name of a field");
  std::string text;
  while (peek() != '"') {
    if (peek() == kEnd) refuse_truncated();
    text += static_cast<char>(peek());
    ++lead_;
    if (text.size() > kLongestFieldName) refuse("not JSON of a trace: the name of a field has no end", lead_);
  }
  ++lead_;
  return text;
}

/// Up to the comma or bracket behind it. What is not kept is not looked at, but for its brackets and strings.
void EventBatches::skip_value(std::string* kept) {
  ScanState state;
  while (true) {
    const ScanResult found = scan_array(window_.data(), lead_, window_.end(), state, ScanFor::kFirstComma);
    const std::size_t end = std::min({found.comma, found.close, window_.end()});
    if (kept != nullptr) kept->append(window_.data() + lead_, end - lead_);
    if (kept != nullptr && kept->size() > kLargestKeptField) refuse("a field of the file has no end", lead_);
    lead_ = end;
    if (end < window_.end()) return;
    if (peek() == kEnd) refuse_truncated();
  }
}

/// The fields up to `traceEvents`, or those behind it up to the end of the file.
void EventBatches::read_fields(bool before_events) {
  if (peek_after_blanks() == '}' && before_events) {
    refuse_no_trace("has no traceEvents: expected a trace, the file ends", lead_);
  }
  while (before_events || peek_after_blanks() == ',') {
    if (!before_events) ++lead_;
    const std::string name = read_string();
    expect(':', "\":\"");
    if (name == "traceEvents") {
      if (!before_events) refuse("has traceEvents twice, the second", lead_);
      expect('[', "an array of traceEvents");
      --lead_;
      start_scan();
      return;
    }
    const bool is_kept = name == kDistributedInfo || name == kBaseTime || name == kDevices || name == kMerge;
    std::string text;
    skip_value(is_kept ? &text : nullptr);
    if (is_kept) fields_[name] += text;  // whole: half a number would be another one
    if (!before_events) continue;
    if (peek_after_blanks() == '}') {
      refuse_no_trace("has no traceEvents: expected a trace, the file's object ends", lead_);
    }
    expect(',', "\",\" or \"}\"");
  }
  expect('}', "\",\" or \"}\"");
}

/// What is behind the last event.
void EventBatches::read_end() {
  ended_ = true;
  if (lead_ == window_.end()) return;  // an array that nothing closes
  ++lead_;
  try {
    if (!is_array_) read_fields(false);
  } catch (const TruncatedError&) {
    if (!takes_truncated_) throw;
    end_early();
  }
  if (peek_after_blanks() != kEnd) refuse("not JSON: something follows the end of the trace", lead_);
}

/// The file is truncated, and taken as far as it goes.
void EventBatches::end_early() {
  ended_ = true;
  truncated_at_ = window_.byte_at(window_.end());
}

/// From lead_ on, as if nothing had been scanned.
void EventBatches::start_scan() {
  scanned_ = lead_ + 1;
  scan_ = {};
}

void EventBatches::restore() {
  if (cut_at_ == kNotFound) return;
  window_.data()[cut_at_] = cut_;
  cut_at_ = kNotFound;
}

/// The batch from lead_ to `end`, a comma or the closing bracket, which in damaged files is of any kind.
bool EventBatches::cut(EventBatch& batch, std::size_t end) {
  cut_at_ = end;
  cut_ = window_.data()[end];
  window_.data()[lead_] = '[';
  window_.data()[end] = ']';
  const std::size_t size = end + 1 - lead_;
  batch = {{window_.data() + lead_, size}, size + padding_, window_.byte_at(lead_)};
  next_lead_ = end;
  return true;
}

bool EventBatches::next(EventBatch& batch) {
  restore();
  if (ended_) return false;
  const bool was_one_by_one = is_one_by_one();
  if (next_lead_ > lead_) {
    lead_ = next_lead_;
    if (closes_) {
      read_end();
      return false;
    }
    if (was_one_by_one) start_scan();
  }
  next_lead_ = lead_;
  std::size_t comma = kNotFound;
  while (true) {
    const ScanFor what = is_one_by_one() ? ScanFor::kFirstComma : ScanFor::kLastComma;
    const ScanResult found = scan_array(window_.data(), scanned_, window_.end(), scan_, what);
    closes_ = found.close != kNotFound;
    if (found.comma != kNotFound) comma = found.comma;
    if (closes_ && (what == ScanFor::kLastComma || comma == kNotFound)) return cut(batch, found.close);
    scanned_ = window_.end();
    if (comma != kNotFound) return cut(batch, comma);
    if (!window_.read_on(lead_)) break;
    scanned_ -= lead_;
    lead_ = next_lead_ = 0;
  }
  lead_ = next_lead_ = 0;
  return cut_rest(batch);
}

/// What is left begins an event that does not end: the file is truncated, or a string of it does not end.
bool EventBatches::cut_rest(EventBatch& batch) {
  const bool ends_between_events = window_.at_end() && scan_.depth == 0 && !scan_.in_string;
  if (is_array_ && ends_between_events) return cut_open_array(batch);
  std::size_t partial = 0;
  const bool others_follow = find_event_start(window_.data(), 2, window_.end(), partial) != kNotFound;
  if (window_.at_end() && !others_follow) {
    if (!takes_truncated_) {
      refuse("truncated: the file ends inside of traceEvents; --skip-bad leaves out what its end cuts: it ends",
             window_.end());
    }
    if (ends_between_events) {
      truncated_at_ = window_.byte_at(window_.end());
      return cut_open_array(batch);
    }
    end_early();
    has_cut_event_ = true;
    return false;
  }
  batch = {{window_.data(), window_.end()}, window_.end() + padding_, window_.byte_at(0), false};
  return true;
}

/// At the end of an array that nothing closes, which its format allows.
bool EventBatches::cut_open_array(EventBatch& batch) {
  const std::size_t end = window_.end();
  closes_ = std::any_of(window_.data() + 1, window_.data() + end, [](char byte) { return !is_blank(byte); });
  if (!closes_) {
    ended_ = true;
    return false;
  }
  window_.data()[end] = ']';  // there is room for it
  return cut(batch, end);
}

bool EventBatches::is_last() {
  restore();
  if (!closes_) return false;
  std::size_t at = next_lead_;
  const auto after_blanks = [this, &at] {
    for (++at;; ++at) {
      if (at == window_.end()) {
        const bool is_more = window_.read_on(lead_);
        at -= lead_;
        next_lead_ -= lead_;
        lead_ = 0;
        if (!is_more) return kEnd;
      }
      if (!is_blank(window_.data()[at])) return int{static_cast<unsigned char>(window_.data()[at])};
    }
  };
  if (at == window_.end()) return true;  // of an array that nothing closes
  if (window_.data()[at] != ']') return false;
  const int next = after_blanks();
  if (is_array_) return next == kEnd;
  return next == '}' || (next == ',' && after_blanks() == '"');
}

void EventBatches::again_one_by_one(std::uint64_t byte) {
  restore();
  one_by_one_until_ = std::max(one_by_one_until_, window_.byte_at(next_lead_));
  lead_ = next_lead_ = window_.index_of(byte);
  closes_ = false;
  start_scan();
}

bool EventBatches::resynchronise() {
  restore();
  std::size_t from = std::min(lead_ + 2, window_.end());
  while (true) {
    std::size_t partial = 0;
    const std::size_t comma = find_event_start(window_.data(), from, window_.end(), partial);
    if (comma != kNotFound) {
      lead_ = next_lead_ = comma;
      one_by_one_until_ = std::max(one_by_one_until_, window_.byte_at(comma + 1));
      closes_ = false;
      start_scan();
      return true;
    }
    lead_ = next_lead_ = 0;
    if (!window_.read_on(partial)) {
      end_early();
      return false;
    }
    from = 0;
  }
}

}  // namespace kernbench::traces
