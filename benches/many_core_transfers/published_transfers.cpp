#include "benches/many_core_transfers/published_transfers.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "benches/io/files/source_tree.hpp"
#include "benches/io/text/csv.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {
namespace {

std::vector<std::map<std::string, std::string>> table(const std::string& name) {
  const std::string file = "benches/many_core_transfers/" + name;
  return csv_rows(read_file(in_source_tree(file)), file);
}

std::vector<PublishedTransfer> read_transfers() {
  std::vector<PublishedTransfer> transfers;
  for (const auto& row : table("wormhole_n150.csv")) {
    transfers.push_back({.point = {{"pattern", row.at("pattern")},
                                   {"transactions", std::stoi(row.at("transactions"))},
                                   {"bytes", std::stoi(row.at("bytes_per_transaction"))}},
                         .cycles = std::stoll(row.at("cycles"))});
  }
  for (const auto& row : table("wormhole_n150_dram.csv")) {
    const bool one = row.at("dram_channels") == "1";
    const std::string cores = one ? "of one channel" : "placed " + row.at("pairing");
    transfers.push_back({.point = {{"pattern", "DRAM " + row.at("direction") + " " + cores},
                                   {"channels", std::stoi(row.at("dram_channels"))},
                                   {"cores", std::stoi(row.at("tensix_tiles"))},
                                   {"vc", row.at("vc")},
                                   {"noc", std::stoi(row.at("noc"))}},
                         .rate_gbs = std::stod(row.at("gb_s"))});
  }
  return transfers;
}

}  // namespace

bool PublishedTransfer::fitted() const {
  static const std::set<std::string> kPatterns = {"unicast write", "DRAM read", "DRAM write"};
  static const std::set<int> kTransactions = {1, 64};
  static const std::set<int> kBytes = {32, 512, 8192};
  return !by_placement() && kPatterns.contains(point.at("pattern")) &&
         kTransactions.contains(point.at("transactions")) && kBytes.contains(point.at("bytes"));
}

const std::vector<PublishedTransfer>& published_transfers() {
  static const std::vector<PublishedTransfer> kTransfers = read_transfers();
  return kTransfers;
}

const PublishedTransfer& published_transfer(const Json& point) {
  const auto found = std::ranges::find(published_transfers(), point, &PublishedTransfer::point);
  if (found == published_transfers().end()) throw std::out_of_range("no transfer was published of " + point.dump());
  return *found;
}

std::string words_of_transfer(const Json& point) {
  const auto pattern = point.at("pattern").get<std::string>();
  if (point.contains("bytes")) return pattern + " " + point.at("transactions").dump() + "x" + point.at("bytes").dump();
  return pattern + " " + point.at("cores").dump() + " cores " + point.at("vc").get<std::string>() + " vc noc" +
         point.at("noc").dump();
}

std::vector<Axis> published_transfer_axes() {
  Axis transfers{.name = "transfer", .values = {}};
  for (const PublishedTransfer& transfer : published_transfers()) {
    transfers.values.emplace_back(words_of_transfer(transfer.point), transfer.point);
  }
  return {transfers};
}

std::vector<std::string> transfer_patterns() {
  std::vector<std::string> patterns;
  for (const PublishedTransfer& transfer : published_transfers()) {
    if (transfer.by_placement()) continue;
    const auto pattern = transfer.point.at("pattern").get<std::string>();
    if (std::ranges::find(patterns, pattern) == patterns.end()) patterns.push_back(pattern);
  }
  return patterns;
}

}  // namespace kernbench
