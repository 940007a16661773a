// Writes a file whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace kernbench {

/// Writes `bytes` beside `file` and renames it into place: a reader, or a crash, never meets half a file.
/// Throws std::runtime_error naming the file and the reason.
void write_file(const std::filesystem::path& file, std::string_view bytes);

}  // namespace kernbench
