// Writes a file so that a reader sees the old one or the new one, never half of it, whatever happens meanwhile.
#pragma once

#include <filesystem>
#include <string_view>

#include "sim/base/read_file.hpp"  // for those who do both

namespace kernbench {

/// Makes the folders on the way, writes a temporary beside `path`, brings it to the disk and renames it; the file is on
/// the disk when this returns. A link is followed. What is no plain file (a pipe, /dev/stdout) is written as it is.
/// Throws as disk::refuse does, naming the path; then the old file is as it was, and the temporary gone. One that a
/// killed process left behind is used by the next writer of the same file.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace kernbench
