#include "benches/results/figures/draw_svg.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include "benches/io/files/file_descriptor.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/read_file.hpp"
#include "sim/base/sha256.hpp"

namespace kernbench {
namespace {

/// A file in memory. Standing in for a pipe, it lets node be given all its input before it starts and be read after it
/// ended: no order of reads and writes can block either side.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name, std::string_view bytes = {}) : file_(memfd_create(name, MFD_CLOEXEC)) {
    if (file_.get() < 0 || !write_all(file_.get(), bytes)) throw_errno("figures: making a file in memory");
    rewind();
  }

  [[nodiscard]] int fd() const { return file_.get(); }

  [[nodiscard]] std::string read_all() const {
    rewind();
    std::string bytes;
    std::array<char, 65536> buffer{};
    for (;;) {
      const ssize_t n = read(fd(), buffer.data(), buffer.size());
      if (n < 0 && errno != EINTR) throw_errno("figures: reading what node wrote");
      if (n == 0) return bytes;
      if (n > 0) bytes.append(buffer.data(), static_cast<std::size_t>(n));
    }
  }

 private:
  void rewind() const {
    if (lseek(fd(), 0, SEEK_SET) < 0) throw_errno("figures: going to the beginning of a file in memory");
  }
  FileDescriptor file_;
};

/// Runs the bundle on `input` and returns what it printed.
std::string run_node(const std::string& input) {
  const MemoryFile in("figures-in", input);
  const MemoryFile out("figures-out");
  const MemoryFile err("figures-err");

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
    if (errno != EINTR) throw_errno("figures: waiting for node");
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    const std::string end = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                                : "exit code " + std::to_string(WEXITSTATUS(status));
    throw std::runtime_error("figures: node could not run " KERNBENCH_RENDER_BUNDLE " (" + end + ")\n" +
                             err.read_all());
  }
  return out.read_all();
}

}  // namespace

std::string svg_drawer() {
  try {
    return sha256_hex(read_file(KERNBENCH_RENDER_BUNDLE));
  } catch (const ConfigError&) {
    return "";
  }
}

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
