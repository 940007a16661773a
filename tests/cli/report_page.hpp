// The data in a page that kernbench wrote.
#pragma once

#include <filesystem>
#include <string>

#include "benches/io/text/json.hpp"
#include "sim/base/read_file.hpp"

/// Throws where the page has none.
[[nodiscard]] inline kernbench::Json page_data(const std::filesystem::path& page) {
  const std::string text = kernbench::read_file(page);
  const std::string open = R"(<script type="application/json" id="data">)";
  const std::size_t begin = text.find(open) + open.size();
  return kernbench::parse_json(text.substr(begin, text.find("</script>", begin) - begin), page.string());
}
