// What becomes of the file: whole or not there, and the reason when it cannot be written.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/base/errors.hpp"
#include "sim/hw/pe/mac_array.hpp"
#include "sim/system/trace/trace_writer.hpp"
#include "tests/support/forked.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/trace/decoded_trace.hpp"

namespace fs = std::filesystem;
using namespace kernbench;

namespace {

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

void record_some(TraceWriter& writer, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    writer.record("pe0.mac", kMacStage, {from_ns(i), from_ns(i + 1), i * 7919 % 10007, 1, i, 0});
  }
}

std::string message_of(const fs::path& path) {
  try {
    const TraceWriter writer(path, {});
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a name that says no format, and a folder that is not there, are refused") {
  const TemporaryFolder folder;
  for (const char* name : {"trace", "trace.txt", "trace.gz", "trace.perfetto", "json"}) {
    CHECK(message_of(folder.path() / name).find("expected a name that ends in .perfetto-trace.gz") !=
          std::string::npos);
    CHECK_THROWS_AS(check_trace_name(name), ConfigError);
  }
  CHECK(message_of(folder.path() / "nowhere" / "t.json").find("No such file or directory") != std::string::npos);
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("an unfinished trace leaves the old file as it was and nothing beside it") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.pftrace.gz";
  std::ofstream(path) << "old";
  {
    TraceWriter writer(path, {});
    record_some(writer, 100'000);
    CHECK(files_in(folder.path()) == 1);
  }
  CHECK_THROWS(static_cast<void>(forked([&] {
    TraceWriter writer(path, {});
    record_some(writer, 100'000);
    ::raise(SIGKILL);
    return std::string();
  })));
  CHECK(files_in(folder.path()) == 1);
  CHECK(read_decompressed(path) == "old");
  TraceWriter writer(path, {"new", {}});
  record_some(writer, 3);
  writer.finish();
  CHECK(files_in(folder.path()) == 1);
  CHECK(decode_perfetto(read_decompressed(path)).slices.size() == 3);
}

TEST_CASE("a disk that fills up is an error, whether it shows while writing or at the end") {
  for (const std::int64_t records : {100, 200'000}) {
    CAPTURE(records);
    const TemporaryFolder folder;
    const fs::path path = folder.path() / "t.pftrace.gz";
    const std::string message = forked([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{256, 256};  // bytes a file may have
      ::setrlimit(RLIMIT_FSIZE, &limit);
      try {
        TraceWriter writer(path, {});
        record_some(writer, records);
        writer.finish();
      } catch (const SimulationError& error) {  // exit code 1: the place is good, the disk is full
        return std::string(error.what());
      }
      return std::string("nothing was said");
    });
    CHECK(message == "cannot write the trace " + path.string() + ": File too large");
    CHECK(files_in(folder.path()) == 0);
  }
}

TEST_CASE("a run without records is a trace all the same") {
  const TemporaryFolder folder;
  TraceWriter perfetto(folder.path() / "t.pftrace", {"empty", {}});
  perfetto.finish();
  TraceWriter chrome(folder.path() / "t.json", {"empty \"quoted\"", {}});
  chrome.finish();
  CHECK(decode_perfetto(read_decompressed(folder.path() / "t.pftrace")).slices.empty());
  const DecodedTrace trace = decode_chrome(read_decompressed(folder.path() / "t.json"));
  CHECK(trace.slices.empty());
  CHECK(trace.title == "empty \"quoted\"");
}
