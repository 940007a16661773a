#include "benches/io/program/standard_streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <system_error>

namespace kernbench {

void keep_standard_streams() {
  ::signal(SIGXFSZ, SIG_IGN);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    // Opened the wrong way round, so that reading and writing go on to fail. The lowest free number is this one.
    const int nothing = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (nothing >= 0 && nothing != stream) ::close(nothing);
  }
}

std::string standard_output_failure() {
  errno = 0;
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  const int error = errno;
  if (flushed && std::cout.good() && std::ferror(stdout) == 0) return "";
  return error != 0 ? std::generic_category().message(error) : "it is full, closed or broken";
}

}  // namespace kernbench
