#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the command line takes, as `--help` tells it: what pages and completion are made from.
namespace credence::commands {

/// An option, a flag, or a word that stands at its place.
struct option_words {
  std::vector<std::string> names; // `--http-port` and `--port`; none for a word at its place
  std::string place;              // what such a word is, `profile`; empty for others
  std::string value;              // what follows, `TEXT`; empty for a flag
  std::string bounds;             // of a number, `[1 - 100]`; may be empty
  std::vector<std::string> choices;
  std::string help;
  bool required = false;
  bool repeats = false;

  bool operator==(const option_words&) const = default;
};

/// One command, such as `credence migrate up`.
struct command_words {
  std::string path; // `migrate up`; empty for the executable itself
  std::string name; // `up`
  std::string help;
  std::string example; // lines behind its options; may be empty
  std::vector<option_words> options;
  std::optional<std::size_t> settings; // which of the lists of settings it takes
  std::vector<std::string> subcommands;
};

struct command_table {
  std::vector<command_words> commands;             // each behind the one that it belongs to; the executable first
  std::vector<std::vector<option_words>> settings; // commands that take the same ones share a list
  std::vector<std::pair<int, std::string>> exit_codes;
  std::vector<std::string> examples;
};

/// Scripts that complete words of the command line.
std::string bash_completion(const command_table& of);
std::string zsh_completion(const command_table& of);
std::string fish_completion(const command_table& of);
/// A page of section 1 in roff, with the macros of man(7).
std::string man_page(const command_table& of);

} // namespace credence::commands
