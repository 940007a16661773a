// Writes a file so that a reader sees the old one or the new one, never half of it.
#pragma once

#include <filesystem>
#include <string_view>

namespace kernbench {

/// Makes the folders on the way, writes a temporary beside `path`, renames it. Throws ConfigError naming the path where
/// the operating system refuses.
void write_file(const std::filesystem::path& path, std::string_view bytes);

/// The whole file. Throws ConfigError naming the path where it cannot be read.
std::string read_file(const std::filesystem::path& path);

}  // namespace kernbench
