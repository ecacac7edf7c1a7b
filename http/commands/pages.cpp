#include "http/commands/command.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <set>

namespace credence::commands {

namespace {

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string out;
  for (const auto& word : words)
    out += (out.empty() ? "" : between) + word;
  return out;
}

/// Within single quotes, where each of these characters is written as `with` says.
std::string quoted(const std::string& text, const std::vector<std::pair<char, std::string>>& with) {
  std::string out = "'";
  for (const auto c : text) {
    const auto special = std::find_if(with.begin(), with.end(), [c](const auto& each) { return each.first == c; });
    out += special == with.end() ? std::string{c} : special->second;
  }
  return out + "'";
}

std::string in_shell(const std::string& text) { return quoted(text, {{'\'', R"('\'')"}}); }
std::string in_fish(const std::string& text) { return quoted(text, {{'\'', R"(\')"}, {'\\', R"(\\)"}}); }
/// A part of a specification of `_arguments`.
std::string in_zsh(const std::string& text) {
  std::string out;
  for (const auto c : text)
    out += (std::string{"[]:\\"}.find(c) == std::string::npos ? "" : "\\") + std::string{c};
  return out;
}

std::string settings_name(std::size_t list) { return "settings_" + std::to_string(list + 1); }

/// Every option of a command, settings included.
std::vector<option_words> all_options(const command_table& table, const command_words& command) {
  auto out = command.options;
  if (command.settings)
    out.insert(out.end(), table.settings[*command.settings].begin(), table.settings[*command.settings].end());
  return out;
}

std::vector<std::string> names_of(const std::vector<option_words>& options) {
  std::vector<std::string> out;
  for (const auto& option : options)
    out.insert(out.end(), option.names.begin(), option.names.end());
  return out;
}

/// Lines of a `case` that leads from the command before, and a word, to the command.
std::string steps_to_commands(const command_table& of) {
  std::string out;
  for (const auto& command : of.commands)
    if (!command.path.empty())
      out += "      " + in_shell(" " + command.path) + ") at=" + in_shell(" " + command.path) + "; last=$i ;;\n";
  return out;
}

// -- bash ---------------------------------------------------------------------------

/// Lines of a `case` over `COMMAND:WORD BEFORE`, for what may follow an option that takes a value.
std::string bash_values(const command_table& of) {
  std::set<std::string> told, with_value;
  for (const auto& command : of.commands)
    for (const auto& option : all_options(of, command))
      if (!option.value.empty())
        with_value.insert(option.names.begin(), option.names.end());
  std::string flags, values;
  for (const auto& command : of.commands)
    for (const auto& option : all_options(of, command))
      for (const auto& name : option.names) {
        if (option.value.empty() && with_value.contains(name))
          flags += "    " + in_shell(" " + command.path + ":" + name) + ") ;; # a flag here\n";
        else if (!option.value.empty() && told.insert(name).second)
          values += "    *:" + name + ") "
                    + (option.choices.empty()
                         ? ""
                         : "COMPREPLY=($(compgen -W " + in_shell(joined(option.choices)) + " -- \"$word\")); ")
                    + "return ;;\n";
      }
  return flags + values;
}

std::string bash_words(const command_table& of) {
  std::string out;
  for (const auto& command : of.commands) {
    auto words = command.subcommands;
    for (const auto& option : command.options)
      words.insert(words.end(), option.place.empty() ? option.names.begin() : option.choices.begin(),
                   option.place.empty() ? option.names.end() : option.choices.end());
    out += "    " + in_shell(command.path.empty() ? "" : " " + command.path) + ") words=\"" + joined(words)
           + (command.settings ? " $" + settings_name(*command.settings) : "") + "\" ;;\n";
  }
  return out;
}

// -- zsh ----------------------------------------------------------------------------

std::string zsh_option(const option_words& option) {
  const auto action = option.choices.empty() ? "_files" : "(" + joined(option.choices) + ")";
  if (!option.place.empty())
    return "    " + in_shell(":" + in_zsh(option.place) + ":" + (option.choices.empty() ? " " : action)) + "\n";
  std::string out;
  for (const auto& name : option.names)
    out +=
      "    "
      + in_shell((option.repeats ? "*" : "") + name + (option.value.empty() || !name.starts_with("--") ? "" : "=") + "["
                 + in_zsh(option.help) + "]" + (option.value.empty() ? "" : ":" + in_zsh(option.value) + ":" + action))
      + "\n";
  return out;
}

std::string zsh_list(const std::vector<option_words>& options) {
  std::string out;
  for (const auto& option : options)
    out += zsh_option(option);
  return out;
}

std::string zsh_cases(const command_table& of) {
  std::string out;
  for (const auto& command : of.commands) {
    out += "    " + in_shell(command.path.empty() ? "" : " " + command.path) + ")\n      own=(\n"
           + zsh_list(command.options) + "      )\n";
    if (command.settings)
      out += "      own+=(\"${" + settings_name(*command.settings) + "[@]}\")\n";
    if (!command.subcommands.empty()) {
      out += "      below=(\n";
      for (const auto& each : of.commands)
        if (!each.path.empty() && each.path == (command.path.empty() ? "" : command.path + " ") + each.name)
          out += "    " + in_shell(each.name + ":" + each.help) + "\n";
      out += "      )\n";
    }
    out += "      ;;\n";
  }
  return out;
}

// -- fish ---------------------------------------------------------------------------

std::string fish_option(const std::string& where, const option_words& option) {
  std::string out;
  const auto values = option.choices.empty() ? "" : " -a " + in_fish(joined(option.choices));
  if (!option.place.empty())
    return option.choices.empty()
             ? ""
             : "complete -c credence -n " + in_fish(where) + values + " -d " + in_fish(option.help) + "\n";
  for (const auto& name : option.names) {
    const bool is_long = name.starts_with("--");
    out += "complete -c credence -n " + in_fish(where) + (is_long ? " -l " + name.substr(2) : " -s " + name.substr(1))
           + (option.value.empty()     ? ""
              : option.choices.empty() ? " -r -F"
                                       : " -x" + values)
           + " -d " + in_fish(option.help) + "\n";
  }
  return out;
}

std::string fish_commands(const command_table& of) {
  std::string out;
  for (const auto& command : of.commands) {
    const auto where = "__credence_at " + in_fish(command.path);
    for (const auto& each : of.commands)
      if (!each.path.empty() && each.path == (command.path.empty() ? "" : command.path + " ") + each.name)
        out += "complete -c credence -n " + in_fish(where) + " -a " + each.name + " -d " + in_fish(each.help) + "\n";
    for (const auto& option : command.options)
      out += fish_option(where, option);
  }
  for (std::size_t list = 0; list < of.settings.size(); ++list) {
    std::string where = "__credence_at";
    for (const auto& command : of.commands)
      if (command.settings == list)
        where += " " + in_fish(command.path);
    for (const auto& option : of.settings[list])
      out += fish_option(where, option);
  }
  return out;
}

constexpr auto script_head = "# Completion of the options and commands of credence, made by `credence completion ";

} // namespace

std::string bash_completion(const command_table& of) {
  std::string lists;
  for (std::size_t list = 0; list < of.settings.size(); ++list)
    lists += "  local " + settings_name(list) + "='" + joined(names_of(of.settings[list])) + "'\n";
  return std::string{script_head} + R"(bash`.
_credence() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} at='' words='' i last
)" + lists
         + R"(  # An option and its value may have `=` between them, which is a word by itself.
  if [ "$word" = = ]; then word=''; elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD - 2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at ${COMP_WORDS[i]}" in
)" + steps_to_commands(of)
         + R"(    esac
  done
  COMPREPLY=()
  case "$at:$before" in
)" + bash_values(of)
         + R"(  esac
  case "$at" in
)" + bash_words(of)
         + R"(  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _credence credence
)";
}

std::string zsh_completion(const command_table& of) {
  std::string lists;
  for (std::size_t list = 0; list < of.settings.size(); ++list)
    lists += "  local -a " + settings_name(list) + "\n  " + settings_name(list) + "=(\n" + zsh_list(of.settings[list])
             + "  )\n";
  return std::string{"#compdef credence\n"} + script_head + R"(zsh`.
_credence() {
  local at='' i last=1
  local -a own below
)" + lists
         + R"(  for ((i = 2; i < CURRENT; i++)); do
    case "$at ${words[i]}" in
)" + steps_to_commands(of)
         + R"(    esac
  done
  case "$at" in
)" + zsh_cases(of)
         + R"(  esac
  # What is left of the command, as if it were one of its own.
  words=(credence "${(@)words[last + 1,-1]}")
  ((CURRENT -= last - 1))
  if ((${#below})) && [[ ${words[CURRENT]} != -* ]]; then
    _describe command below
  else
    _arguments "${own[@]}"
  fi
}
if [ "${funcstack[1]}" = _credence ]; then _credence "$@"; else compdef _credence credence; fi
)";
}

std::string fish_completion(const command_table& of) {
  std::string paths;
  for (const auto& command : of.commands)
    if (!command.path.empty())
      paths += " " + in_fish(command.path);
  return std::string{script_head} + R"(fish`.
function __credence_at --description 'Whether the words so far lead to one of these commands'
    set -l at
    set -l words (commandline -opc)
    for word in $words[2..-1]
        if contains -- (string join ' ' -- $at $word))"
         + paths + R"(
            set at $at $word
        end
    end
    set -l path (string join ' ' -- $at)
    contains -- "$path" $argv
end
complete -c credence -f
)" + fish_commands(of);
}

int completion(const command_line& line) {
  const auto table = line.table();
  std::cout << (line.shell == "bash"  ? bash_completion(table)
                : line.shell == "zsh" ? zsh_completion(table)
                                      : fish_completion(table));
  return ok;
}

namespace {

/// A character beyond ASCII as roff has it, `\[u2026]`; moves behind its bytes in UTF-8.
std::string roff_character(const std::string& text, std::size_t& at) {
  const auto first = static_cast<unsigned char>(text[at++]);
  std::uint32_t code = first >= 0xF0 ? first & 7u : first >= 0xE0 ? first & 15u : first & 31u;
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u)
    code = code << 6 | (static_cast<unsigned char>(text[at++]) & 0x3Fu);
  char out[16];
  std::snprintf(out, sizeof out, "\\[u%04X]", static_cast<unsigned>(code));
  return out;
}

/// Text that roff prints as it is.
std::string plain(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      out += roff_character(text, at);
      continue;
    }
    ++at;
    const bool begins_line = out.empty() || out.back() == '\n';
    if ((c == '.' || c == '\'') && begins_line)
      out += "\\&";
    switch (c) {
      case ',':
      case '/':
      case '%':
      case '_': out += std::string{c} + "\\:"; break; // a long default may be broken here
      case '\\': out += "\\e"; break;
      case '-': out += "\\-"; break;
      case '\'': out += "\\(aq"; break;
      case '`': out += "\\(ga"; break;
      case '^': out += "\\(ha"; break;
      case '~': out += "\\(ti"; break;
      default: out += c;
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + plain(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + plain(text) + "\\fR"; }

std::string value_of(const option_words& option) {
  std::string choices;
  for (const auto& choice : option.choices)
    choices += (choices.empty() ? "" : "|") + bold(choice);
  return choices.empty() ? slanted(option.value) : choices;
}

std::string entry(const option_words& option) {
  std::string head;
  for (const auto& name : option.names)
    head += (head.empty() ? "" : ", ") + bold(name);
  if (!option.place.empty())
    head = slanted(option.place);
  if (!option.value.empty() && (option.place.empty() || !option.choices.empty()))
    head += " " + value_of(option);
  return ".TP\n" + head + (option.repeats ? " ..." : "") + "\n" + plain(option.help)
         + (option.bounds.empty() ? "" : ", in " + plain(option.bounds)) + "\n";
}

std::string verbatim(const std::string& lines) { return ".PP\n.nf\n" + plain(lines) + "\n.fi\n"; }

std::string heading(const command_words& command) {
  std::string out = "credence " + command.path;
  for (const auto& option : command.options)
    if (!option.place.empty())
      out += option.required ? " " + option.place : " [" + option.place + "]";
  if (!command.subcommands.empty())
    out += " COMMAND";
  return out;
}

std::string section(const command_words& command) {
  auto out = ".SS \"" + plain(heading(command)) + "\"\n" + plain(command.help) + "\n";
  for (const auto& option : command.options)
    out += entry(option);
  if (command.settings)
    out += ".PP\nIt takes the settings as well, see below.\n";
  if (!command.example.empty())
    out += verbatim(command.example);
  return out;
}

/// Of all lists, each setting once with all names that it has in any.
std::vector<option_words> all_settings(const command_table& of) {
  std::vector<option_words> out;
  for (const auto& list : of.settings)
    for (const auto& setting : list) {
      const auto there = std::find_if(out.begin(), out.end(),
                                      [&](const auto& each) { return each.names.front() == setting.names.front(); });
      if (there == out.end())
        out.push_back(setting);
      else if (there->names.size() < setting.names.size())
        *there = setting;
    }
  return out;
}

} // namespace

std::string man_page(const command_table& of) {
  const auto& executable = of.commands.front();
  auto out = ".TH CREDENCE 1 \"\" \"credence " CREDENCE_VERSION "\"\n.ad l\n.SH NAME\ncredence \\- "
             + plain(executable.help.substr(executable.help.find(' ') + 1))
             + "\n.SH SYNOPSIS\n.B credence\n.I COMMAND\n.RI [ OPTIONS ]\n.SH OPTIONS\n";
  for (const auto& option : executable.options)
    out += entry(option);
  out += ".SH COMMANDS\n";
  for (const auto& command : of.commands)
    if (!command.path.empty())
      out += section(command);
  out += ".SH SETTINGS\nA setting comes from its flag, else from the environment, else from the file that "
         + bold("--config") + " names, else it has its default, which stands here in brackets.\n";
  for (const auto& setting : all_settings(of))
    out += entry(setting);
  out += ".SH EXIT STATUS\n";
  for (const auto& [code, meaning] : of.exit_codes)
    out += ".TP\n" + bold(std::to_string(code)) + "\n" + plain(meaning) + "\n";
  out += ".SH EXAMPLES\n";
  for (const auto& example : of.examples)
    out += verbatim(example);
  return out;
}

int man(const command_line& line) {
  std::cout << man_page(line.table());
  return ok;
}

} // namespace credence::commands
