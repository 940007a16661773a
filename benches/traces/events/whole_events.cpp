#include "benches/traces/events/whole_events.hpp"

#include <algorithm>
#include <cctype>

#include "benches/traces/events/batch_parser.hpp"

namespace kernbench::traces {
namespace {

namespace json = simdjson::ondemand;

/// What profilers write that is no JSON: inf, -nan, nan(ind), 1.#INF, None.
bool is_odd_scalar(std::string_view text) {
  constexpr std::string_view kOthers = "+-.#()_";
  return !text.empty() && std::ranges::all_of(text, [kOthers](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 ||
           kOthers.find(character) != std::string_view::npos;
  });
}

/// A scalar as it stands in the file; what no JSON could hold is a text, for no table needs it.
void set_scalar(EventArgument& argument, std::string_view text, bool is_json) {
  if (!is_json && !is_odd_scalar(text)) throw NoEvent{"an argument has no value"};
  if (!is_json) argument.kind = EventArgument::Kind::kText;
  argument.value = text;
}

EventArgument argument_of(json::field field) {
  EventArgument argument{field.unescaped_key(), EventArgument::Kind::kScalar, {}};
  json::value value = field.value();
  const std::string_view token = raw_token(value);
  switch (token.empty() ? ' ' : token.front()) {
    case '"':
      argument.kind = EventArgument::Kind::kText;
      argument.value = value.get_string();
      break;
    case '[':
      argument.kind = EventArgument::Kind::kComposite;
      argument.value = json::array(value.get_array()).raw_json();
      break;
    case '{':
      argument.kind = EventArgument::Kind::kComposite;
      argument.value = json::object(value.get_object()).raw_json();
      break;
    case 't':
    case 'f':
      set_scalar(argument, token, value.get_bool().error() == simdjson::SUCCESS);
      break;
    case 'n':
      set_scalar(argument, token, token == "null");
      break;
    default:
      set_scalar(argument, token, value.get_number().error() == simdjson::SUCCESS);
  }
  return argument;
}

}  // namespace

std::string_view WholeEvent::argument(std::string_view wanted) const {
  for (const EventArgument& entry : arguments) {
    if (entry.name == wanted) return entry.value;
  }
  return {};
}

class WholeEventParser::Work {
 public:
  explicit Work(WholeEventSink& sink) : sink_(sink) {}

  bool parse(const EventBatch& batch, BadEvent& bad) {
    return batches_.parse(batch, bad, [this](json::object event) { parse_event(event); });
  }

 private:
  void parse_event(json::object object) {
    event_.phase = 0;
    event_.name = event_.category = event_.pid = event_.tid = event_.id = event_.ts = event_.duration = {};
    event_.arguments.clear();
    bool has_arguments = false;
    for (json::field entry : object) {
      const json::raw_json_string key = entry.key();
      if (key.unsafe_is_equal("args")) {
        if (has_arguments) throw NoEvent{"it has a field twice"};
        has_arguments = true;
        json::object arguments = object_in("args: ", entry.value());
        for (json::field argument : arguments) event_.arguments.push_back(argument_of(argument));
      } else {
        take_field(key, entry.value());
      }
    }
    if (event_.phase == 0) throw NoEvent{"it has no ph"};
    if (!batches_.was_taken()) batches_.take(sink_.take(event_));
  }

  static void set(std::string_view& field, std::string_view text) {
    if (field.data() != nullptr) throw NoEvent{"it has a field twice"};
    field = text;
  }

  void take_field(const json::raw_json_string& key, json::value value) {
    if (key.unsafe_is_equal("ph")) {
      const std::string_view phase = text_in("ph: ", value);
      if (event_.phase != 0) throw NoEvent{"it has a field twice"};
      event_.phase = phase.size() == 1 ? phase.front() : '?';
    } else if (key.unsafe_is_equal("name")) {
      set(event_.name, text_in("name: ", value));
    } else if (key.unsafe_is_equal("cat")) {
      set(event_.category, text_in("cat: ", value));
    } else if (key.unsafe_is_equal("pid")) {
      set(event_.pid, raw_text(value));
    } else if (key.unsafe_is_equal("tid")) {
      set(event_.tid, raw_text(value));
    } else if (key.unsafe_is_equal("id")) {
      set(event_.id, raw_text(value));
    } else if (key.unsafe_is_equal("ts")) {
      set(event_.ts, raw_text(value));
    } else if (key.unsafe_is_equal("dur")) {
      set(event_.duration, raw_text(value));
    }
  }

  WholeEventSink& sink_;
  BatchParser batches_;
  WholeEvent event_;
};

WholeEventParser::WholeEventParser(WholeEventSink& sink) : work_(std::make_unique<Work>(sink)) {}
WholeEventParser::~WholeEventParser() = default;

bool WholeEventParser::parse(const EventBatch& batch, BadEvent& bad) { return work_->parse(batch, bad); }

}  // namespace kernbench::traces
