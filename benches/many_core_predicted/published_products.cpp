#include "benches/many_core_predicted/published_products.hpp"

#include <algorithm>
#include <map>

#include "benches/io/files/source_tree.hpp"
#include "benches/io/text/csv.hpp"
#include "benches/io/text/plain_text.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {

const std::vector<ManyCoreChip>& many_core_chips() {
  static const std::vector<ManyCoreChip> kChips{{.bench = "many-core-predicted",
                                                 .name = "Wormhole n150",
                                                 .machine_file = "topology/wormhole_n150.yaml",
                                                 .folder = "benches/many_core_predicted",
                                                 .products = "benches/many_core_predicted/wormhole_n150.csv"},
                                                {.bench = "many-core-predicted-p150",
                                                 .name = "Blackhole p150",
                                                 .machine_file = "topology/blackhole_p150.yaml",
                                                 .folder = "benches/many_core_predicted_p150",
                                                 .products = "benches/many_core_predicted/blackhole_p150.csv"}};
  return kChips;
}

const std::vector<PublishedProduct>& published_products(const ManyCoreChip& chip) {
  static std::map<std::string, std::vector<PublishedProduct>> read;
  std::vector<PublishedProduct>& products = read[chip.products];
  if (!products.empty()) return products;
  for (const auto& row : csv_rows(read_file(in_source_tree(chip.products)), chip.products)) {
    products.push_back({.point = {{"way", row.at("tuned") == "yes" ? "tuned" : "out of the box"},
                                  {"m", std::stoi(row.at("m"))},
                                  {"k", std::stoi(row.at("k"))},
                                  {"n", std::stoi(row.at("n"))},
                                  {"dtype", row.at("dtype")},
                                  {"fidelity", row.at("fidelity")},
                                  {"operands", row.at("in0") == "L1" ? "A and C in L1" : "in DRAM"}},
                        .time_ns = std::stod(row.at("time_ns")),
                        .utilisation = std::stod(row.at("device_utilisation")) / 100});
  }
  return products;
}

const PublishedProduct* product_of(const std::vector<PublishedProduct>& products, const Json& point) {
  const auto found = std::ranges::find(products, point, &PublishedProduct::point);
  return found == products.end() ? nullptr : &*found;
}

std::vector<Axis> published_axes(const std::vector<PublishedProduct>& products) {
  Axis axis{.name = "product", .values = {}};
  for (const PublishedProduct& product : products) {
    std::string label;
    for (const auto& [name, value] : product.point.items()) {
      if (name == "operands") continue;
      label += (label.empty() ? "" : name == "k" || name == "n" ? "x" : " ") + plain_text(value);
    }
    axis.values.emplace_back(label, product.point);
  }
  return {axis};
}

}  // namespace kernbench
