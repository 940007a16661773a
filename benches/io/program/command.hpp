// What a command is: its name, options and sub-commands, as data. Help, manual pages, completion and the hints for
// slips are made of it; parse.cpp hands it to CLI11. Nothing else includes that library: its header takes seconds a
// source.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kernbench {

/// What the text of a value has to be; option_values.hpp makes them.
struct ValueRule {
  /// Puts the text as it is to be read (010 becomes 10). Returns what is wrong with it, "" where nothing is.
  std::function<std::string(std::string& text)> read;
  std::string range;                 ///< "1..4096", for help
  std::vector<std::string> choices;  ///< or the texts there are
};

/// An option (--jobs), a flag (--wide) or an argument without a name (FILE). Declarations chain: each of the functions
/// that change it returns the option itself.
class Option {
 public:
  /// Where a value goes. A flag's is a bool, or an int that counts how often it is given.
  using Target = std::variant<std::monostate, bool*, int*, std::int64_t*, std::uint64_t*, double*, std::string*,
                              std::filesystem::path*, std::vector<std::string>*, std::vector<std::filesystem::path>*,
                              std::vector<int>*>;

  /// What its values are, where they are paths; distinct_files.hpp holds them against each other.
  enum class Files { kNone, kRead, kWritten, kFolderWritten };

  /// `names`: "--jobs,-j"; "FILE" for an argument, "FILE,--topology" for both.
  Option(const std::string& names, Target target, std::string description, bool is_flag);

  Option& type_name(std::string name);
  Option& rule(ValueRule rule);
  Option& required();
  /// The target's value, as it is now, is shown by help.
  Option& show_default();
  Option& excludes(const Option& other);
  Option& needs(const Option& other);
  /// The option may stand without its value.
  Option& optional_value();
  /// A list takes one value each time that it is given, not all words that follow.
  Option& one_value_each();
  /// A list's values may stand in one word with this between them.
  Option& separated_by(char separator);
  /// Its values are files that the command reads, or folders of them.
  Option& reads();
  /// Its value is a file that the command writes.
  Option& writes();
  /// Its value is a folder that the command leaves results in.
  Option& writes_folder();

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  ///< "-j", "--jobs": short ones first
  [[nodiscard]] const std::string& argument() const { return argument_; }         ///< "FILE"; "" for none
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::string& type() const { return type_; }
  [[nodiscard]] const ValueRule& rule() const { return rule_; }
  [[nodiscard]] const std::string& default_text() const { return default_; }
  [[nodiscard]] const std::vector<const Option*>& excluded() const { return excluded_; }
  [[nodiscard]] const std::vector<const Option*>& needed() const { return needed_; }
  [[nodiscard]] bool is_flag() const { return is_flag_; }
  [[nodiscard]] bool is_required() const { return required_; }
  [[nodiscard]] bool is_list() const;
  [[nodiscard]] bool takes_one_value_each() const { return one_value_each_; }
  [[nodiscard]] bool has_optional_value() const { return optional_value_; }
  [[nodiscard]] char separator() const { return separator_; }
  [[nodiscard]] Files files() const { return files_; }
  /// The first long name, or the argument's where there is none: "--jobs", "FILE".
  [[nodiscard]] const std::string& shown_name() const;
  /// The target's values, given or by default, where it is a text or a path, or a list of them; "" is none.
  [[nodiscard]] std::vector<std::string> values() const;

  /// Whether it stands on the command line.
  [[nodiscard]] bool given() const { return given_; }
  /// For the parser: it stands there with these values. False where one of them is none for this target.
  bool store(const std::vector<std::string>& values);
  /// For the parser: a flag stands there so often.
  void count(std::int64_t times);

 private:
  Target target_;
  std::vector<std::string> names_;
  std::string argument_;
  std::string description_;
  std::string type_;
  ValueRule rule_;
  std::string default_;
  std::vector<const Option*> excluded_;
  std::vector<const Option*> needed_;
  bool is_flag_;
  bool required_ = false;
  bool optional_value_ = false;
  bool one_value_each_ = false;
  char separator_ = '\0';
  Files files_ = Files::kNone;
  bool given_ = false;
};

/// A command that has another name now: "trace grow", "dev trace-grow".
struct MovedCommand {
  std::string before;
  std::string now;
};

class CommandSpec {
 public:
  CommandSpec(std::string name, std::string description, const CommandSpec* parent = nullptr);
  CommandSpec(const CommandSpec&) = delete;
  CommandSpec& operator=(const CommandSpec&) = delete;
  ~CommandSpec() = default;

  template <class T>
  Option& add_option(const std::string& names, T& target, std::string description) {
    return add(std::make_unique<Option>(names, &target, std::move(description), false));
  }
  template <class T>
  Option& add_flag(const std::string& names, T& target, std::string description) {
    return add(std::make_unique<Option>(names, &target, std::move(description), true));
  }
  /// "--version" of the whole program; --help is there already.
  void add_version_flag();
  CommandSpec& add_command(std::string name, std::string description);
  /// Names that its commands had before; of the program itself.
  void moved(std::vector<MovedCommand> commands) { moved_ = std::move(commands); }
  /// What stands below the options: examples and notes (help_format.hpp).
  void footer(std::string text) { footer_ = std::move(text); }
  /// What the command does; not called where it has sub-commands.
  void action(std::function<int()> run) { run_ = std::move(run); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& description() const { return description_; }
  [[nodiscard]] const std::string& footer() const { return footer_; }
  [[nodiscard]] const CommandSpec* parent() const { return parent_; }
  /// In the order in which they were added, --help first.
  [[nodiscard]] const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  [[nodiscard]] const std::vector<std::unique_ptr<CommandSpec>>& commands() const { return commands_; }
  [[nodiscard]] const std::vector<MovedCommand>& moved() const { return moved_; }
  [[nodiscard]] bool has_option(const std::string& name) const;
  [[nodiscard]] int run() const { return run_(); }

 private:
  Option& add(std::unique_ptr<Option> option);

  std::string name_;
  std::string description_;
  std::string footer_;
  const CommandSpec* parent_;
  std::vector<std::unique_ptr<Option>> options_;
  std::vector<std::unique_ptr<CommandSpec>> commands_;
  std::vector<MovedCommand> moved_;
  std::function<int()> run_;
};

/// "kernbench sim gemm".
[[nodiscard]] std::string full_name(const CommandSpec& command);

/// Throws ConfigError with the name that it has now where these words begin with one that a command of `root` had.
void refuse_moved(const CommandSpec& root, const std::vector<std::string>& words);

/// The command that these words name, below `root`. Throws ConfigError with the nearest name where there is none, and
/// as refuse_moved().
[[nodiscard]] const CommandSpec& find_command(const CommandSpec& root, const std::vector<std::string>& words);

}  // namespace kernbench
