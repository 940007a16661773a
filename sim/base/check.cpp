#include "sim/base/check.hpp"

#include <string>

#include "sim/base/errors.hpp"

namespace kernbench {

namespace {

/// Relative to the source tree, which this file's own name tells: messages do not depend on where it lies.
std::string_view in_source_tree(std::string_view file) {
  constexpr std::string_view kThis = __FILE__;
  constexpr std::string_view kTree = kThis.substr(0, kThis.size() - std::string_view("sim/base/check.cpp").size());
  return file.substr(0, kTree.size()) == kTree ? file.substr(kTree.size()) : file;
}

}  // namespace

void invariant_failed(std::string_view file, int line, std::string_view message) {
  throw InvariantError("kernbench is wrong here: " + std::string(in_source_tree(file)) + ":" + std::to_string(line) +
                       ": " + std::string(message) + "; please report it with the command");
}

}  // namespace kernbench
