// fork, redirect, exec, wait.
#include "tests/cli/program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "benches/io/files/write_file.hpp"
#include "benches/io/text/table.hpp"

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  for (std::string line; std::getline(lines, line);) widest = std::max(widest, kernbench::display_width(line));
  return widest;
}

pid_t Workplace::start(const std::string& program, const std::vector<std::string>& arguments,
                       const Environment& more) const {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const auto redirect = [this](const char* name, int fd) {
    const int file = ::open((path() / name).c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, fd);
  };
  redirect("stdout", STDOUT_FILENO);
  redirect("stderr", STDERR_FILENO);
  if (::chdir(path().c_str()) != 0) ::_exit(126);
  ::unsetenv("MILESTONE_FAST");
  ::unsetenv("COLUMNS");
  ::setenv("KERNBENCH_CACHE", (path() / ".cache").c_str(), 1);  // a test's own, never the user's
  for (const Environment* variables : {&variables_, &more}) {
    for (const std::string& variable : *variables) ::putenv(::strdup(variable.c_str()));
  }
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

Ended Workplace::finish(pid_t pid) const {
  int status = 0;
  ::waitpid(pid, &status, 0);
  Ended ended;
  ended.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  ended.out = kernbench::read_file(path() / "stdout");
  ended.err = kernbench::read_file(path() / "stderr");
  return ended;
}

Ended Workplace::run(const std::string& program, const std::vector<std::string>& arguments,
                     const Environment& more) const {
  return finish(start(program, arguments, more));
}
