// Starts a program the way a shell does and keeps what it said.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

/// kernbench, and the same with a bench of its own (tests/cli/toy).
std::string built_program();
std::string built_toy();
inline const std::string kProgram = built_program();
inline const std::string kToy = built_toy();

struct Ended {
  int exit_code = 0;  ///< 128 + n where signal n ended it
  std::string out;
  std::string err;
};

[[nodiscard]] inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Characters of the longest line, as a terminal shows it.
[[nodiscard]] std::size_t widest_line(const std::string& text);

/// A folder to run programs in: machine files and outputs of a test lie in it.
class Workplace {
 public:
  Workplace() = default;
  explicit Workplace(const std::filesystem::path& parent) : folder_(parent) {}

  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }
  /// "NAME=value" for every program started from here on.
  void set(const std::string& variable) { variables_.push_back(variable); }

  /// "NAME=value" each.
  using Environment = std::vector<std::string>;

  /// Runs to the end; `more` is for this program alone.
  [[nodiscard]] Ended run(const std::string& program, const std::vector<std::string>& arguments,
                          const Environment& more = {}) const;
  /// Starts and returns its process id; finish() waits for it.
  [[nodiscard]] pid_t start(const std::string& program, const std::vector<std::string>& arguments,
                            const Environment& more = {}) const;
  [[nodiscard]] Ended finish(pid_t pid) const;

 private:
  TemporaryFolder folder_;
  Environment variables_;
};
