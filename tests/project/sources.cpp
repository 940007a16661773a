#include "tests/project/sources.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

#include "benches/io/files/write_file.hpp"
#include "sim/base/source_dir.hpp"

namespace kernbench::project {
namespace fs = std::filesystem;

fs::path root() { return kernbench::source_dir(); }

std::vector<SourceFile> sources(const std::vector<std::string>& extensions) {
  std::vector<SourceFile> files;
  const auto left_out = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with(".") || name.starts_with("build") || name == "node_modules" || name == "out";
  };
  for (auto entry = fs::recursive_directory_iterator(root()); entry != fs::recursive_directory_iterator(); ++entry) {
    if (entry->is_directory() && left_out(entry->path())) entry.disable_recursion_pending();
    if (!entry->is_regular_file() || std::ranges::count(extensions, entry->path().extension().string()) == 0) continue;
    files.push_back({entry->path().lexically_relative(root()).generic_string(), read_file(entry->path())});
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::set<std::string> top_level() {
  std::set<std::string> names;
  const auto add = [&](const std::string& name) {
    if (!name.starts_with(".")) names.insert(name);
  };
  const std::string command = "git -C '" + root().string() + "' ls-tree --name-only HEAD 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> git(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> line{};
  while (git && std::fgets(line.data(), line.size(), git.get()) != nullptr) {
    add(std::string(line.data(), std::strcspn(line.data(), "\n")));
  }
  if (!names.empty()) return names;
  for (const auto& entry : fs::directory_iterator(root())) add(entry.path().filename().string());
  return names;
}

int line_at(const std::string& text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string joined(const std::vector<std::string>& messages) {
  std::string text;
  for (const auto& message : messages) text += message + "\n";
  return text;
}

}  // namespace kernbench::project
