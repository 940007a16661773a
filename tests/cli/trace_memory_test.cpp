// How much memory traces take: what is kept of them, not what is passed over.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <fstream>
#include <string>
#include <vector>

#include "sim/base/read_file.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

#ifndef KERNBENCH_SANITIZED  // which keeps what was freed
/// The most that the program had in memory at a time, KiB.
long peak_kib(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{kProgram};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> raw;
  for (std::string& word : words) raw.push_back(word.data());
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawn(&pid, kProgram.c_str(), &actions, nullptr, raw.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  REQUIRE(error == 0);
  int status = 0;
  rusage used{};
  REQUIRE(::wait4(pid, &status, 0, &used) == pid);
  REQUIRE(status == 0);
  return used.ru_maxrss;
}
#endif

/// 200 kernels with their launches, and so many other events of the CPU, each with a name of its own.
void write_trace(const fs::path& file, int others) {
  std::ofstream out(file);
  out << R"({"traceEvents":[)";
  for (int i = 1; i <= 200; ++i) {
    const std::string tail = R"(,"dur":2,"args":{"correlation":)" + std::to_string(i) + "}},\n";
    out << R"({"ph":"X","cat":"cuda_runtime","name":"l","pid":1,"tid":1,"ts":)" << 10 * i << tail
        << R"({"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":)" << 10 * i + 5 << tail;
  }
  for (int i = 0; i < others; ++i) {
    out << R"({"ph":"X","cat":"cpu_op","name":"aten::view_)" << i << R"(","pid":1,"tid":1,"ts":)" << i
        << R"(,"dur":1,"args":{"External id":)" << i
        << R"(,"Ev Idx":1,"Input Dims":[[2,3],[3,4]],"Call stack":"model.py(12): forward; layer.py(3): call"}},)"
        << '\n';
  }
  out << R"({"ph":"i","name":"end","pid":1,"tid":1,"ts":0}]})";
}

}  // namespace

TEST_SUITE("ADR-0040") {
  TEST_CASE("40.2 other events change nothing in the tables") {
    const Workplace place;
    write_trace(place.path() / "few.json", 10);
    write_trace(place.path() / "many.json", 20'000);
    for (const char* table : {"timeline", "gemms", "causes", "top"}) {
      CAPTURE(table);
      const std::string named = std::string(table) + ".csv";
      const Ended few = place.run(kProgram, {"trace", table, "few.json", "--csv", "few-" + named});
      const Ended many = place.run(kProgram, {"trace", table, "many.json", "--csv", "many-" + named});
      REQUIRE_MESSAGE(few.exit_code == 0, few.err);
      REQUIRE_MESSAGE(many.exit_code == 0, many.err);
      const std::string expected = kernbench::read_file(place.path() / ("few-" + named));
      CHECK(expected.size() > 100);
      CHECK(kernbench::read_file(place.path() / ("many-" + named)) == expected);
    }
  }

#ifndef KERNBENCH_SANITIZED
  TEST_CASE("40.2 memory does not grow with other events") {
    const Workplace place;
    const fs::path few = place.path() / "few.json";
    const fs::path many = place.path() / "many.json";
    write_trace(few, 10'000);
    write_trace(many, 300'000);
    REQUIRE(fs::file_size(many) > 50'000'000);
    for (const char* table : {"timeline", "gemms", "causes", "collectives"}) {
      CAPTURE(table);
      const long least = peak_kib({"trace", table, few.string()});
      const long most = peak_kib({"trace", table, many.string()});
      CHECK(most - least < 2048);
      CHECK(most < 64 * 1024);
    }
  }
#endif
}
