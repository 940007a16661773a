// One table, a row an evaluation; each statement is a transaction of its own in SQLite's write-ahead log.
#include "benches/experiments/run/evaluation_cache.hpp"

#include <spdlog/spdlog.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <system_error>
#include <thread>

#include "benches/io/files/program_identity.hpp"
#include "benches/results/rows/results_json.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/sha256.hpp"
#include "sim/system/model_version.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr const char* kFile = "evaluations.sqlite";
constexpr milliseconds kPatience{5000};
constexpr std::int64_t kTables = 1;  // version of what is below
constexpr const char* kMakeTables = R"(
  PRAGMA auto_vacuum = INCREMENTAL;
  PRAGMA journal_mode = WAL;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS evaluations (
    key TEXT PRIMARY KEY, row TEXT NOT NULL, checksum TEXT NOT NULL,
    workload TEXT NOT NULL, program TEXT NOT NULL, kept_at INTEGER NOT NULL);
  PRAGMA user_version = 1;
  COMMIT;)";
constexpr const char* kHowToGoOn =
    "`kernbench dev cache prune --all` makes a new one, KERNBENCH_CACHE names another folder";

/// Which build this is does not change while it runs.
const std::string& this_program() {
  static const std::string program = program_identity();
  return program;
}

std::string checksum_of(const std::string& key, const std::string& row) { return sha256_hex(key + " " + row); }

/// Changing the mode of the journal waits for nobody, unlike all else.
void make_tables(sqlite::Database& database) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    try {
      database.execute(kMakeTables);
      return;
    } catch (const sqlite::Error& error) {
      if (error.code() != SQLITE_BUSY || std::chrono::steady_clock::now() > end) throw;
      std::this_thread::sleep_for(milliseconds(10));
    }
  }
}

/// Ready for use. Throws std::exception.
sqlite::Database open_cache(const fs::path& file) {
  sqlite::Database database(file, kPatience);
  std::int64_t tables = database.number("PRAGMA user_version");
  if (tables == 0) {
    make_tables(database);
    tables = database.number("PRAGMA user_version");
  }
  if (tables != kTables) {
    throw std::runtime_error("its tables are of version " + std::to_string(tables) + ", and this kernbench knows " +
                             std::to_string(kTables));
  }
  database.execute("PRAGMA synchronous = NORMAL");  // each commit outlives the process, not always the power
  return database;
}

std::int64_t bytes_on_disk(const fs::path& file) {
  std::int64_t bytes = 0;
  for (const char* part : {"", "-wal"}) {
    std::error_code none;
    const auto size = fs::file_size(file.string() + part, none);
    if (!none) bytes += static_cast<std::int64_t>(size);
  }
  return bytes;
}

[[noreturn]] void refuse_cache(const fs::path& file, const std::exception& error) {
  throw ConfigError("the cache " + file.string() + " cannot be used: " + error.what() + ": " + kHowToGoOn);
}

std::int64_t remove_rows(sqlite::Database& database, const CachePruning& pruning) {
  if (pruning.all) {
    database.execute("DELETE FROM evaluations");
  } else if (pruning.older_than_days) {
    constexpr std::int64_t kSecondsOfDay = 86'400;
    database.prepare("DELETE FROM evaluations WHERE kept_at < ?")
        .bind(std::int64_t{std::time(nullptr)} - *pruning.older_than_days * kSecondsOfDay)
        .step();
  } else {
    database.prepare("DELETE FROM evaluations WHERE program <> ?").bind(this_program()).step();
  }
  const std::int64_t removed = database.changes();
  sqlite::Statement shrink = database.prepare("PRAGMA incremental_vacuum");
  while (shrink.step()) {
  }
  database.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  return removed;
}

}  // namespace

std::optional<fs::path> evaluation_cache_folder() {
  struct Place {
    const char* variable;
    const char* below;
  };
  constexpr std::array kPlaces{Place{"KERNBENCH_CACHE", ""}, Place{"XDG_CACHE_HOME", "kernbench"},
                               Place{"HOME", ".cache/kernbench"}};
  for (const Place& place : kPlaces) {
    const char* value = std::getenv(place.variable);
    if (value == nullptr || *value == '\0') continue;
    if (fs::path(value).is_absolute()) return fs::path(value) / place.below;
    if (&place == kPlaces.data()) {
      throw ConfigError(std::string("KERNBENCH_CACHE=") + value + ": expected an absolute path of a folder");
    }
  }
  return std::nullopt;
}

bool has_evaluation_cache(const std::optional<fs::path>& folder) {
  std::error_code none;
  return folder && fs::exists(*folder / kFile, none);
}

std::string evaluation_key(const Json& workload, const std::string& machine_sha256) {
  return sha256_hex(
      Json{{"workload", workload}, {"machine", machine_sha256}, {"model", kModelVersion}, {"program", this_program()}}
          .dump());
}

EvaluationCache::EvaluationCache(const std::optional<fs::path>& folder) {
  if (!folder) return;
  file_ = *folder / kFile;
  try {
    fs::create_directories(*folder);
    sqlite::Database database = open_cache(file_);
    sqlite::Statement find = database.prepare("SELECT row, checksum FROM evaluations WHERE key = ?");
    sqlite::Statement keep = database.prepare("INSERT OR REPLACE INTO evaluations VALUES (?, ?, ?, ?, ?, ?)");
    open_.emplace(Open{std::move(database), std::move(find), std::move(keep)});
  } catch (const std::exception& error) {
    give_up(error);
  }
}

void EvaluationCache::give_up(const std::exception& error) {
  open_.reset();
  spdlog::warn("going on without the cache {}: {}: {}", file_.string(), error.what(), kHowToGoOn);
}

std::optional<Row> EvaluationCache::find(const std::string& key) {
  if (!open_) return std::nullopt;
  try {
    if (!open_->find.bind(key).step()) return std::nullopt;
    const std::string text = open_->find.text(0);
    const std::string checksum = open_->find.text(1);
    open_->find.reset();
    if (checksum != checksum_of(key, text)) return std::nullopt;
    return row_from_json(parse_json(text, file_.string()), file_.string());
  } catch (const ConfigError&) {
    return std::nullopt;  // no row
  } catch (const std::exception& error) {
    give_up(error);
    return std::nullopt;
  }
}

void EvaluationCache::keep(const std::string& key, const std::string& workload, const Row& row) {
  if (!open_ || row.status == "failed") return;
  try {
    Json json = row_to_json(row);
    json["point"] = Json::object();
    const std::string text = json.dump();
    open_->keep.bind(key).bind(text).bind(checksum_of(key, text)).bind(workload).bind(this_program());
    open_->keep.bind(std::int64_t{std::time(nullptr)}).step();
  } catch (const std::exception& error) {
    give_up(error);
  }
}

CacheContents cache_contents(const fs::path& folder) {
  CacheContents contents{folder / kFile};
  if (!has_evaluation_cache(folder)) return contents;
  try {
    sqlite::Database database = open_cache(contents.file);
    sqlite::Statement query = database.prepare(
        "SELECT workload, count(*), sum(program = ?), sum(length(CAST(row AS BLOB))) FROM evaluations GROUP BY "
        "workload "
        "ORDER BY workload");
    query.bind(this_program());
    while (query.step()) {
      contents.workloads.push_back({query.text(0), query.number(1), query.number(2), query.number(3)});
    }
  } catch (const std::exception& error) {
    refuse_cache(contents.file, error);
  }
  contents.file_bytes = bytes_on_disk(contents.file);
  return contents;
}

std::int64_t prune_cache(const fs::path& folder, const CachePruning& pruning) {
  if (!has_evaluation_cache(folder)) return 0;
  const fs::path file = folder / kFile;
  std::int64_t rows = 0;
  try {
    sqlite::Database database = open_cache(file);
    rows = database.number("SELECT COUNT(*) FROM evaluations");
    return remove_rows(database, pruning);
  } catch (const sqlite::Error& error) {
    if (!pruning.all || error.code() == SQLITE_BUSY) refuse_cache(file, error);
  } catch (const std::exception& error) {
    if (!pruning.all) refuse_cache(file, error);
  }
  for (const char* part : {"", "-wal", "-shm"}) fs::remove(file.string() + part);
  return rows;
}

}  // namespace kernbench
