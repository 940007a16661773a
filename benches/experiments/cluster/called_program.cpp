#include "benches/experiments/cluster/called_program.hpp"

#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "benches/io/files/file_descriptor.hpp"
#include "sim/base/errors.hpp"

namespace kernbench {
namespace {

/// What lies in the pipe; closes it at its end.
void read_into(std::string& text, FileDescriptor& pipe) {
  std::array<char, 4096> buffer{};
  while (pipe.get() >= 0) {
    const ssize_t count = ::read(pipe.get(), buffer.data(), buffer.size());
    if (count > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0) {
      pipe = FileDescriptor();
    } else if (errno != EINTR) {
      return;
    }
  }
}

pid_t start(const std::vector<std::string>& words, const Pipe& out, const Pipe& err) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.get(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  arguments.reserve(texts.size() + 1);
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw ConfigError("cannot start `" + words[0] + "`: " + std::generic_category().message(error) +
                      ": expected it on the PATH of this machine");
  }
  return pid;
}

}  // namespace

CalledProgram call_program(const std::vector<std::string>& words, const StopSignals& signals,
                           WhenStopped when_stopped) {
  Pipe out = Pipe::open();
  Pipe err = Pipe::open();
  const pid_t pid = start(words, out, err);
  out.write = FileDescriptor();
  err.write = FileDescriptor();
  // By number: glibc 2.36 declares pidfd_open without C linkage.
  const FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  CalledProgram called;
  int status = 0;
  constexpr std::chrono::milliseconds kTick{200};
  while (::waitpid(pid, &status, WNOHANG) == 0) {
    std::vector<pollfd> descriptors{
        {process.get(), POLLIN, 0}, {out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
    signals.wait(descriptors, kTick);
    read_into(called.out, out.read);
    read_into(called.err, err.read);
    if (StopSignals::caught() != 0 && when_stopped == WhenStopped::kEnd) ::kill(-pid, SIGTERM);
  }
  read_into(called.out, out.read);
  read_into(called.err, err.read);
  called.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return called;
}

}  // namespace kernbench
