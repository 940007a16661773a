// What processes of an engine test write down: one line an observation, compared as text.
#pragma once

#include <string>

#include "sim/engine/calendar.hpp"
#include "tests/support/forked.hpp"

namespace kernbench {

/// Lines "TIME what", times in picoseconds of the calendar.
struct Trace {
  std::string text;

  void line(Picoseconds at, const std::string& what) { text += std::to_string(at.value) + " " + what + "\n"; }
};

/// Runs `model(calendar, trace)` in a child, where it builds processes and calls calendar.run(); returns the trace.
template <class Model>
std::string traced(Model model) {
  return forked([&model] {
    Calendar calendar("calendar");
    Trace trace;
    model(calendar, trace);
    return trace.text;
  });
}

}  // namespace kernbench
