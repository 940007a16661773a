#include "benches/measured/cases/suites.hpp"

#include "benches/io/files/write_file.hpp"

namespace kernbench {

Suites::Suites(const std::string& file) : Suites(read_file(file), file) {}

Suites::Suites(const std::string& text, const std::string& file) : json_(parse_json(text, file)), file_(file) {}

std::vector<std::string> texts_of(const CheckedJson& list) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < list.array().size(); ++i) texts.push_back(list.at(i).string());
  return texts;
}

std::vector<std::int64_t> sizes_of(const CheckedJson& list) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < list.array().size(); ++i) {
    sizes.push_back(list.at(i).integer());
    if (sizes.back() < 1) list.at(i).expected("a whole number above 0");
  }
  return sizes;
}

std::vector<std::vector<std::int64_t>> shapes_of(const CheckedJson& list, std::size_t length) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < list.array().size(); ++i) {
    shapes.push_back(sizes_of(list.at(i)));
    if (shapes.back().size() != length) list.at(i).expected(std::to_string(length) + " whole numbers");
  }
  return shapes;
}

}  // namespace kernbench
