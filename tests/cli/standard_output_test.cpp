// What a command prints arrives, or the command fails.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "benches/io/files/write_file.hpp"
#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

namespace {

Ended shell(const Workplace& place, const std::string& command) { return place.run("/bin/sh", {"-c", command}); }

}  // namespace

TEST_SUITE("ADR-0010") {
  TEST_CASE("10.12 a command whose output cannot be written fails, whatever it prints") {
    const Workplace place;
    for (const char* command :
         {"reference show nvidia-h200 gpu-gemm --csv", "reference list", "topology schema", "topology check",
          "list --json", "sim gemm --m 32 --k 64 --n 32 --variant ref_ref --json", "probe --help", "--version"}) {
      const Ended full = shell(place, "'" + kProgram + "' " + command + " > /dev/full");
      CAPTURE(command);
      CHECK(full.exit_code == 1);
      CHECK_MESSAGE(has("\n" + full.err, "\nerror: cannot write to standard output: "), full.err);  // behind notes
      CHECK(shell(place, "'" + kProgram + "' " + command + " > /dev/null").exit_code == 0);
    }
  }

  TEST_CASE("10.12 a limit on the size of files fails the write, with a message, and leaves nothing") {
    const Workplace place;
    const Ended limited =
        shell(place, "ulimit -f 1; '" + kProgram + "' sim gemm --m 32 --k 64 --n 32 --json results.json");
    CHECK(limited.exit_code == 1);
    CHECK_MESSAGE(limited.err.find("error: cannot write results.json: File too large") == 0, limited.err);
    for (const auto& entry : fs::directory_iterator(place.path())) {
      CHECK(entry.path().filename().string().find("results") == std::string::npos);
    }
  }

  TEST_CASE("10.12 wrong input stays wrong input, and results are written whatever becomes of the table") {
    const Workplace place;
    CHECK(shell(place, "'" + kProgram + "' topology show nowhere.yaml > /dev/full").exit_code == 2);
    CHECK(shell(place, "'" + kToy + "' run --bench toy-steps > /dev/full").exit_code == 1);
    CHECK(fs::exists(place.path() / "out/toy-steps/results.json"));
    CHECK(shell(place, "'" + kToy + "' run --bench toy-steps --quiet > /dev/full").exit_code == 0);
  }

  TEST_CASE("10.12 a closed standard output is an error, and no file takes its place") {
    const Workplace place;
    const Ended closed = shell(place, "'" + kToy + "' run --bench toy-steps --only size=1 --no-provenance >&-");
    CHECK(closed.exit_code == 1);
    CHECK_MESSAGE(closed.err.find("\nerror: cannot write to standard output: ") != std::string::npos, closed.err);
    for (const char* file : {"results.json", "theory.csv"}) {
      CHECK(kernbench::read_file(place.path() / "out/toy-steps" / file).find("written:") == std::string::npos);
    }
  }

  TEST_CASE("10.12 a reader that goes away ends a command as it ends every other") {
    const Workplace place;
    const auto status_of = [&place](const std::string& prologue) {
      shell(place, "{ " + prologue + "sleep 0.3; '" + kProgram + "' topology schema; echo $? > status; } | true");
      for (int i = 0; i < 500 && !fs::exists(place.path() / "status"); ++i) shell(place, "sleep 0.02");
      std::string status = kernbench::read_file(place.path() / "status");
      fs::remove(place.path() / "status");
      return status;
    };
    CHECK(status_of("") == "141\n");              // killed by SIGPIPE
    CHECK(status_of("trap '' PIPE; ") == "1\n");  // where that is ignored: an error
  }
}
