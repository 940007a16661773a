#include "benches/results/figures/rows.hpp"

#include <algorithm>

#include "benches/io/text/plain_text.hpp"

namespace kernbench {

const Row* find_row(const Results& results, const Json& point) {
  const auto same_axes = [&](const Row& row) { return nlohmann::json(row.point) == nlohmann::json(point); };
  const auto found = std::find_if(results.rows.begin(), results.rows.end(), same_axes);
  return found == results.rows.end() ? nullptr : &*found;
}

Json metric(const Row* row, const std::string& name) {
  if (row == nullptr || row->status != "ok") return nullptr;
  return row->metrics.json().value(name, Json(nullptr));
}

std::vector<const Row*> rows_where(const Results& results, const Json& fields) {
  std::vector<const Row*> found;
  for (const Row& row : results.rows) {
    const auto agrees = [&row](const auto& field) {
      const auto value = row.point.find(field.first);
      return value == row.point.end() ? field.second.is_null() : *value == field.second;
    };
    const auto& wanted = fields.get_ref<const Json::object_t&>();
    if (std::all_of(wanted.begin(), wanted.end(), agrees)) found.push_back(&row);
  }
  return found;
}

namespace {

/// "BEGINNING: POINT; POINT and 2 more" of the rows with that status; empty where there are none.
std::string note_of(const std::vector<const Row*>& rows, const std::string& status, const std::string& beginning) {
  constexpr std::size_t kMostNamed = 3;
  std::string note;
  std::size_t found = 0;
  for (const Row* row : rows) {
    if (row->status != status || ++found > kMostNamed) continue;
    std::string name;
    for (const auto& [field, value] : row->point.items()) {
      name += (name.empty() ? "" : " ") + plain_text(value);
    }
    note += (note.empty() ? beginning + ": " : "; ") + name;
  }
  if (found > kMostNamed) note += " and " + std::to_string(found - kMostNamed) + " more";
  return note;
}

}  // namespace

std::vector<std::string> failed_note(const std::vector<const Row*>& rows) {
  std::vector<std::string> notes;
  for (std::string note : {note_of(rows, "failed", "Missing, because it failed"),
                           note_of(rows, "skipped", "Missing, because it was skipped")}) {
    if (!note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace kernbench
