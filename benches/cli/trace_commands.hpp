// The commands `kernbench trace ...`: each adds its options and returns what runs once they are parsed.
#pragma once

#include <functional>

#include "benches/harness/program/command.hpp"

namespace kernbench {

std::function<int()> set_up_trace_timeline(CommandSpec& command);
std::function<int()> set_up_trace_gemms(CommandSpec& command);
std::function<int()> set_up_trace_top(CommandSpec& command);
std::function<int()> set_up_trace_collectives(CommandSpec& command);
std::function<int()> set_up_trace_causes(CommandSpec& command);
std::function<int()> set_up_trace_report(CommandSpec& command);
std::function<int()> set_up_trace_compare(CommandSpec& command);
std::function<int()> set_up_trace_merge(CommandSpec& command);
std::function<int()> set_up_trace_check(CommandSpec& command);
std::function<int()> set_up_trace_grow(CommandSpec& command);

}  // namespace kernbench
