// Told by how a file begins: what else could be kept of it is lost where it is copied.
#include "benches/io/files/own_file.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <set>
#include <string>

#include "benches/io/files/write_file.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/shown_text.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBegin = 16'384;
constexpr std::string_view kSchemas = "\"kernbench.";
/// In documents of what was measured, however they are spaced.
constexpr std::array<std::string_view, 3> kMeasured{"kernbench.device/", R"("kind": "gpu)", R"("kind":"gpu)"};
/// How calibrated machine files say where their numbers are from.
constexpr std::string_view kCalibrated = "\n# Calibrated: ";
/// In the heads of traces: of merged ones; of simulated ones, Chrome's and Perfetto's.
constexpr std::array<std::string_view, 3> kTraceMarks{"kernbench.trace-", "\"machine_sha256\":\"",
                                                      "Times are in picoseconds, written as nanoseconds."};

/// Unpacked where it is packed; "" of what is no plain file.
std::string beginning_of(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return "";
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  std::string bytes(kBegin, '\0');
  const int read = file ? ::gzread(file.get(), bytes.data(), static_cast<unsigned>(bytes.size())) : -1;
  if (read < 0) return "?";  // not readable, so not known as ours
  bytes.resize(static_cast<std::size_t>(read));
  return bytes;
}

bool is_json(std::string_view bytes) { return bytes.starts_with('{') || bytes.starts_with('['); }

/// Without blanks, up to the first field's name, and of a schema of ours the beginning.
std::string first_field(std::string_view json) {
  std::string text;
  bool in_text = false;
  std::size_t at = 0;
  while (at < json.size() && (in_text || json[at] != ':')) {
    if (json[at] == '"') in_text = !in_text;
    if (in_text || std::isspace(static_cast<unsigned char>(json[at])) == 0) text += json[at];
    ++at;
  }
  const std::size_t value = json.find_first_not_of(": \n", at);
  const bool is_schema = value != std::string_view::npos && json.substr(value).starts_with(kSchemas);
  return is_schema ? text + std::string(kSchemas) : text;
}

std::set<std::string> columns_of(std::string_view table) {
  const std::vector<std::string> columns = split(std::string(table.substr(0, table.find_first_of("\r\n"))), ",");
  return {columns.begin(), columns.end()};
}

bool is_alike_table(std::string_view there, std::string_view bytes) {
  const std::set<std::string> old = columns_of(there);
  if (old.contains("status") && old.contains("reason") && old.contains("flags")) return true;
  const std::set<std::string> now = columns_of(bytes);
  const auto both = std::ranges::count_if(old, [&now](const std::string& column) { return now.contains(column); });
  return 2 * both >= static_cast<std::ptrdiff_t>(old.size() + now.size()) - both;
}

/// Rows of a device, or its card: no simulation brings them back.
bool is_measured(std::string_view json) {
  return std::ranges::any_of(kMeasured, [json](std::string_view mark) { return json.find(mark) != json.npos; });
}

bool begins_alike(std::string_view there, std::string_view bytes) {
  if (is_json(bytes)) return first_field(there) == first_field(bytes) && (is_measured(bytes) || !is_measured(there));
  if (bytes.starts_with('#')) return there.find(kCalibrated) != std::string_view::npos;
  return !is_json(there) && is_alike_table(there, bytes);
}

void require(bool is_ours, const fs::path& path) {
  if (is_ours) return;
  throw ConfigError(printable(path.string()) +
                    ": expected a new file, or an earlier one of the same kind that kernbench wrote, got another file; "
                    "an option without its FILE takes the word behind it");
}

}  // namespace

void require_own_file(const fs::path& path, std::string_view bytes) {
  const std::string there = beginning_of(path);
  require(there.empty() || begins_alike(there, bytes.substr(0, kBegin)), path);
}

void require_own_trace(const fs::path& path) {
  const std::string there = beginning_of(path);
  const auto has_it = [&there](std::string_view mark) { return there.find(mark) != std::string::npos; };
  require(there.empty() || (!is_own_document(path) && std::ranges::any_of(kTraceMarks, has_it)), path);
}

bool is_own_document(const fs::path& path) {
  return first_field(beginning_of(path)) == "{\"schema\"" + std::string(kSchemas);
}

void write_own_file(const fs::path& path, std::string_view bytes) {
  require_own_file(path, bytes);
  write_file(path, bytes);
}

}  // namespace kernbench
