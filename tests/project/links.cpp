#include "tests/project/links.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "benches/io/files/write_file.hpp"

namespace kernbench::project {
namespace {

/// The page with code blanked: fenced blocks and `spans`. Line numbers stay.
std::string without_code(std::string text) {
  bool fenced = false;
  bool span = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool line_start = i == 0 || text[i - 1] == '\n';
    if (line_start && text.compare(i, 3, "```") == 0) {
      fenced = !fenced;
      text.replace(i, 3, 3, ' ');
    } else if (text[i] == '\n') {
      span = span && !line_start;
    } else if (!fenced && text[i] == '`') {
      span = !span;
    } else if (fenced || span) {
      text[i] = ' ';
    }
  }
  return text;
}

/// The anchors of a page's headings, as GitHub makes them: lower case, punctuation dropped, spaces as dashes.
std::set<std::string> anchors(const std::string& text) {
  static const std::regex heading(R"((^|\n)#+ ([^\n]*))");
  std::set<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), heading), end; match != end; ++match) {
    std::string name;
    for (const char c : (*match)[2].str()) {
      if (c == ' ') name += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
        name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    names.insert(name);
  }
  return names;
}

bool leads_somewhere(const SourceFile& page, const std::string& target, const std::filesystem::path& root) {
  const auto hash = target.find('#');
  const std::string file = target.substr(0, hash);
  const auto path = file.empty() ? root / page.path : (root / page.path).parent_path() / file;
  if (!file.empty() && !std::filesystem::exists(path)) return false;
  if (hash == std::string::npos || (!file.empty() && path.extension() != ".md")) return true;
  return anchors(file.empty() ? page.text : read_file(path)).contains(target.substr(hash + 1));
}

}  // namespace

std::vector<std::string> broken_links(const SourceFile& page, const std::filesystem::path& root) {
  static const std::regex link(R"(\]\(([^)\s]+)[^)]*\))");
  static const std::regex elsewhere(R"(^[a-z]+:.*)");
  const std::string text = without_code(page.text);
  std::vector<std::string> broken;
  for (std::sregex_iterator match(text.begin(), text.end(), link), end; match != end; ++match) {
    const std::string target = (*match)[1];
    if (std::regex_match(target, elsewhere) || leads_somewhere(page, target, root)) continue;
    const int line = line_at(text, static_cast<std::size_t>(match->position()));
    broken.push_back(page.path + ":" + std::to_string(line) + ": " + target + " leads nowhere");
  }
  return broken;
}

}  // namespace kernbench::project
