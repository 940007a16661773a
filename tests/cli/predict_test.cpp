// `kernbench reference predict`: what it prints, writes and refuses.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/json.hpp"
#include "tests/cli/program.hpp"

using kernbench::Json;

namespace {

/// 100 TFLOPS and a launch of 2 µs, at 125 shapes; a column less or a wrong cell where a test says so.
std::string made_up_times(const std::string& head = "m,n,k,dtype,time_ns", const std::string& last = "") {
  std::string text = head + "\n";
  const std::vector<int> sizes{256, 384, 512, 768, 1024};
  for (const int m : sizes) {
    for (const int n : sizes) {
      for (const int k : sizes) {
        text += std::to_string(m) + "," + std::to_string(n) + "," + std::to_string(k) + ",bf16," +
                std::to_string(2.0 * m * n * k / 1e5 + 2000) + "\n";
      }
    }
  }
  return text + last;
}

struct PredictDesk {
  Workplace place;

  PredictDesk() { put("times.csv", made_up_times()); }
  void put(const std::string& name, const std::string& text) const { kernbench::write_file(place.path() / name, text); }
  [[nodiscard]] Ended predict(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"reference", "predict"});
    return place.run(kProgram, arguments);
  }
  [[nodiscard]] Ended tflops(const std::string& m, const std::string& dtype = "bf16") const {
    return predict({"tflops", "--m", m, "--n", "640", "--k", "512", "--dtype", dtype, "--from", "times.csv"});
  }
};

}  // namespace

TEST_SUITE("ADR-0046") {
  TEST_CASE("46.7 tflops: inside the range a prediction, outside it exit code 2 with range and nearest row") {
    const PredictDesk desk;
    const Ended inside = desk.predict(
        {"tflops", "--m", "640", "--n", "640", "--k", "512", "--dtype", "bf16", "--from", "times.csv", "--json"});
    REQUIRE_MESSAGE(inside.exit_code == 0, inside.err);
    const Json row = Json::parse(inside.out).at("rows").at(0);
    const double expected = 2.0 * 640 * 640 * 512 / 1e5 + 2000;
    CHECK(row.at("metrics").at("time_ns").get<double>() == doctest::Approx(expected).epsilon(0.15));
    CHECK(row.at("metrics").at("low_ns") < row.at("metrics").at("high_ns"));

    const Ended outside = desk.tflops("1025");
    CHECK(outside.exit_code == 2);
    CHECK(outside.out.empty());
    CHECK_MESSAGE(has(outside.err, "--m 1025: expected 256..1024"), outside.err);
    CHECK_MESSAGE(has(outside.err, "the nearest row is m=1024 n=768 k=512 bf16"), outside.err);
    const Ended unknown = desk.tflops("640", "fp16");
    CHECK(unknown.exit_code == 2);
    CHECK_MESSAGE(has(unknown.err, "there are no rows of fp16: nothing is known of it. Dtypes there are: bf16"),
                  unknown.err);
  }

  TEST_CASE("46.4 error: the same command says the same, as tables and as a document") {
    const PredictDesk desk;
    const Ended first = desk.predict({"error", "times.csv", "--json", "errors.json"});
    REQUIRE_MESSAGE(first.exit_code == 0, first.err);
    CHECK(has(first.out, "125 rows, held out by shape"));
    CHECK(widest_line(first.out) <= 80);
    const Ended again = desk.predict({"error", "times.csv", "--json"});
    CHECK(again.out == kernbench::read_file(desk.place.path() / "errors.json"));
    const Json rows = Json::parse(again.out).at("rows");
    CHECK(rows.at(0).at("metrics").at("median_error") < 0.1);
    const Ended table = desk.predict({"error", "times.csv", "--csv"});
    CHECK(has(table.out, ",dtype,bf16,ok,"));
    CHECK(desk.predict({"error", "times.csv", "--seed", "2", "--json"}).out != again.out);
  }

  TEST_CASE("46.10 the figure has the held-out rows that are not refused, and no others") {
    const PredictDesk desk;
    const Ended ended = desk.predict({"error", "times.csv", "--group", "m", "--out", "out"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    const auto read = [&desk](const char* name) {
      return Json::parse(kernbench::read_file(desk.place.path() / "out" / name));
    };
    const Json spec = read("figures/held_out.vl.json");
    const Json dots = spec.at("layer").at(1).at("data").at("values");
    CHECK(dots.size() == 75);  // m of 256 and 1024 are outside of the others' range
    const Json held_out = read("tables/held_out.json").at("rows");
    CHECK(held_out.size() == 125);
    for (const Json& row : held_out) {
      const Json& point = row.at("point");
      const bool refused = point.at("m") == 256 || point.at("m") == 1024;
      CHECK(row.at("status") == (refused ? "skipped" : "ok"));
      const double flop = 2.0 * point.at("m").get<double>() * point.at("n").get<double>() * point.at("k").get<double>();
      const bool drawn = std::ranges::any_of(dots, [&](const Json& dot) {
        return dot.at("actual").get<double>() ==
                   doctest::Approx(flop / row.at("metrics").at("time_ns").get<double>() / 1e3) &&
               !refused &&
               dot.at("predicted").get<double>() ==
                   doctest::Approx(flop / row.at("metrics").at("predicted_ns").get<double>() / 1e3);
      });
      CHECK(drawn == !refused);
    }
    for (const auto& layer : spec.at("layer")) {
      for (const char* axis : {"x", "y"}) {
        CHECK(layer.at("encoding").at(axis).at("scale") == spec.at("layer").at(0).at("encoding").at("x").at("scale"));
        CHECK(layer.at("encoding").at(axis).at("scale").at("type") == "log");
      }
    }
    CHECK(std::filesystem::exists(desk.place.path() / "out/figures/held_out.svg"));
    CHECK(std::filesystem::exists(desk.place.path() / "out/index.html"));
  }

  TEST_CASE("46.10 where all held-out rows are refused there is no figure, and the tables are written") {
    const PredictDesk desk;
    desk.put("two.csv", "m,n,k,dtype,time_ns\n256,256,256,bf16,2400\n256,256,1024,bf16,3400\n");
    const Ended ended = desk.predict({"error", "two.csv", "--out", "out"});
    REQUIRE_MESSAGE(ended.exit_code == 0, ended.err);
    CHECK(std::filesystem::exists(desk.place.path() / "out/tables/errors.json"));
    CHECK(std::filesystem::exists(desk.place.path() / "out/index.html"));
    CHECK(!std::filesystem::exists(desk.place.path() / "out/figures/held_out.svg"));
  }

  TEST_CASE("46.1 bad input is refused with file, row and column") {
    const PredictDesk desk;
    const auto refused = [&desk](const std::string& text, const std::vector<std::string>& more = {}) {
      desk.put("bad.csv", text);
      std::vector<std::string> arguments{"error", "bad.csv"};
      arguments.insert(arguments.end(), more.begin(), more.end());
      const Ended ended = desk.predict(arguments);
      CHECK(ended.exit_code == 2);
      return ended.err;
    };
    CHECK(has(refused(made_up_times("m,n,k,dtype,time_ns", "8,8,8,bf16,soon\n")),
              "bad.csv:127: time_ns: expected a number, got \"soon\""));
    CHECK(has(refused(made_up_times("m,n,k,dtype,time_ns", "8,8,8,bf16,-5\n")),
              "bad.csv: rows[125] (m=8 n=8 k=8 dtype=bf16): time_ns: expected a number above 0, got -5"));
    CHECK(has(refused(made_up_times("m,n,k,dtype,took")), "bad.csv: column \"took\": unknown field or metric"));
    CHECK(has(refused(made_up_times(), {"--only", "dtype=fp8"}), "--only: dtype: unknown value 'fp8'"));
    CHECK(has(refused(made_up_times(), {"--peaks", "none.json"}), "none.json"));
    CHECK(has(refused(made_up_times("m,n,k,dtype,time_ns", "8,8,8,bf16,1e308\n")),
              "(m=8 n=8 k=8 dtype=bf16): time_ns: expected 0.001 to 1e+15 ns, got 1e+308"));
    CHECK(has(refused(made_up_times("m,n,k,dtype,time_ns", "1000000,1000000,1000000,bf16,4\n")),
              "time_ns: makes 5e+14 TFLOPS of its shape: expected at most 1e+09"));
    CHECK(has(refused("m,n,k,dtype,time_ns,tflops\n512,512,512,bf16,2684,0.7\n"),
              "tflops: is 0.7, and its time_ns makes 100 of its shape: which unit is wrong?"));
    desk.put("times.txt", made_up_times());
    const Ended text = desk.predict({"error", "times.txt"});
    CHECK(text.exit_code == 2);
    CHECK(has(text.err,
              "times.txt: expected results that a run or a GPU wrote (.json, or their folder), or a table (.csv)"));
    CHECK(has(refused("m,n,k,dtype\n512,512,512,bf16\n"), "bad.csv: expected rows with time_ns or tflops, got none"));
    desk.put("times.csv", made_up_times());
    const Ended itself = desk.predict({"error", "times.csv", "--simulated", "./times.csv"});
    CHECK(itself.exit_code == 2);
    CHECK(has(itself.err, "--simulated ./times.csv: these are the rows themselves"));
    desk.put("blank.csv", made_up_times("m,n,k,dtype,time_ns", "8,8,8,bf16,\n"));
    CHECK(has(desk.predict({"error", "blank.csv"}).out, "1 row failed or skipped are left out"));
    const Ended mapped = desk.predict({"error", "times.csv", "--columns", "m=m,n=n,k=k,dtype=dtype,time_ns=time_ns*1"});
    CHECK(mapped.exit_code == 0);
  }
}
