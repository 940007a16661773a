#include "benches/traces/grow/event_numbers.hpp"

#include <array>
#include <optional>
#include <utility>

#include "benches/traces/events/batch_parser.hpp"

namespace kernbench::traces {
namespace {

namespace json = simdjson::ondemand;

constexpr std::string_view kNumberedStep = "ProfilerStep#";
constexpr std::string_view kDigits = "0123456789";

constexpr std::array<std::pair<std::string_view, NumberKind>, 8> kArguments{{
    {"correlation", NumberKind::kLinkedId},
    {"External id", NumberKind::kLinkedId},
    {"external id", NumberKind::kLinkedId},
    {"Ev Idx", NumberKind::kEventIndex},
    {"Ev Parent Idx", NumberKind::kEventIndex},
    {"Python id", NumberKind::kPythonId},
    {"Python parent id", NumberKind::kPythonId},
    {"Sequence number", NumberKind::kSequence},
}};

bool is_whole_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kDigits) == std::string_view::npos;
}

/// Of a number as it stands in the file, or of a text of one.
std::string_view without_quotes(std::string_view token) {
  const bool is_text = token.size() >= 2 && token.front() == '"' && token.back() == '"';
  return is_text ? token.substr(1, token.size() - 2) : token;
}

}  // namespace

class NumberedEventParser::Work {
 public:
  explicit Work(NumberedEventSink& sink) : sink_(sink) {}

  bool parse(const EventBatch& batch, BadEvent& bad) {
    return batches_.parse(batch, bad, [this](json::object event) { parse_event(event); });
  }

 private:
  void parse_event(json::object object) {
    event_.text = object.raw_json();
    object.reset();
    event_.is_once = false;
    event_.duration = {};
    event_.numbers.clear();
    is_flow_ = false;
    flow_id_.reset();
    bool has_phase = false;
    for (json::field entry : object) {
      const json::raw_json_string key = entry.key();
      if (key.unsafe_is_equal("args")) {
        json::object arguments = entry.value().get_object();
        for (json::field argument : arguments) take_argument(argument);
      } else if (key.unsafe_is_equal("ph")) {
        if (std::exchange(has_phase, true)) throw NoEvent{"it has a field twice"};
        take_phase(entry.value().get_string());
      } else {
        take_field(key, entry.value());
      }
    }
    if (!has_phase) throw NoEvent{"it has no ph"};
    if (flow_id_ && !is_flow_) event_.numbers.erase(event_.numbers.begin() + *flow_id_);
    if (!batches_.was_taken()) batches_.take(sink_.take(event_));
  }

  void take_phase(std::string_view phase) {
    is_flow_ = phase == "s" || phase == "t" || phase == "f";
    if (phase == "M") event_.is_once = true;
  }

  void take_field(const json::raw_json_string& key, json::value value) {
    if (key.unsafe_is_equal("ts")) {
      event_.numbers.push_back({NumberKind::kTime, raw_text(value)});
    } else if (key.unsafe_is_equal("dur")) {
      event_.duration = raw_text(value);
    } else if (key.unsafe_is_equal("id")) {
      flow_id_ = static_cast<std::ptrdiff_t>(event_.numbers.size());
      add(NumberKind::kLinkedId, without_quotes(raw_text(value)));
      if (event_.numbers.size() == static_cast<std::size_t>(*flow_id_)) flow_id_.reset();
    } else if (key.unsafe_is_equal("name")) {
      const std::string_view name = without_quotes(raw_text(value));
      const std::size_t step = name.rfind(kNumberedStep);
      if (step != std::string_view::npos) add(NumberKind::kStep, name.substr(step + kNumberedStep.size()));
    } else if (key.unsafe_is_equal("cat")) {
      const std::string_view category = value.get_string();
      if (category == "Trace" || category == "overhead") event_.is_once = true;
    }
  }

  void take_argument(json::field argument) {
    const json::raw_json_string key = argument.key();
    for (const auto& [name, kind] : kArguments) {
      if (key.unsafe_is_equal(name)) return add(kind, raw_text(argument.value()));
    }
  }

  void add(NumberKind kind, std::string_view digits) {
    if (is_whole_number(digits)) event_.numbers.push_back({kind, digits});
  }

  NumberedEventSink& sink_;
  BatchParser batches_;
  NumberedEvent event_;
  bool is_flow_ = false;
  std::optional<std::ptrdiff_t> flow_id_;  ///< where among the numbers an id stands
};

NumberedEventParser::NumberedEventParser(NumberedEventSink& sink) : work_(std::make_unique<Work>(sink)) {}
NumberedEventParser::~NumberedEventParser() = default;

bool NumberedEventParser::parse(const EventBatch& batch, BadEvent& bad) { return work_->parse(batch, bad); }

}  // namespace kernbench::traces
