// Reads what is whole, rewrites it, appends to it.
#include "benches/experiments/run/partial_rows.hpp"

#include <fcntl.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>

#include "benches/io/files/disk.hpp"
#include "benches/io/files/write_file.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Syncing takes milliseconds: not for each of many short points.
constexpr std::chrono::seconds kSyncInterval{1};
constexpr const char* kPartialSchema = "kernbench.partial/";

std::optional<Row> row_of_line(const std::string& line, const std::string& file) {
  try {
    return row_from_json(parse_json(line, file), file);
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

/// The first line as JSON; null where it is none.
Json json_of_line(const std::string& line, const std::string& file) {
  try {
    return parse_json(line, file);
  } catch (const ConfigError&) {
    return {};
  }
}

/// Of whatever version.
bool is_partial_header(const Json& header) {
  const Json schema = header.is_object() ? header.value("schema", Json()) : Json();
  return schema.is_string() && schema.get<std::string>().starts_with(kPartialSchema);
}

[[noreturn]] void refuse_partial(const std::filesystem::path& path, const char* got) {
  throw ConfigError(path.string() + ": expected rows of an interrupted run of kernbench or no file, got " + got +
                    "; move it away, or choose another --out");
}

}  // namespace

PartialRows::PartialRows(const FolderLock& folder, const Json& header,
                         const std::function<bool(const Json& point)>& wanted)
    : path_(folder.path() / "partial.jsonl") {
  if (std::filesystem::is_symlink(path_))
    refuse_partial(path_, "a link");  // rows are appended: it would be written through
  if (std::filesystem::exists(path_)) read(header, wanted);
  // Written anew, because the last line of an interrupted run may be half a line.
  std::string text = header.dump() + "\n";
  for (const auto& [point, row] : rows_) text += row_to_json(row).dump() + "\n";
  write_file(path_, text);
  file_ = disk::open_to_write(path_, O_APPEND | O_NOFOLLOW);
  synced_ = SteadyClock::now();
}

void PartialRows::read(const Json& header, const std::function<bool(const Json& point)>& wanted) {
  std::istringstream lines(read_file(path_));
  std::string line;
  if (!std::getline(lines, line)) return;  // nobody's
  const Json there = json_of_line(line, path_.string());
  if (!is_partial_header(there)) refuse_partial(path_, "another file");
  if (there != header) {
    superseded_ = true;
    return;
  }
  while (std::getline(lines, line)) {
    std::optional<Row> row = row_of_line(line, path_.string());
    if (!row) {
      unreadable_ += lines.eof() ? 0 : 1;  // a line without its end is the half one
    } else if (row->status != "failed" && wanted(row->point)) {
      const std::string point = row->point.dump();
      rows_.insert_or_assign(point, std::move(*row));
    }
  }
}

const Row* PartialRows::find(const Json& point) const {
  const auto found = rows_.find(point.dump());
  return found == rows_.end() ? nullptr : &found->second;
}

void PartialRows::append(const Row& row) {
  disk::write(file_.get(), row_to_json(row).dump() + "\n", path_);
  if (SteadyClock::now() - synced_ < kSyncInterval) return;
  disk::sync(file_.get(), path_);
  synced_ = SteadyClock::now();
}

void PartialRows::discard(const std::vector<Json>& points) {
  std::set<std::string> done;
  for (const Json& point : points) done.insert(point.dump());
  const bool others = std::ranges::any_of(rows_, [&done](const auto& row) { return !done.contains(row.first); });
  if (others) return;
  disk::remove(path_);
  disk::sync_folder(path_.parent_path());
}

}  // namespace kernbench
