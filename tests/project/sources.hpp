// The files of the repository, as the checks of this folder read them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace kernbench::project {

struct SourceFile {
  std::string path;  ///< relative to the repository
  std::string text;
};

/// The repository's root.
std::filesystem::path root();

/// Files below the folders that we write, of one of these extensions (".cpp"), in the order of their paths. What is
/// built or installed (build*, node_modules, hidden folders) is left out.
std::vector<SourceFile> sources(const std::vector<std::string>& extensions);

/// Names of the repository's top level that git tracks, without dotfiles. Where git cannot tell (a source archive),
/// what lies there.
std::set<std::string> top_level();

/// 1-based number of the line that holds offset `at` of `text`.
int line_at(const std::string& text, std::size_t at);

/// Messages, one a line, for a failed check to print.
std::string joined(const std::vector<std::string>& messages);

}  // namespace kernbench::project
