// Only what kernbench wrote is written over: an option names a file that somebody else needs more easily than it looks.
#pragma once

#include <filesystem>
#include <string_view>

namespace kernbench {

/// Throws ConfigError where `path` is a file that does not begin as `bytes`, which are to be written there, begin: a
/// JSON document by its first field, and that it is a schema of kernbench; a table by half of its columns, or those
/// that all results have; a machine file by the line that says how it was calibrated. No file, an empty one, a pipe and
/// a device are written.
void require_own_file(const std::filesystem::path& path, std::string_view bytes);

/// The same of a trace that is to be written: one that kernbench simulated or merged.
void require_own_trace(const std::filesystem::path& path);

/// Whether it is a document with a schema of kernbench.
[[nodiscard]] bool is_own_document(const std::filesystem::path& path);

/// require_own_file() and write_file().
void write_own_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace kernbench
