// Where the sources lie that the program was built from. One source alone knows it, so that every other one compiles to
// the same in each clone and a compiler cache serves them all.
#pragma once

#include <string>

namespace kernbench {

/// The folder of the project's CMakeLists.txt, absolute, without a slash at its end.
std::string source_dir();

}  // namespace kernbench
