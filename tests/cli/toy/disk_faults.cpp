// TOY_DISK="kill 7", "fail 7 5" or "full 7" in the environment: what happens at the seventh step of writing.
#include "tests/support/disk_faults.hpp"

#include <cstdlib>
#include <sstream>
#include <string>

namespace {

bool start() {
  const char* text = std::getenv("TOY_DISK");
  if (text == nullptr) return false;
  std::istringstream words(text);
  std::string what;
  int at = 0;
  int error = 0;
  words >> what >> at >> error;
  if (what == "kill") DiskFaults::kill_at(at);
  if (what == "fail") DiskFaults::fail_at(at, error);
  if (what == "full") DiskFaults::full_from(at);
  return true;
}

const bool started = start();

}  // namespace
