#include "benches/many_core_predicted/published_products.hpp"

#include <algorithm>

#include "benches/io/files/source_tree.hpp"
#include "benches/io/text/csv.hpp"
#include "benches/io/text/plain_text.hpp"
#include "sim/base/read_file.hpp"

namespace kernbench {
namespace {

std::vector<PublishedProduct> read_products() {
  const std::string file = "benches/many_core_predicted/wormhole_n150.csv";
  std::vector<PublishedProduct> products;
  for (const auto& row : csv_rows(read_file(in_source_tree(file)), file)) {
    products.push_back({.point = {{"way", row.at("tuned") == "yes" ? "tuned" : "out of the box"},
                                  {"m", std::stoi(row.at("m"))},
                                  {"k", std::stoi(row.at("k"))},
                                  {"n", std::stoi(row.at("n"))},
                                  {"fidelity", row.at("fidelity")},
                                  {"operands", row.at("in0") == "L1" ? "A and C in L1" : "in DRAM"}},
                        .time_ns = std::stod(row.at("time_ns")),
                        .utilisation = std::stod(row.at("device_utilisation")) / 100});
  }
  return products;
}

}  // namespace

const std::vector<PublishedProduct>& published_products() {
  static const std::vector<PublishedProduct> kProducts = read_products();
  return kProducts;
}

const PublishedProduct* published_product(const Json& point) {
  const auto found = std::ranges::find(published_products(), point, &PublishedProduct::point);
  return found == published_products().end() ? nullptr : &*found;
}

std::vector<Axis> published_axes() {
  Axis products{.name = "product", .values = {}};
  for (const PublishedProduct& product : published_products()) {
    std::string label;
    for (const auto& [name, value] : product.point.items()) {
      if (name == "operands") continue;
      label += (label.empty() ? "" : name == "k" || name == "n" ? "x" : " ") + plain_text(value);
    }
    products.values.emplace_back(label, product.point);
  }
  return {products};
}

}  // namespace kernbench
