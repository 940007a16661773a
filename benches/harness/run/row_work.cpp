// The row comes back as JSON; wrong input found only in the child comes back as a message of its own kind.
#include "benches/harness/run/row_work.hpp"

#include <ctime>
#include <utility>

#include "benches/harness/results/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/engine/calendar.hpp"

namespace kernbench {

Work row_work(std::function<Row()> simulate) {
  return [simulate = std::move(simulate)] {
    try {
      const std::clock_t begin = std::clock();
      const Row row = simulate();
      const double cpu_s = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      return Json{{"row", row_to_json(row)}, {"cpu_s", cpu_s}}.dump();
    } catch (const ConfigError& error) {
      return Json{{"wrong_input", error.what()}}.dump();
    } catch (const TimeLimitError& error) {
      return Json{{"over_time", error.what()}}.dump();
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
  const Json json = Json::parse(outcome.payload);
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
