// The end of a message about an unknown name: the nearest valid one, and all of them.
#pragma once

#include <string>
#include <vector>

#include "sim/base/nearest.hpp"

namespace kernbench {

/// "; did you mean \"shape\"? There are: shape, variant".
inline std::string did_you_mean(const std::string& name, const std::vector<std::string>& valid) {
  std::string text;
  if (const std::string nearest = nearest_name(name, valid); !nearest.empty()) {
    text += "; did you mean \"" + nearest + "\"?";
  } else {
    text += ".";
  }
  if (valid.empty()) return text + " There are none";
  text += " There are: ";
  for (std::size_t i = 0; i < valid.size(); ++i) text += (i == 0 ? "" : ", ") + valid[i];
  return text;
}

}  // namespace kernbench
