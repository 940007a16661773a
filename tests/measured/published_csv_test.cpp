// Tables of published numbers: names, mappings, units in cells; and tables as they are found.
#include "benches/measured/reference/published_csv.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/csv.hpp"
#include "benches/measured/reference/checks.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/source_dir.hpp"

namespace fs = std::filesystem;
using kernbench::ConfigError;
using kernbench::Json;
using kernbench::parse_column_mappings;
using kernbench::PublishedRows;
using kernbench::PublishedTable;
using Lines = std::vector<std::string>;

namespace {

PublishedTable table(const std::string& bench, const std::string& columns = "", const std::string& with = "") {
  return {"a zine", bench, columns, with, {}, {}, ""};
}

PublishedRows read(const std::string& text, const PublishedTable& how) {
  return read_published_csv(text, "t.csv", how, "2026-01-31T12:00:00Z");
}

std::string message(const std::string& text, const PublishedTable& how) {
  try {
    (void)read(text, how);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

/// A table of the folder that tests may use; empty where there is none.
fs::path published(const std::string& name) {
  fs::path file = fs::path(kernbench::source_dir()) / "../shared/data/published" / name;
  if (fs::exists(file)) return file;
  MESSAGE("skipped: there is no ../shared/data/published/" << name << " beside the source tree");
  return {};
}

/// Reads a table as it is found; every row passes the checks.
PublishedRows read_found(const fs::path& file, const PublishedTable& how) {
  PublishedRows rows = read_published_csv(kernbench::read_file(file), "t.csv", how, "2026-01-31T12:00:00Z");
  CHECK(rows.findings == Lines{});
  CHECK(check_reference(rows.results, nullptr, "t.csv") == Lines{});
  return rows;
}

}  // namespace

TEST_SUITE("ADR-0026") {
  TEST_CASE("26.7 a table beyond the limits, or in another encoding, is refused with its line") {
    const auto refused = [](const std::string& text) {
      try {
        (void)kernbench::parse_csv(text, "t.csv");
        return std::string();
      } catch (const ConfigError& error) {
        return std::string(error.what());
      }
    };
    CHECK(refused("a\n" + std::string(999, ',')).empty());
    CHECK(refused("a\n" + std::string(1000, ',')) == "t.csv:2: expected at most 1000 cells in a line, got more");
    std::string lines;
    for (int i = 0; i < 1'000'000; ++i) lines += "1\n";
    CHECK(refused(lines).empty());
    CHECK(refused(lines + "1") == "t.csv:1000001: expected at most 1000000 lines, got more");
    CHECK(refused("a\ncaf\xC3\xA9\n").empty());
    CHECK(refused("a\n\x1b[31mX\n") == "t.csv:2: expected no control characters but tabs and line ends");
    CHECK(refused("a\ncaf\xE9\n") == "t.csv:2: expected text in UTF-8, got other bytes");
  }
}

TEST_SUITE("ADR-0022") {
  TEST_CASE("22.14 CSV is read as RFC 4180 has it") {
    const auto lines = kernbench::parse_csv(
        "\xEF\xBB\xBF"
        "a,\"b, \"\"c\"\"\"\r\n\n\"two\nlines\",\n",
        "t.csv");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].cells == Lines{"a", "b, \"c\""});
    CHECK(lines[1].cells == Lines{"two\nlines", ""});
    CHECK(lines[1].number == 3);
    CHECK_THROWS_WITH_AS((void)kernbench::parse_csv("a\n\"b", "t.csv"), "t.csv:2: a quote is not closed", ConfigError);
    CHECK_THROWS_WITH_AS((void)kernbench::parse_csv("\"a\"b", "t.csv"),
                         "t.csv:1: expected a comma after the closing quote, got 'b'", ConfigError);
  }

  TEST_CASE("22.14 lines below the head are rows of named cells, as many as the head has") {
    const auto rows = kernbench::csv_rows("a,b\n1,2\n3,\n", "t.csv");
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].at("b") == "2");
    CHECK(rows[1].at("b").empty());
    CHECK_THROWS_WITH_AS((void)kernbench::csv_rows("a,b\n\n1\n", "t.csv"),
                         "t.csv:3: expected 2 cells as the first line has, got 1", ConfigError);
  }

  TEST_CASE("22.14 a mapping has names, their column, a unit and a factor; only a comma before a name separates") {
    const auto mappings =
        parse_column_mappings("time_ns=t, mean (us)*1000,busbw_gbs=busbw, off[GBps],m/n/k=MxNxK[x],a=b*");
    REQUIRE(mappings.size() == 4);
    CHECK(mappings[0].column == "t, mean (us)");
    CHECK(mappings[0].factor == 1000);
    CHECK(mappings[1].column == "busbw, off");
    CHECK(mappings[1].unit == "GBps");
    CHECK(mappings[1].factor == 1);
    CHECK(mappings[2].names == Lines{"m", "n", "k"});
    CHECK(mappings[3].column == "b*");
    CHECK_THROWS_WITH_AS((void)parse_column_mappings("time_ns"),
                         "--columns: expected our_name=Their Name[unit]*factor, like time_ns=time (us)*1000, got "
                         "\"time_ns\"",
                         ConfigError);
    CHECK_THROWS_AS((void)parse_column_mappings("m/n=Shape"), ConfigError);
    CHECK_THROWS_AS((void)parse_column_mappings("time_ns=t*-1"), ConfigError);
  }

  TEST_CASE("22.14 columns that are named as ours need no mapping") {
    const auto rows = read("device,m,k,n,dtype,status,time_ns,tflops,note,flags\nG,1,2,3,bf16,ok,4.5,6,\"a, b\",x;y\n",
                           table("gpu-gemm"));
    CHECK(rows.findings == Lines{});
    REQUIRE(rows.results.rows.size() == 1);
    const auto& row = rows.results.rows[0];
    CHECK(row.point == Json{{"device", "G"}, {"m", 1}, {"k", 2}, {"n", 3}, {"dtype", "bf16"}});
    CHECK(row.metrics.json() == Json{{"time_ns", 4.5}, {"tflops", 6}, {"note", "a, b"}});
    CHECK(row.flags == Lines{"x", "y"});
    CHECK(rows.results.source.kind == "published:a zine");
    CHECK(rows.results.provenance["created_at"] == "2026-01-31T12:00:00Z");
  }

  TEST_CASE("22.14 a mapping adds to the columns that are named as ours") {
    auto rows = read("m,n,k,dtype,backend,time_us,speed\n1,2,3,bf16,x,4,5\n",
                     table("gpu-gemm", "time_ns=time_us*1000", "device=G"));
    REQUIRE(rows.results.rows.size() == 1);
    CHECK(rows.results.rows[0].point ==
          Json{{"device", "G"}, {"m", 1}, {"n", 2}, {"k", 3}, {"dtype", "bf16"}, {"backend", "x"}});
    CHECK(rows.results.rows[0].metrics.json() == Json{{"time_ns", 4000.0}});
    CHECK(rows.unused == Lines{"speed"});
    // A mapping goes before a column of that name; what it takes is not taken twice.
    rows = read("m,n,k,dtype,their_type,tflops\n1,2,3,bf16,fp16,5\n", table("gpu-gemm", "dtype=their_type,time_ns=k"));
    CHECK(rows.results.rows.at(0).point == Json{{"dtype", "fp16"}, {"m", 1}, {"n", 2}});
    CHECK(rows.results.rows.at(0).metrics.json() == Json{{"time_ns", 3}, {"tflops", 5}});
    CHECK(rows.unused == Lines{"dtype"});
    CHECK(message("m,n,k,dtype,t\n1,2,3,bf16,4\n", table("gpu-gemm", "time_ns=t", "dtype=fp16")) ==
          "--with: dtype: the table has it, in column \"dtype\"");
  }

  TEST_CASE("22.14 a name that is none of ours is refused with what to do") {
    const std::string said = message("device,speed\n", table("gpu-gemm"));
    CHECK(said.starts_with("t.csv: column \"speed\": unknown field or metric of gpu-gemm 'speed'. There are: "));
    CHECK(said.find("--columns 'time_ns=Their Name*1000,...'") != std::string::npos);
    CHECK(message("a\n", table("gpu-gemm", "tflops=b")) == "t.csv: unknown column 'b'. There are: a");
    CHECK(message("a\n", table("gpu-gemm", "tflop=a"))
              .starts_with("--columns: unknown field or metric of gpu-gemm 'tflop': did you mean"));
    CHECK(message("a\n", table("gpu-gem", "tflops=a")).starts_with("--bench: unknown bench 'gpu-gem': did you mean"));
    CHECK(message("a\n", table("gpu-gemm", "tflops=a", "size=3"))
              .starts_with("--with: unknown field or metric of gpu-gemm 'size'"));
    CHECK(message("m,m\n", table("gpu-gemm", "tflops=m")) == "t.csv: column \"m\" is there twice");
    CHECK(message("dtype,tflops\n", table("gpu-gemm", "", "dtype=fp16")) ==
          "--with: dtype: the table has it, in column \"dtype\"");
    CHECK(message("", table("gpu-gemm")) == "t.csv: is empty: expected a line of column names, then a line a row");
    PublishedTable how = table("gpu-gemm", "tflops=a");
    how.values = {"dtype=x"};
    CHECK(message("a\n", how) == "--value: expected field:their text=our text, got \"dtype=x\"");
  }

  TEST_CASE("22.14 a unit is taken off where the mapping names it, and must be there") {
    const std::string text = "d,bw\nA,673.2GBps\n";
    auto rows = read(text, table("gpu-collectives", "device=d,busbw_gbs=bw[GBps]"));
    CHECK(rows.findings == Lines{});
    CHECK(rows.results.rows.at(0).metrics.json()["busbw_gbs"] == 673.2);
    rows = read(text, table("gpu-collectives", "device=d,busbw_gbs=bw"));
    CHECK(rows.findings == Lines{"t.csv:2: bw: expected a number, got \"673.2GBps\""});
    rows = read("d,bw\nA,673.2\n", table("gpu-collectives", "device=d,busbw_gbs=bw[GBps]"));
    CHECK(rows.findings == Lines{"t.csv:2: bw: expected a number with GBps at its end, got \"673.2\""});
  }

  TEST_CASE("22.14 cells: several numbers, no value, texts of theirs, what is no number, too few of them") {
    PublishedTable how = table("gpu-gemm", "device=d,m/n/k=s[x],dtype=t,tflops=p", "backend=theirs");
    how.no_value = {"?"};
    how.values = {"dtype:BF16=bf16"};
    const auto rows = read(
        "d,s,t,p,u\nA,1x2x3,BF16,5,\nB,?,BF16,6,\nC,1x2,BF16,7,\nD,1x2x3,BF16,?,\nE,1x2x3,BF16\n"
        "F,1x2x3,BF16,nan,\n",
        how);
    REQUIRE(rows.results.rows.size() == 3);  // the third with its finding
    CHECK(rows.results.rows[0].point ==
          Json{{"backend", "theirs"}, {"device", "A"}, {"m", 1}, {"n", 2}, {"k", 3}, {"dtype", "bf16"}});
    CHECK_FALSE(rows.results.rows[1].point.contains("m"));
    CHECK(rows.findings == Lines{"t.csv:4: s: expected 3 numbers with x between them, got \"1x2\"",
                                 "t.csv:6: expected 5 cells as the first line has, got 3",
                                 "t.csv:7: p: expected a number, got \"nan\""});
    CHECK(rows.left_out == Lines{"t.csv:5: no result", "t.csv:7: no result"});
    CHECK(rows.unused == Lines{"u"});
  }

  TEST_CASE("22.14 tables of all_reduce as they are found") {
    const fs::path file = published("allreduce_busbw.csv");
    if (file.empty()) return;
    const auto rows = read_found(file, table("gpu-collectives",
                                             "device=system,gpus=n_ranks,bytes=bytes,time_ns=time_us*1000,"
                                             "algbw_gbs=algbw_GBps,busbw_gbs=busbw_GBps,note=note",
                                             "collective=all_reduce"));
    REQUIRE(rows.results.rows.size() == 80);
    CHECK(rows.results.rows[0].metrics.json()["time_ns"] == doctest::Approx(43830));
    CHECK(rows.results.rows[0].metrics.json()["busbw_gbs"] == 1.31);
  }

  TEST_CASE("22.14 tables with units in their cells as they are found") {
    const fs::path file = published("h200_nvls_vs_ring_8GiB.csv");
    if (file.empty()) return;
    const auto rows = read_found(file, table("gpu-collectives", "gpus=GPUs,busbw_gbs=busbw, NVLS off[GBps]",
                                             "collective=all_reduce,bytes=8589934592,device=H200,setting=nvls_off"));
    REQUIRE(rows.results.rows.size() == 5);
    CHECK(rows.results.rows[4].metrics.json()["busbw_gbs"] == 365.6);
    CHECK(rows.results.rows[4].point["bytes"] == 8589934592);
  }

  TEST_CASE("22.14 tables of achievable TFLOPS as they are found") {
    const fs::path file = published("mamf_fp8.csv");
    if (file.empty()) return;
    const auto rows =
        read_found(file, table("gpu-gemm",
                               "device=Accelerator,tflops=MAMF,tflops_theory=Theory,peak_fraction=Efficiency[%]*0.01,"
                               "m/n/k=Best Shape MxNxK[x],software=torch version,note=Notes",
                               "dtype=fp8_e4m3"));
    CHECK(rows.results.rows.size() == 8);
    CHECK(rows.left_out.size() == 1);  // one has not been measured
    CHECK(rows.results.rows[5].point["device"] == "NVIDIA H200 SXM");
    CHECK(rows.results.rows[5].metrics.json()["peak_fraction"] == doctest::Approx(0.734));
  }

  TEST_CASE("22.14 tables of data sheets' peaks as they are found") {
    const fs::path compute = published("peak_tflops_spec.csv");
    const fs::path memory = published("memory_bandwidth.csv");
    if (compute.empty() || memory.empty()) return;
    PublishedTable how =
        table("gpu-peaks", "device=Accelerator \\ TFLOPS,tflops_fp32=fp32,tflops_bf16=bf16", "peak=compute");
    how.no_value = {"?", "X", "V"};
    CHECK(read_found(compute, how).results.rows.size() == 24);
    how = table("gpu-peaks", "device=Accelerator,memory_gbs=Peak<br>Bandwidth<br>(TBps)*1000", "peak=memory");
    const auto rows = read_found(memory, how);
    CHECK(rows.results.rows.size() == 23);
    CHECK(rows.results.rows[8].metrics.json()["memory_gbs"] == doctest::Approx(4800));
  }
}
