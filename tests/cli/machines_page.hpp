// The rows of docs/machines.md, and the commands that give their numbers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// A row of a table of measured GEMMs.
struct MachineRow {
  std::string machine;                 ///< "edge_npu"
  std::string text;                    ///< the row as it stands on the page
  std::vector<std::string> arguments;  ///< of kernbench: the section's command with the row's options in it
  std::string simulated_us;            ///< "1,281.9": what the page says
};

/// A page's cell from "| a | b |", by number, without blanks.
[[nodiscard]] std::string cell_of(const std::string& row, std::size_t number);

/// The lines of the page's section of a machine file, "edge_npu"; none where there is no such section.
[[nodiscard]] std::vector<std::string> machine_section(const std::string& machine);

/// The words of a command, quotes taken off.
[[nodiscard]] std::vector<std::string> words_of(const std::string& command);

/// All rows of tables that have a column "simulated (µs)" and take the program seconds, or less.
[[nodiscard]] std::vector<MachineRow> machine_rows(bool that_take_seconds);

/// Runs the row's command and holds its time against the page.
void check_machine_row(const MachineRow& row);
