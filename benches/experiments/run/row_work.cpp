// The row comes back as JSON, packed; wrong input found only in the child comes back as a message of its own kind.
#include "benches/experiments/run/row_work.hpp"

#include <ctime>
#include <stdexcept>
#include <string>
#include <utility>

#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/engine/calendar.hpp"

namespace kernbench {
namespace {

/// Results hold nothing else, and whoever writes them should not be the first to say so.
void require_utf8(const Json& json) {
  if (json.is_string() && !is_utf8(json.get_ref<const std::string&>())) {
    throw std::runtime_error("a text of its row is not UTF-8");
  }
  if (!json.is_structured()) return;
  for (const auto& [name, value] : json.items()) {
    require_utf8(value);
    if (json.is_object()) require_utf8(name);
  }
}

/// Between processes of one program no number needs to become text and be read again.
std::string packed(const Json& json) {
  require_utf8(json);
  std::string bytes;
  Json::to_msgpack(json, bytes);
  return bytes;
}

}  // namespace

Work row_work(std::function<Row()> simulate) {
  return [simulate = std::move(simulate)] {
    try {
      const std::clock_t begin = std::clock();
      const Row row = simulate();
      const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      return packed({{"row", row_to_json(row)}, {"cpu_s", cpu_s}});
    } catch (const ConfigError& error) {
      return packed({{"wrong_input", error.what()}});
    } catch (const TimeLimitError& error) {
      return packed({{"over_time", error.what()}});
    }
  };
}

RowAnswer row_answer(const Outcome& outcome) {
  RowAnswer answer;
  if (!outcome.ok) {
    answer.row.status = "failed";
    answer.row.reason = outcome.reason;
    return answer;
  }
  const Json json = Json::from_msgpack(outcome.payload);
  if (json.contains("wrong_input")) throw ConfigError(json["wrong_input"].get<std::string>());
  if (json.contains("over_time")) {
    answer.over_time = true;
    answer.row.status = "failed";
    answer.row.reason = json["over_time"];
    return answer;
  }
  answer.row = row_from_json(json["row"], "the simulation's result");
  answer.cpu_s = json["cpu_s"];
  return answer;
}

}  // namespace kernbench
