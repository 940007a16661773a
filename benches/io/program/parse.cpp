#include "benches/io/program/parse.hpp"

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

#include "benches/io/program/mistyped.hpp"
#include "sim/base/errors.hpp"
#include "sim/base/text.hpp"

namespace kernbench {
namespace {

/// "FILE,-j,--jobs".
std::string cli11_names(const Option& option) {
  std::vector<std::string> all = option.names();
  if (!option.argument().empty()) all.insert(all.begin(), option.argument());
  return joined(all, ",");
}

CLI::Option* declare(CLI::App& app, Option& option) {
  if (option.is_flag()) {
    return app.add_flag_function(cli11_names(option), [&option](std::int64_t times) { option.count(times); });
  }
  const auto store = [&option](const CLI::results_t& values) {
    // An option without its value comes with none, or an empty one.
    const bool none = option.has_optional_value() && (values.empty() || values.front().empty());
    return option.store(none ? std::vector<std::string>{""} : values);
  };
  CLI::Option* declared = app.add_option(cli11_names(option), store);
  declared->required(option.is_required())->type_name(option.type());
  if (option.is_list()) {
    declared->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (!option.takes_one_value_each()) declared->expected(CLI::detail::expected_max_vector_size);
    if (option.separator() != '\0') declared->delimiter(option.separator());
  }
  if (option.has_optional_value()) declared->expected(0, 1)->default_str("");
  if (option.rule().read) declared->transform(CLI::Validator(option.rule().read, ""));
  return declared;
}

void declare(CLI::App& app, const CommandSpec& command) {
  std::map<const Option*, CLI::Option*> declared;
  for (const auto& option : command.options()) {
    const std::string& last = option->shown_name();
    if (last == "--help") {
      app.set_help_flag("-h,--help");
    } else if (last == "--version") {
      app.set_version_flag("--version", "");
    } else {
      declared[option.get()] = declare(app, *option);
    }
  }
  for (const auto& [option, one] : declared) {
    for (const Option* other : option->excluded()) one->excludes(declared.at(other));
    for (const Option* other : option->needed()) one->needs(declared.at(other));
  }
  if (!command.commands().empty()) app.require_subcommand(1);
  for (const auto& below : command.commands()) declare(*app.add_subcommand(below->name()), *below);
}

/// The deepest command that stands on the command line.
const CommandSpec& chosen(const CLI::App& app, const CommandSpec& command) {
  const auto below = app.get_subcommands();
  return below.empty() ? command : chosen(*below.front(), find_command(command, {below.front()->get_name()}));
}

}  // namespace

Parsed parse(const CommandSpec& root, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  refuse_moved(root, words);
  CLI::App app("", root.name());
  declare(app, root);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return {Parsed::Wish::kHelp, &named_command(root, words)};
  } catch (const CLI::CallForVersion&) {
    return {Parsed::Wish::kVersion, &root};
  } catch (const CLI::ArgumentMismatch& error) {  // in words of the library's own
    const std::string text = error.what();
    const std::string option = text.substr(0, text.find(':'));
    const bool twice = text.find("At Most 1") != std::string::npos;
    throw ConfigError(mistyped_message(
        root, words,
        {twice ? option + ": expected one value, got several; an option stands once, under one name" : text, false}));
  } catch (const CLI::ParseError& error) {
    const bool may_be_a_slip = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                               dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
    throw ConfigError(mistyped_message(root, words, {error.what(), may_be_a_slip}));
  }
  return {Parsed::Wish::kRun, &chosen(app, root)};
}

}  // namespace kernbench
