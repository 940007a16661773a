// The worked example of docs/announced-times.md: the same two units, written the obvious way and with announced times.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "sim/base/source_dir.hpp"
#include "sim/engine/process.hpp"
#include "sim/engine/queue.hpp"
#include "tests/support/forked.hpp"

using namespace kernbench;

namespace {

constexpr Picoseconds kFetch{10};
constexpr Picoseconds kMultiply{16};
constexpr int kTiles = 3;

// Obvious: a unit is busy, and then hands on what it has done.
Process fetch_awake(Calendar& calendar, Queue<int>& in, Queue<int>& out) {
  for (;;) {
    const int tile = co_await in.pop();
    co_await calendar.delay(kFetch);
    out.push(tile);
  }
}

Process multiply_awake(Calendar& calendar, Queue<int>& in, std::string& log) {
  for (;;) {
    const int tile = co_await in.pop();
    log += "tile " + std::to_string(tile) + " at " + std::to_string(calendar.now().value) + "\n";
    co_await calendar.delay(kMultiply);
  }
}

// Announced: a unit knows when it will be done, says so at once, and asks for the next tile for when it is free.
Process fetch_announced(Calendar& calendar, Queue<int>& in, Queue<int>& out) {
  for (Picoseconds free_at{};;) {
    const int tile = co_await in.pop(free_at);
    free_at = calendar.now() + kFetch;
    out.push(tile, free_at);
  }
}

Process multiply_announced(Calendar& calendar, Queue<int>& in, std::string& log) {
  for (Picoseconds free_at{};;) {
    const int tile = co_await in.pop(free_at);
    log += "tile " + std::to_string(tile) + " at " + std::to_string(calendar.now().value) + "\n";
    free_at = calendar.now() + kMultiply;
  }
}

/// When the array takes each tile, and how many wake-ups that took.
std::string run(bool announced) {
  return forked([announced] {
    Calendar calendar("calendar");
    Queue<int> tiles(calendar, "tiles");
    Queue<int> operands(calendar, "operands");
    std::string log;
    Process fetch = announced ? fetch_announced(calendar, tiles, operands) : fetch_awake(calendar, tiles, operands);
    Process multiply =
        announced ? multiply_announced(calendar, operands, log) : multiply_awake(calendar, operands, log);
    for (int tile = 0; tile < kTiles; ++tile) tiles.push(tile);
    fetch.start(calendar);
    multiply.start(calendar);
    calendar.run();
    return log + std::to_string(calendar.wakeups()) + " wake-ups\n";
  });
}

}  // namespace

TEST_SUITE("ADR-0001") {
  TEST_CASE("1.4 the worked example: both ways give the same times, announced ones for fewer wake-ups") {
    const std::string awake = run(false);
    const std::string announced = run(true);
    CHECK(awake == "tile 0 at 10\ntile 1 at 26\ntile 2 at 42\n9 wake-ups\n");
    CHECK(announced == "tile 0 at 10\ntile 1 at 26\ntile 2 at 42\n7 wake-ups\n");
    std::ifstream file(kernbench::source_dir() + "/docs/announced-times.md");
    std::stringstream page;
    page << file.rdbuf();
    for (const std::string& shown : {awake, announced}) CHECK(page.str().find("\n" + shown) != std::string::npos);
  }
}
