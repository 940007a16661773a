// Reads what is whole, rewrites it, appends to it.
#include "benches/harness/run/partial_rows.hpp"

#include <sys/file.h>

#include <cstring>
#include <sstream>

#include "benches/harness/results/results_json.hpp"
#include "benches/harness/write_file.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

FileDescriptor lock_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw ConfigError("cannot make the output folder " + folder.string() + ": " + error.message());
  FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (lock.get() < 0)
    throw ConfigError("cannot open the output folder " + folder.string() + ": " + std::strerror(errno));
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    throw ConfigError("another run is writing to " + folder.string() + ": wait for it, or choose another --out");
  }
  return lock;
}

}  // namespace

PartialRows::PartialRows(const std::filesystem::path& folder, const Json& header, bool fresh)
    : folder_lock_(lock_folder(folder)), path_(folder / "partial.jsonl") {
  if (!fresh && std::filesystem::exists(path_)) read(header);
  // Written anew, because the last line of an interrupted run may be half a line.
  std::string text = header.dump() + "\n";
  for (const auto& [point, row] : rows_) text += row_to_json(row).dump() + "\n";
  write_file(path_, text);
  file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (file_.get() < 0) throw ConfigError("cannot write " + path_.string() + ": " + std::strerror(errno));
}

void PartialRows::read(const Json& header) {
  std::istringstream lines(read_file(path_));
  std::string line;
  std::getline(lines, line);
  if (Json::parse(line, nullptr, false) != header) {
    superseded_ = true;
    return;
  }
  while (std::getline(lines, line)) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded()) continue;  // the half line of a run that was killed while writing it
    Row row = row_from_json(json, path_.string());
    if (row.status == "ok") rows_.insert_or_assign(row.point.dump(), std::move(row));
  }
}

const Row* PartialRows::find(const Json& point) const {
  const auto found = rows_.find(point.dump());
  return found == rows_.end() ? nullptr : &found->second;
}

void PartialRows::append(const Row& row) {
  if (!write_all(file_.get(), row_to_json(row).dump() + "\n")) {
    throw ConfigError("cannot write " + path_.string() + ": " + std::strerror(errno));
  }
}

void PartialRows::discard() {
  std::error_code error;
  std::filesystem::remove(path_, error);
  if (error) throw ConfigError("cannot remove " + path_.string() + ": " + error.message());
}

}  // namespace kernbench
