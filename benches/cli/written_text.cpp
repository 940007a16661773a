#include "benches/cli/written_text.hpp"

#include <algorithm>

#include "benches/io/text/numbers.hpp"

namespace kernbench {

std::string written_text(const std::vector<std::filesystem::path>& files, const std::filesystem::path& folder,
                         bool all) {
  std::string text = "\n" + counted(static_cast<std::int64_t>(files.size()), "file") + " written to " + folder.string();
  text += all ? ":\n" : "\n";
  for (const std::filesystem::path& file : files) text += all ? "  " + file.string() + "\n" : "";
  const auto page = std::ranges::find(files, folder / "index.html");
  return text + "open " + (page == files.end() ? files.front() : *page).string() + "\n";
}

}  // namespace kernbench
