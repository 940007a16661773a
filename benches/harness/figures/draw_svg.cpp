#include "benches/harness/figures/draw_svg.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

#include "sim/base/errors.hpp"

extern char** environ;

namespace kernbench {
namespace {

[[noreturn]] void throw_errno(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), "figures: " + what);
}

/// A file in memory. Standing in for a pipe, it lets node be given all its input before it starts and be read after it
/// ended: no order of reads and writes can block either side.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) throw_errno("memfd_create");
  }
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int fd() const { return fd_; }

  void fill(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno != EINTR) throw_errno("write");
      if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    rewind();
  }

  [[nodiscard]] std::string read_all() {
    rewind();
    std::string bytes;
    std::array<char, 65536> buffer{};
    for (;;) {
      const ssize_t n = read(fd_, buffer.data(), buffer.size());
      if (n < 0 && errno != EINTR) throw_errno("read");
      if (n == 0) return bytes;
      if (n > 0) bytes.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  void rewind() {
    if (lseek(fd_, 0, SEEK_SET) < 0) throw_errno("lseek");
  }
  int fd_;
};

/// Runs the bundle on `input` and returns what it printed.
std::string run_node(const std::string& input) {
  MemoryFile in("figures-in");
  MemoryFile out("figures-out");
  MemoryFile err("figures-err");
  in.fill(input);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.fd(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.fd(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.fd(), STDERR_FILENO);
  // --no-opt: the program ends before optimised code would pay for its compilation.
  std::array<std::string, 3> words{"node", "--no-opt", KERNBENCH_RENDER_BUNDLE};
  std::array<char*, 4> argv{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, "node", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw ConfigError("figures: cannot start `node` (" + std::generic_category().message(error) +
                      "), which draws the figures. Put node 18 or newer on the PATH (apt-get install nodejs, or "
                      "scripts/setup) and run again; results already written are kept");
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw_errno("waitpid");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw std::runtime_error("figures: node could not run " KERNBENCH_RENDER_BUNDLE ":\n" + err.read_all());
  }
  return out.read_all();
}

}  // namespace

std::vector<std::string> draw_svg(const std::vector<Figure>& figures) {
  if (figures.empty()) return {};
  Json input = Json::array();
  for (const Figure& figure : figures) input.push_back({{"name", figure.name}, {"spec", figure.spec}});
  const Json output = Json::parse(run_node(input.dump()));
  std::vector<std::string> drawings;
  for (const Json& drawing : output) {
    if (drawing.contains("error")) {
      throw std::runtime_error("figures: cannot draw " + drawing.at("name").get<std::string>() + ": " +
                               drawing.at("error").get<std::string>());
    }
    drawings.push_back(drawing.at("svg").get<std::string>());
  }
  return drawings;
}

}  // namespace kernbench
