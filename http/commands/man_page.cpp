#include "http/commands/command.hpp"
#include "http/commands/command_table.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace credence::commands {

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
