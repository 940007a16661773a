// Rows of evaluations that were made before, in an SQLite file that all runs of a user share
// (adr/0037-evaluation-cache.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "benches/experiments/run/sqlite.hpp"
#include "benches/results/rows/results.hpp"

namespace kernbench {

/// The folder that environment variables name; nothing where none does (37.4). Throws ConfigError where KERNBENCH_CACHE
/// is no absolute path.
[[nodiscard]] std::optional<std::filesystem::path> evaluation_cache_folder();

/// Whether there is a cache in it.
[[nodiscard]] bool has_evaluation_cache(const std::optional<std::filesystem::path>& folder);

/// The key (37.1) of what a row follows from, for this build of the program.
[[nodiscard]] std::string evaluation_key(const Json& workload, const std::string& machine_sha256);

/// A cache is no reason to fail: whatever is wrong with it is one warning, after which it knows and keeps nothing
/// (37.7).
class EvaluationCache {
 public:
  /// Opens the file in `folder`, or makes both. Nothing is known and kept without a folder.
  explicit EvaluationCache(const std::optional<std::filesystem::path>& folder);

  /// The row, with an empty point; nothing where it is not known.
  [[nodiscard]] std::optional<Row> find(const std::string& key);
  /// Keeps a good or skipped row, and outlives this process when it returns; a failed one is not kept. `workload` is
  /// what it is counted under.
  void keep(const std::string& key, const std::string& workload, const Row& row);
  /// Whether it still can know and keep.
  [[nodiscard]] bool usable() const { return open_.has_value(); }

 private:
  struct Open {
    sqlite::Database database;
    sqlite::Statement find;
    sqlite::Statement keep;
  };

  void give_up(const std::exception& error);

  std::filesystem::path file_;
  std::optional<Open> open_;
};

/// What a workload has in the cache.
struct CachedWorkload {
  std::string name;
  std::int64_t rows = 0;
  std::int64_t usable = 0;  ///< of those, rows of this build of the program
  std::int64_t bytes = 0;   ///< of the rows' texts
};

struct CacheContents {
  std::filesystem::path file;
  std::int64_t file_bytes = 0;                 ///< with what has not been merged into it yet; 0: there is no cache
  std::vector<CachedWorkload> workloads = {};  ///< by name
};

/// Throws ConfigError where the file is no cache that can be read, with what to do.
[[nodiscard]] CacheContents cache_contents(const std::filesystem::path& folder);

/// Which rows go.
struct CachePruning {
  bool all = false;  ///< every row, and a file that cannot be read
  std::optional<std::int64_t> older_than_days =
      {};  ///< those that were kept earlier than that; else those of other builds
};

/// Returns how many rows went; none where there is no cache. Throws as cache_contents.
std::int64_t prune_cache(const std::filesystem::path& folder, const CachePruning& pruning);

}  // namespace kernbench
