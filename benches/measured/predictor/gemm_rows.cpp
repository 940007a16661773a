// Files to results, results to rows; then what tells kinds apart.
#include "benches/measured/predictor/gemm_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "benches/io/text/plain_text.hpp"
#include "benches/measured/reference/allowed_rows.hpp"
#include "benches/measured/reference/checked_row.hpp"
#include "benches/measured/reference/published_csv.hpp"
#include "benches/results/rows/store.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr double kLargestSize = 1e9;  // of m, n, k: their product is far from where a double rounds
constexpr double kShortestNs = 1e-3;
constexpr double kLongestNs = 1e15;  // twelve days
constexpr double kMostTflops = 1e9;  // a thousand times the largest machines
constexpr std::array<const char*, 3> kTileMetrics{"tile_m", "tile_k", "tile_n"};

Results read_table(const fs::path& file, const std::string& columns) {
  const PublishedTable table{.where = file.stem().string(),
                             .bench = "gpu-gemm",
                             .columns = columns,
                             .with = "",
                             .values = {},
                             .no_value = {},
                             .citation = ""};
  PublishedRows read = read_published_csv(read_file(file), file.string(), table, "");
  if (!read.findings.empty()) throw ConfigError(joined(read.findings, "\n"));
  if (read.results.rows.empty()) {
    throw ConfigError(file.string() +
                      ": expected rows with time_ns or tflops, got none; where that column has another name: --columns "
                      "time_ns=THEIRS");
  }
  for (const std::string& line : read.left_out) {
    Row row;
    row.status = "skipped";
    row.reason = line;
    read.results.rows.push_back(std::move(row));
  }
  return std::move(read.results);
}

/// What `--with` says, in rows that do not say it themselves.
void add_fields(Results& results, const std::string& with) {
  if (with.empty()) return;
  for (const auto& [name, value] : parse_fixed_values(with)) {
    for (Row& row : results.rows) {
      if (!row.point.contains(name)) row.point[name] = value;
    }
  }
}

/// A row of one file, and where it stands.
class RowReader {
 public:
  RowReader(const Row& row, std::string place) : row_(row), place_(std::move(place)) {}

  [[nodiscard]] GemmRow read() const {
    GemmRow read;
    read.m = size("m");
    read.n = size("n");
    read.k = size("k");
    const auto dtype = row_.point.find("dtype");
    if (dtype == row_.point.end()) {
      throw ConfigError(place_ + ": dtype: is missing; where all rows have the same, say it: --with dtype=bf16");
    }
    read.dtype = parse_dtype(plain_text(*dtype), place_ + ": dtype");
    const double time_ns = positive("time_ns");
    const double tflops = time_ns > 0 ? 0 : positive("tflops");
    if (time_ns <= 0 && tflops <= 0) {
      throw ConfigError(place_ + ": time_ns: is missing, and so is tflops: expected one of them");
    }
    read.time_ns = time_ns > 0 ? time_ns : read.flops() / tflops / 1e3;
    expect_plausible(read, positive("tflops"));
    return read;
  }

 private:
  [[noreturn]] void expected(const std::string& name, const std::string& what, const Json& value) const {
    throw ConfigError(place_ + ": " + name + ": expected " + what + ", got " + value.dump());
  }
  [[nodiscard]] std::int64_t size(const char* name) const {
    const auto value = row_.point.find(name);
    if (value == row_.point.end()) {
      throw ConfigError(place_ + ": " + name + ": is missing: expected rows of GEMMs, which have m, n and k");
    }
    if (!value->is_number_integer() || *value < 1 || *value > kLargestSize) {
      expected(name, "a whole number from 1 to 1,000,000,000", *value);
    }
    return value->get<std::int64_t>();
  }
  /// Slips of units end here, before a model learns from them. `told` is what the row calls its TFLOPS; 0 of none.
  void expect_plausible(const GemmRow& read, double told) const {
    if (read.time_ns < kShortestNs || read.time_ns > kLongestNs) {
      expected("time_ns", formatted("%g", kShortestNs) + formatted(" to %g ns", kLongestNs), read.time_ns);
    }
    if (read.tflops() > kMostTflops) {
      throw ConfigError(place_ + formatted(": time_ns: makes %.3g TFLOPS", read.tflops()) +
                        formatted(" of its shape: expected at most %g", kMostTflops));
    }
    if (told > 0 && (told > 2 * read.tflops() || read.tflops() > 2 * told)) {
      throw ConfigError(place_ + formatted(": tflops: is %.4g,", told) +
                        formatted(" and its time_ns makes %.4g of its shape: which unit is wrong?", read.tflops()));
    }
  }
  /// 0 where the row has no such metric.
  [[nodiscard]] double positive(const char* name) const {
    const auto value = row_.metrics.json().find(name);
    if (value == row_.metrics.json().end()) return 0;
    if (!value->is_number() || !(value->get<double>() > 0)) expected(name, "a number above 0", *value);
    return value->get<double>();
  }

  const Row& row_;
  std::string place_;
};

std::vector<std::int64_t> tile_of(const Row& row) {
  std::vector<std::int64_t> tile;
  for (const char* name : kTileMetrics) {
    const auto value = row.metrics.json().find(name);
    if (value == row.metrics.json().end() || !value->is_number_integer() || *value < 1) return {};
    tile.push_back(value->get<std::int64_t>());
  }
  return tile;
}

/// Rows with their kinds, which are found by their fields.
class Collector {
 public:
  void add(const Results& results, const std::string& file, bool several_files) {
    read_.sources.push_back(results.bench + " of " + results.source.kind +
                            (results.source.machine.empty() ? "" : " " + results.source.machine) + " (" + file + ")");
    for (std::size_t i = 0; i < results.rows.size(); ++i) {
      const Row& row = results.rows[i];
      if (row.status != "ok") {
        ++read_.left_out;
        continue;
      }
      const std::string place = file + ": rows[" + std::to_string(i) + "] (" + point_in_words(row.point) + ")";
      read_.rows.push_back(RowReader(row, place).read());
      Json fields = row.point;
      for (const char* name : {"m", "n", "k", "dtype"}) fields.erase(name);
      if (several_files) fields["source"] = results.source.kind + " " + results.source.machine;
      read_.rows.back().kind = place_of(fields, tile_of(row));
    }
  }

  GemmRows finished() {
    name_kinds();
    return std::move(read_);
  }

 private:
  std::size_t place_of(const Json& fields, const std::vector<std::int64_t>& tile) {
    const auto [known, is_new] = places_.emplace(fields.dump(), read_.kinds.size());
    if (is_new) {
      read_.kinds.push_back({"", fields, tile});
    } else if (read_.kinds[known->second].tile != tile) {
      read_.kinds[known->second].tile.clear();  // it differs from row to row: a new shape's is not known
    }
    return known->second;
  }

  /// By the fields in which they differ.
  void name_kinds() {
    for (GemmKind& kind : read_.kinds) {
      std::vector<std::string> parts;
      for (const auto& [name, value] : kind.fields.items()) {
        const auto same = [&name = name, &value = value](const GemmKind& other) {
          return other.fields.contains(name) && other.fields.at(name) == value;
        };
        if (!std::ranges::all_of(read_.kinds, same)) parts.push_back(name + "=" + plain_text(value));
      }
      kind.name = joined(parts, " ");
    }
  }

  GemmRows read_;
  std::map<std::string, std::size_t> places_;  ///< of kinds, by their fields
};

}  // namespace

double GemmRow::flops() const { return 2 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }

double GemmRow::bytes() const {
  const auto size = [](std::int64_t rows, std::int64_t columns, Dtype of) {
    return static_cast<double>(rows) * static_cast<double>(columns) * bytes_each(of);
  };
  return size(m, k, dtype) + size(k, n, dtype) + size(m, n, result_of(dtype));
}

fs::path gemm_rows_file(const fs::path& path) {
  if (!fs::is_directory(path)) return path;
  for (const char* name : {"results.json", "gemm.json"}) {
    if (fs::exists(path / name)) return path / name;
  }
  throw ConfigError(path.string() + ": expected a folder with results.json or gemm.json");
}

GemmRows read_gemm_rows(const GemmRowsToRead& asked) {
  std::vector<Results> all;
  std::vector<std::string> files;
  for (const fs::path& path : asked.paths) {
    const fs::path file = gemm_rows_file(path);
    if (file.extension() != ".csv" && file.extension() != ".json") {
      throw ConfigError(file.string() +
                        ": expected results that a run or a GPU wrote (.json, or their folder), or a table (.csv)");
    }
    all.push_back(file.extension() == ".csv" ? read_table(file, asked.columns) : read_results(file));
    add_fields(all.back(), asked.with);
    files.push_back(file.string());
  }
  const AllowedRows allowed("--only", asked.only);
  allowed.require_known(all);
  Collector collector;
  for (std::size_t i = 0; i < all.size(); ++i) {
    allowed.keep(all[i]);
    collector.add(all[i], files[i], all.size() > 1);
  }
  GemmRows read = collector.finished();
  if (read.rows.empty()) throw ConfigError(joined(files) + ": expected rows that are ok, got none");
  return read;
}

std::string words_of(const GemmRow& row, const GemmRows& rows) {
  const std::string& kind = rows.kinds[row.kind].name;
  return "m=" + std::to_string(row.m) + " n=" + std::to_string(row.n) + " k=" + std::to_string(row.k) + " " +
         std::string(name_of(row.dtype)) + (kind.empty() ? "" : " " + kind);
}

Results results_about(const GemmRows& rows, const std::string& what) {
  Results results;
  results.bench = what;
  results.source = {"predictor", "", "", "", "1"};
  results.provenance = {{"rows", rows.sources}};
  return results;
}

Row row_about(const GemmRow& row, const GemmRows& rows) {
  Row about;
  about.point = {{"m", row.m}, {"k", row.k}, {"n", row.n}, {"dtype", std::string(name_of(row.dtype))}};
  for (const auto& [name, value] : rows.kinds[row.kind].fields.items()) about.point[name] = value;
  return about;
}

}  // namespace kernbench
