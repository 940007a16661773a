// simdjson's on-demand parser goes over a batch once: what is not asked for is passed over, not converted.
#include "benches/traces/events/event_parser.hpp"

#include <array>
#include <utility>

#include "benches/traces/events/batch_parser.hpp"

namespace kernbench::traces {
namespace {

namespace json = simdjson::ondemand;

constexpr std::array<std::pair<std::string_view, EventCategory>, 11> kCategories{{
    {"cpu_op", EventCategory::kOperator},
    {"kernel", EventCategory::kKernel},
    {"gpu_memcpy", EventCategory::kMemcpy},
    {"gpu_memset", EventCategory::kMemset},
    {"user_annotation", EventCategory::kCpuMark},
    {"gpu_user_annotation", EventCategory::kGpuMark},
    {"Operator", EventCategory::kOperator},
    {"Kernel", EventCategory::kKernel},
    {"Runtime", EventCategory::kRuntime},
    {"Memcpy", EventCategory::kMemcpy},
    {"Memset", EventCategory::kMemset},
}};

/// Ids are whole numbers up to 2^64 - 1; what is negative or a text is none. A larger one would be lost without a word.
std::optional<std::uint64_t> id_of(const char* name, json::value value) {
  std::uint64_t id = 0;
  if (value.get_uint64().get(id) == simdjson::SUCCESS) return id;
  const std::string_view digits = raw_text(value);
  const bool is_larger = !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_larger) throw NoEvent{std::string(name) + ": an id of it is 2^64 or more"};
  return std::nullopt;
}

/// A number, or a text of one, as some fields of collectives are.
std::int64_t count_of(json::value value, std::int64_t otherwise) {
  std::int64_t count = 0;
  if (value.get_int64().get(count) == simdjson::SUCCESS) return count;
  return otherwise;
}

std::string_view text_of(json::value value) {
  std::string_view text;
  if (value.get_string().get(text) == simdjson::SUCCESS) return text;
  return {};
}

/// [[2, 3], [], [[4], [5]]]: of what is no list of whole numbers nothing.
std::vector<TensorSizes> sizes_of(json::value value) {
  std::vector<TensorSizes> all;
  json::array entries;
  if (value.get_array().get(entries) != simdjson::SUCCESS) return all;
  for (json::value entry : entries) {
    TensorSizes& sizes = all.emplace_back();
    json::array list;
    if (entry.get_array().get(list) != simdjson::SUCCESS) continue;
    bool is_list_of_tensors = false;
    for (json::value size : list) {
      std::int64_t number = 0;
      if (size.get_int64().get(number) == simdjson::SUCCESS) {
        sizes.push_back(number);
      } else {
        is_list_of_tensors = true;
      }
    }
    if (is_list_of_tensors) sizes.clear();
  }
  return all;
}

std::vector<std::string> texts_of(json::value value) {
  std::vector<std::string> all;
  json::array entries;
  if (value.get_array().get(entries) != simdjson::SUCCESS) return all;
  for (json::value entry : entries) all.emplace_back(text_of(entry));
  return all;
}

/// Takes an argument that a table needs in.
void take_argument(const json::raw_json_string& key, json::value value, TraceEvent& event) {
  if (key.unsafe_is_equal("correlation")) {
    event.correlation = id_of("correlation", value);
  } else if (key.unsafe_is_equal("External id") || key.unsafe_is_equal("external id")) {
    event.external_id = id_of("External id", value);
  } else if (key.unsafe_is_equal("Collective name")) {
    event.collective = text_of(value);
  } else if (key.unsafe_is_equal("dtype")) {
    event.dtype = text_of(value);
  } else if (key.unsafe_is_equal("Process Group Name")) {
    event.group = text_of(value);
  } else if (key.unsafe_is_equal("Process Group Ranks")) {
    event.group_ranks = text_of(value);
  } else if (key.unsafe_is_equal("In msg nelems")) {
    event.in_elements = count_of(value, -1);
  } else if (key.unsafe_is_equal("Out msg nelems")) {
    event.out_elements = count_of(value, -1);
  } else if (key.unsafe_is_equal("Group size")) {
    event.group_size = count_of(value, 0);
  } else if (key.unsafe_is_equal("Seq")) {
    event.sequence = count_of(value, -1);
  } else if (key.unsafe_is_equal("Input Dims") || key.unsafe_is_equal("Input dims")) {
    event.dims = sizes_of(value);
  } else if (key.unsafe_is_equal("Input Strides")) {
    event.strides = sizes_of(value);
  } else if (key.unsafe_is_equal("Input type")) {
    event.types = texts_of(value);
  } else if (key.unsafe_is_equal("Concrete Inputs")) {
    event.values = texts_of(value);
  }
}

/// Which fields an event has had.
enum Field : unsigned { kPh = 1, kCat = 2, kName = 4, kPid = 8, kTid = 16, kTs = 32, kDur = 64, kArgs = 128 };

std::optional<Field> field_of(const json::raw_json_string& key) {
  if (key.unsafe_is_equal("ph")) return kPh;
  if (key.unsafe_is_equal("cat")) return kCat;
  if (key.unsafe_is_equal("name")) return kName;
  if (key.unsafe_is_equal("pid")) return kPid;
  if (key.unsafe_is_equal("tid")) return kTid;
  if (key.unsafe_is_equal("ts")) return kTs;
  if (key.unsafe_is_equal("dur")) return kDur;
  if (key.unsafe_is_equal("args")) return kArgs;
  return std::nullopt;
}

}  // namespace

EventCategory category_of(std::string_view cat) {
  for (const auto& [name, category] : kCategories) {
    if (name == cat) return category;
  }
  // xpu_runtime, privateuse1_driver: every device's calls are called so.
  return cat.ends_with("_runtime") || cat.ends_with("_driver") ? EventCategory::kRuntime : EventCategory::kOther;
}

class EventParser::Work {
 public:
  explicit Work(EventSink& sink) : sink_(sink) {}

  bool parse(const EventBatch& batch, BadEvent& bad) {
    return batches_.parse(batch, bad, [this](json::object event) { parse_event(event); });
  }

 private:
  void parse_event(json::object object);
  void parse_arguments(json::object arguments);
  void take_field(Field field, json::value value);
  [[nodiscard]] bool is_wanted() const;

  [[nodiscard]] bool has(unsigned fields) const { return (seen_ & fields) == fields; }

  EventSink& sink_;
  BatchParser batches_;
  TraceEvent event_;
  unsigned seen_ = 0;
  bool is_complete_event_ = false;  ///< ph X
  bool has_first_time_ = false;
};

void EventParser::Work::take_field(Field field, json::value value) {
  if (has(field)) throw NoEvent{"it has a field twice"};
  seen_ |= field;
  switch (field) {
    case kPh:
      require_text("ph: ", value);
      is_complete_event_ = value.raw_json_token().starts_with("\"X\"");
      break;
    case kCat:
      event_.category = category_of(text_in("cat: ", value));
      break;
    case kName:
      event_.name = text_in("name: ", value);
      break;
    case kPid:
      event_.pid = raw_text(value);
      break;
    case kTid:
      event_.tid = raw_text(value);
      break;
    case kTs:
      event_.ts = raw_text(value);
      break;
    case kDur:
      event_.duration = raw_text(value);
      break;
    case kArgs:
      parse_arguments(object_in("args: ", value));
      break;
  }
}

/// As far as is known yet.
bool EventParser::Work::is_wanted() const {
  if (has(kPh) && !is_complete_event_) return false;
  if (has(kCat) && event_.category == EventCategory::kOther) return false;
  return !has(kCat | kName) || sink_.wants(event_.category, event_.name);
}

void EventParser::Work::parse_arguments(json::object arguments) {
  for (json::field argument : arguments) take_argument(argument.key(), argument.value(), event_);
}

void EventParser::Work::parse_event(json::object object) {
  event_ = {};
  seen_ = 0;
  for (json::field entry : object) {
    const std::optional<Field> field = field_of(entry.key());
    if (!field) continue;
    take_field(*field, entry.value());
    if (*field == kTs && !has_first_time_) {
      has_first_time_ = true;
      sink_.first_time(event_.ts);
    }
    if ((*field & (kPh | kCat | kName)) != 0 && has_first_time_ && !is_wanted()) return;
  }
  if (!has(kPh)) throw NoEvent{"it has no ph"};
  if (!is_complete_event_ || !has(kCat | kName) || !is_wanted() || batches_.was_taken()) return;
  batches_.take(sink_.take(event_));
}

EventParser::EventParser(EventSink& sink) : work_(std::make_unique<Work>(sink)) {}
EventParser::~EventParser() = default;

std::size_t EventParser::padding() { return simdjson::SIMDJSON_PADDING; }

bool EventParser::parse(const EventBatch& batch, BadEvent& bad) { return work_->parse(batch, bad); }

}  // namespace kernbench::traces
