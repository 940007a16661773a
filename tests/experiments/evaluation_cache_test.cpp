// Rows that are kept: whatever ends the process that keeps them, whatever is wrong with the file.
#include "benches/experiments/run/evaluation_cache.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"
#include "tests/support/error_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/toy_machine.hpp"

namespace fs = std::filesystem;
using kernbench::cache_contents;
using kernbench::CacheContents;
using kernbench::EvaluationCache;
using kernbench::Json;
using kernbench::prune_cache;
using kernbench::Row;

namespace {

std::string key_of(int number) { return kernbench::evaluation_key({{"n", number}}, "machine"); }

Row timed(double time_ns) {
  Row row;
  row.metrics.json()["time_ns"] = time_ns;
  return row;
}

double time_of(const std::optional<Row>& row) { return row ? row->metrics.json().at("time_ns").get<double>() : -1; }

std::int64_t rows_in(const fs::path& folder) {
  std::int64_t rows = 0;
  for (const kernbench::CachedWorkload& workload : cache_contents(folder).workloads) rows += workload.rows;
  return rows;
}

std::string integrity_of(const fs::path& folder) {
  kernbench::sqlite::Database database(folder / "evaluations.sqlite", std::chrono::seconds(5));
  kernbench::sqlite::Statement check = database.prepare("PRAGMA integrity_check");
  return check.step() ? check.text(0) : "no answer";
}

/// Changes the file behind the cache's back.
void change(const fs::path& folder, const std::string& sql) {
  kernbench::sqlite::Database(folder / "evaluations.sqlite", std::chrono::seconds(5)).execute(sql);
}

/// Runs in a forked child to its end; its exit code.
template <typename Work>
pid_t in_child(const Work& work) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    work();
    ::_exit(0);
  }
  return pid;
}

int exit_code(pid_t pid) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

TEST_SUITE("ADR-0037") {
  TEST_CASE("37.1 a key follows from workload and machine, and from nothing else of a call") {
    const Json workload{{"bench", "toy"}, {"point", {{"size", 1}}}};
    const std::string key = kernbench::evaluation_key(workload, "machine");
    CHECK(key.size() == 64);
    CHECK(kernbench::evaluation_key(workload, "machine") == key);
    CHECK(kernbench::evaluation_key(workload, "another") != key);
    CHECK(kernbench::evaluation_key({{"bench", "toy"}, {"point", {{"size", 2}}}}, "machine") != key);
  }

  TEST_CASE("37.2 a good and a skipped row come back without their points, a failed one does not") {
    const TemporaryFolder folder;
    EvaluationCache cache(folder.path() / "made/on/the/way");
    Row good = timed(0.1 + 0.2);
    good.point = {{"size", 3}};
    good.stages.push_back({"mac", "pe0.mac", 1.5, 2.5, 3, 4, 5});
    good.flags = {"under_tile"};
    cache.keep(key_of(1), "toy", good);
    Row skipped;
    skipped.status = "skipped";
    skipped.reason = "no room";
    cache.keep(key_of(2), "toy", skipped);
    Row failed;
    failed.status = "failed";
    failed.reason = "timed out after 1 s";
    cache.keep(key_of(3), "toy", failed);

    const auto found = EvaluationCache(folder.path() / "made/on/the/way").find(key_of(1));
    REQUIRE(found);
    CHECK(found->point == Json::object());
    CHECK(found->metrics.json() == good.metrics.json());
    CHECK(found->stages.at(0).busy_ns == 2.5);
    CHECK(found->flags == good.flags);
    CHECK(cache.find(key_of(2))->reason == "no room");
    CHECK_FALSE(cache.find(key_of(3)));
    CHECK_FALSE(cache.find(key_of(4)));
  }

  TEST_CASE("37.4 the folder is the first of three variables that is an absolute path") {
    const auto folder = [](const char* own, const char* caches, const char* home) {
      const auto child = [&] {
        const auto set = [](const char* name, const char* value) {
          value == nullptr ? ::unsetenv(name) : ::setenv(name, value, 1);
        };
        set("KERNBENCH_CACHE", own);
        set("XDG_CACHE_HOME", caches);
        set("HOME", home);
        std::string text = "none";
        try {
          const auto path = kernbench::evaluation_cache_folder();
          if (path) text = path->string();
        } catch (const kernbench::ConfigError& error) {
          text = error.what();
        }
        ::_exit(text == "/own/"                                                             ? 1
                : text == "/caches/kernbench"                                               ? 2
                : text == "/home/.cache/kernbench"                                          ? 3
                : text == "none"                                                            ? 4
                : text == "KERNBENCH_CACHE=relative: expected an absolute path of a folder" ? 5
                                                                                            : 6);
      };
      return exit_code(in_child(child));
    };
    CHECK(folder("/own", "/caches", "/home") == 1);
    CHECK(folder("", "/caches", "/home") == 2);
    CHECK(folder("relative", nullptr, "/home") == 5);
    CHECK(folder(nullptr, nullptr, "/home") == 3);
    CHECK(folder(nullptr, "relative", "") == 4);
    EvaluationCache none(std::nullopt);
    none.keep(key_of(1), "toy", timed(1));
    CHECK_FALSE(none.find(key_of(1)));
  }

  TEST_CASE("37.5 two processes write at once: every row is there once") {
    const TemporaryFolder folder(TemporaryFolder::fast_parent());
    const auto writer = [&folder](int first) {
      return in_child([&folder, first] {
        EvaluationCache cache(folder.path());
        for (int i = first; i < first + 200; ++i) cache.keep(key_of(i), "toy", timed(i));
        if (!cache.usable()) ::_exit(1);
      });
    };
    const std::vector<pid_t> writers{writer(0), writer(100), writer(200)};  // each shares half of its keys
    for (const pid_t pid : writers) CHECK(exit_code(pid) == 0);
    CHECK(rows_in(folder.path()) == 400);
    CHECK(integrity_of(folder.path()) == "ok");
    EvaluationCache cache(folder.path());
    for (int i = 0; i < 400; ++i) CHECK(time_of(cache.find(key_of(i))) == i);
  }

  TEST_CASE("37.6 a row that is not as it was kept is not known, and is kept anew") {
    const TemporaryFolder folder;
    EvaluationCache cache(folder.path());
    cache.keep(key_of(1), "toy", timed(1));
    cache.keep(key_of(2), "toy", timed(2));
    change(folder.path(), "UPDATE evaluations SET row = replace(row, '1.0', '7.0')");
    CHECK_FALSE(cache.find(key_of(1)));
    CHECK(time_of(cache.find(key_of(2))) == 2);
    cache.keep(key_of(1), "toy", timed(1));
    CHECK(time_of(cache.find(key_of(1))) == 1);
    // Another evaluation's row is no answer either.
    change(folder.path(),
           "DELETE FROM evaluations WHERE key = '" + key_of(1) + "'; UPDATE evaluations SET key = '" + key_of(1) + "'");
    CHECK_FALSE(cache.find(key_of(1)));
  }

  TEST_CASE("37.7 a file that is no cache, a folder that is none, other tables: nothing is known, nothing is thrown") {
    const TemporaryFolder folder;
    const auto is_useless = [](const fs::path& place) {
      EvaluationCache cache(place);
      cache.keep(key_of(1), "toy", timed(1));
      return !cache.usable() && !cache.find(key_of(1));
    };
    const fs::path damaged = folder.path() / "damaged";
    kernbench::write_file(damaged / "evaluations.sqlite", std::string(100'000, 'x'));
    CHECK(is_useless(damaged));
    CHECK(::error_of([&] { static_cast<void>(cache_contents(damaged)); }).find("cache prune --all") !=
          std::string::npos);
    CHECK(prune_cache(damaged, {true}) == 0);
    CHECK_FALSE(is_useless(damaged));

    change(damaged, "PRAGMA user_version = 2");
    CHECK(is_useless(damaged));
    kernbench::write_file(folder.path() / "file", "");
    CHECK(is_useless(folder.path() / "file/below"));
  }

  TEST_CASE("37.7 a table that is damaged while it is used, and a disk that is full, end the use and nothing else") {
    const TemporaryFolder folder;
    EvaluationCache cache(folder.path());
    cache.keep(key_of(1), "toy", timed(1));
    change(folder.path(), "DROP TABLE evaluations");
    CHECK_FALSE(cache.find(key_of(1)));
    CHECK_FALSE(cache.usable());
    cache.keep(key_of(1), "toy", timed(1));

    const TemporaryFolder full;
    const pid_t pid = in_child([&full] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit most{200'000, 200'000};  // of each file: it is as if the disk were full
      ::setrlimit(RLIMIT_FSIZE, &most);
      EvaluationCache small(full.path());
      if (!small.usable()) ::_exit(2);
      for (int i = 0; i < 2000; ++i) small.keep(key_of(i), "toy", timed(i));
      if (small.usable()) ::_exit(3);
    });
    CHECK(exit_code(pid) == 0);
    const std::int64_t kept = rows_in(full.path());
    CHECK(kept > 0);
    EvaluationCache again(full.path());
    for (int i = 0; i < kept; ++i) CHECK(time_of(again.find(key_of(i))) == i);
  }

  TEST_CASE("37.9 pruning removes rows of other builds, old ones, or all, and the file shrinks") {
    const TemporaryFolder folder;
    CHECK(prune_cache(folder.path(), {}) == 0);
    CHECK(cache_contents(folder.path()).workloads.empty());
    CHECK_FALSE(fs::exists(folder.path() / "evaluations.sqlite"));
    {
      EvaluationCache cache(folder.path());
      Row large = timed(1);
      large.metrics.json()["text"] = std::string(10'000, 'r');
      for (int i = 0; i < 50; ++i) cache.keep(key_of(i), i < 20 ? "one" : "two", large);
    }
    change(folder.path(), "UPDATE evaluations SET program = 'another' WHERE workload = 'one'");
    change(folder.path(), "UPDATE evaluations SET kept_at = kept_at - 3 * 86400 WHERE rowid > 45");
    const CacheContents before = cache_contents(folder.path());
    REQUIRE(before.workloads.size() == 2);
    CHECK(before.workloads[0].name == "one");
    CHECK(before.workloads[0].rows == 20);
    CHECK(before.workloads[0].usable == 0);
    CHECK(before.workloads[1].usable == 30);
    CHECK(before.workloads[1].bytes > 300'000);
    CHECK(prune_cache(folder.path(), {false, 4}) == 0);
    CHECK(prune_cache(folder.path(), {false, 2}) == 5);
    CHECK(prune_cache(folder.path(), {}) == 20);
    CHECK(rows_in(folder.path()) == 25);
    CHECK(cache_contents(folder.path()).file_bytes < before.file_bytes * 2 / 3);
    CHECK(prune_cache(folder.path(), {true}) == 25);
    CHECK(rows_in(folder.path()) == 0);
    CHECK(integrity_of(folder.path()) == "ok");
  }
}
