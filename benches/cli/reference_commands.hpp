// The commands `kernbench reference ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <filesystem>
#include <functional>

#include "benches/io/files/source_tree.hpp"
#include "benches/io/program/command.hpp"
#include "benches/measured/reference/store.hpp"

namespace kernbench {

namespace reference_list_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace reference_show_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace reference_import_command {
std::function<int()> set_up(CommandSpec& command);
}
namespace reference_predict_command {
std::function<int()> set_up(CommandSpec& command);
}

/// The committed reference data, or where they will be.
inline std::filesystem::path reference_root() {
  const std::filesystem::path folder = kReferenceFolder;
  return in_source_tree(folder.parent_path()) / folder.filename();
}

}  // namespace kernbench
