// Reading a file ends: with its bytes, or with what is wrong with it.
#include "sim/base/read_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <string>

#include "sim/base/errors.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace kernbench;

namespace {

std::string refused(const std::filesystem::path& path, std::size_t most = kLargestFile) {
  try {
    static_cast<void>(read_file(path, most));
    return "";
  } catch (const ConfigError& error) {
    return error.what();
  }
}

}  // namespace

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.5 a pipe, a device, a folder and what is not there are refused, and nothing waits") {
    const TemporaryFolder folder;
    const std::string pipe = folder.path() / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    CHECK(refused(pipe) == "cannot read " + pipe + ": expected a file, got a pipe; write it to a file first");
    CHECK(refused("/dev/zero") == "cannot read /dev/zero: expected a file, got a device or a socket");
    CHECK(refused(folder.path()).ends_with(": expected a file, got a folder"));
    CHECK(refused(folder.path() / "none").ends_with("/none: No such file or directory"));
  }

  TEST_CASE("26.5 a file is read whole up to the limit, and refused one byte later") {
    const TemporaryFolder folder;
    const std::string path = folder.path() / "file";
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65'536}, std::size_t{100'000}}) {
      const std::string bytes(size, '\0');
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      CHECK(read_file(path, size) == bytes);
      if (size > 0) CHECK(refused(path, size - 1).find(": expected at most ") != std::string::npos);
    }
    CHECK(refused(path, 64 * 1024) == "cannot read " + path + ": expected at most 64 KiB, got a larger file");
  }
}
