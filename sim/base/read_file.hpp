// Reading whole files, with a limit: a device or a pipe would never end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace kernbench {

/// Of any file that is read whole. The largest results of today have 3 MiB; parsed, a text takes up to thirty times its
/// size of memory.
inline constexpr std::size_t kLargestFile = std::size_t{32} << 20U;

/// The whole file. Throws ConfigError naming the path where it cannot be read, is no regular file (a pipe, a device, a
/// folder), or has more than `most` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t most = kLargestFile);

}  // namespace kernbench
