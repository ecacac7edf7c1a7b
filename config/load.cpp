#include "config/load.hpp"

#include "config/setting_checks.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <concepts>
#include <optional>
#include <sstream>
#include <string_view>

namespace credence::settings {

namespace {

/// What a value must be, beside its type.
struct bounds {
  std::int64_t low = 0, high = 0;             // of numbers and milliseconds
  std::size_t length_min = 0;                 // of a secret that is set, in bytes
  bool (*good)(const std::string&) = nullptr; // of a text, or of each in a list
  std::string_view wanted;                    // what that takes
  std::string_view choices;                   // all that a text may be, separated by commas; empty: any
};

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string out;
  for (const auto& part : parts)
    out += (out.empty() ? "" : between) + part;
  return out;
}

/// Nothing when the text was taken, else what would be right.
using flaw = std::optional<std::string>;

std::optional<std::int64_t> number_within(const bounds& of, const std::string& text) {
  const auto value = whole_number(text);
  return value && *value >= of.low && *value <= of.high ? value : std::nullopt;
}
std::string range(const bounds& of) { return std::to_string(of.low) + " to " + std::to_string(of.high); }

// -- reading: one function a type -----------------------------------------------------

template <std::integral Number>
flaw take(Number& to, const std::string& text, const bounds& of) {
  const auto value = number_within(of, text);
  if (!value)
    return "a whole number from " + range(of);
  to = static_cast<Number>(*value);
  return std::nullopt;
}

flaw take(milliseconds& to, const std::string& text, const bounds& of) {
  const auto value = number_within(of, text);
  if (!value)
    return "milliseconds from " + range(of);
  to = milliseconds{*value};
  return std::nullopt;
}

flaw take(bool& to, const std::string& text, const bounds&) {
  if (text != "true" && text != "false")
    return "true or false";
  to = text == "true";
  return std::nullopt;
}

flaw take(std::string& to, const std::string& text, const bounds& of) {
  if (const auto all = parts_of(std::string{of.choices});
      !all.empty() && std::find(all.begin(), all.end(), text) == all.end())
    return "one of " + joined(all, " ");
  if (of.good && !of.good(text))
    return std::string{of.wanted};
  to = text;
  return std::nullopt;
}

flaw take(secret& to, const std::string& text, const bounds& of) {
  to = secret{text};
  if (text.empty() || text.size() >= of.length_min)
    return std::nullopt;
  return "at least " + std::to_string(of.length_min) + " bytes long";
}

flaw take(std::vector<std::int32_t>& to, const std::string& text, const bounds&) {
  std::vector<std::int32_t> out;
  for (const auto& part : parts_of(text)) {
    const auto value = number_within({.low = 1, .high = INT32_MAX}, part);
    if (!value)
      return "profile ids from 1 to 2147483647, separated by commas";
    out.push_back(static_cast<std::int32_t>(*value));
  }
  to = std::move(out);
  return std::nullopt;
}

flaw take(std::vector<std::string>& to, const std::string& text, const bounds& of) {
  auto parts = parts_of(text);
  if (of.good && !std::all_of(parts.begin(), parts.end(), of.good))
    return std::string{of.wanted};
  to = std::move(parts);
  return std::nullopt;
}

flaw take(rate& to, const std::string& text, const bounds&) {
  const auto value = parse_rate(text);
  if (!value)
    return "0 or a rate such as '200/s burst 2000': 1 to 1000000 in a s, min or h, and at once";
  to = *value;
  return std::nullopt;
}

// -- showing --------------------------------------------------------------------------

template <std::integral Number>
std::string shown_as(Number value) {
  return std::to_string(value);
}
std::string shown_as(bool value) { return value ? "true" : "false"; }
std::string shown_as(milliseconds value) { return std::to_string(value.count()); }
std::string shown_as(const std::string& value) { return value; }
std::string shown_as(const secret& value) { return value.empty() ? "" : "***"; }
std::string shown_as(const rate& value) { return text_of(value); }
std::string shown_as(const std::vector<std::string>& value) { return joined(value, ","); }
std::string shown_as(const std::vector<std::int32_t>& value) {
  std::vector<std::string> out;
  for (const auto id : value)
    out.push_back(std::to_string(id));
  return joined(out, ",");
}

// -- the table ------------------------------------------------------------------------

/// How values of a type are read and shown.
struct value_type {
  flaw (*take)(void* to, const std::string& text, const bounds& of);
  std::string (*shown)(const void* value);
};
template <class T>
constexpr value_type values_of{
  [](void* to, const std::string& text, const bounds& of) { return settings::take(*static_cast<T*>(to), text, of); },
  [](const void* value) { return shown_as(*static_cast<const T*>(value)); }};

/// A setting as config/settings.toml declares it. The rows are constants: built by code, they took a compiler minutes.
struct declaration {
  std::string_view name, alias, help, example;
  bool required = false;
  bool with_file = false; // its value may be the first line of a file, which `name` with `_file` names
  bool is_secret = false, is_list = false;
  bounds of;
  void* (*at)(all&);
  const value_type* type;
};
constexpr declaration declarations[] = {
#include "setting_table.inc"
};

struct setting {
  description about;
  const declaration* of;
  bool in_file = false; // the setting of the file that the value may be in

  flaw take(all& to, const std::string& text) const {
    if (!in_file)
      return of->type->take(of->at(to), text, of->of);
    const auto line = first_line(text);
    if (!line)
      return "a file that can be read";
    const auto wrong = of->type->take(of->at(to), *line, of->of);
    return wrong ? std::optional{"a file whose first line is " + *wrong} : std::nullopt;
  }
  std::string tell(const all& of_these) const {
    return in_file ? std::string{} : of->type->shown(of->at(const_cast<all&>(of_these)));
  }
};

const std::vector<setting>& settings_table() {
  static const auto list = [] {
    std::vector<setting> out;
    const all defaults;
    for (const auto& each : declarations) {
      auto& fresh = out.emplace_back();
      fresh.of = &each;
      fresh.about = {.name = std::string{each.name},
                     .alias = std::string{each.alias},
                     .help = std::string{each.help},
                     .initial = fresh.tell(defaults),
                     .is_secret = each.is_secret,
                     .is_list = each.is_list,
                     .choices = parts_of(std::string{each.of.choices}),
                     .example = std::string{each.example},
                     .required = each.required};
      if (!each.with_file)
        continue;
      const auto name = std::string{each.name};
      auto& file = out.emplace_back(setting{{}, &each, true});
      file.about.name = name + "_file";
      file.about.help = "file whose first line is " + name + "; keeps it off command lines";
    }
    return out;
  }();
  return list;
}

std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = above;
    }
  }
  return row[b.size()];
}

template <class Spell>
std::string nearest_setting(const std::string& wrong, Spell spell) {
  std::vector<std::string> known;
  for (const auto& each : settings_table())
    known.push_back(spell(each.about.name));
  return nearest(wrong, known);
}

class loading {
public:
  void file(const std::string& path) {
    toml::table root;
    try {
      root = toml::parse_file(path);
    } catch (const toml::parse_error& error) {
      std::ostringstream where;
      where << path;
      if (error.source().begin.line > 0)
        where << ":" << error.source().begin.line;
      out.mistakes.push_back(where.str() + ": " + std::string{error.description()});
      return;
    }
    walk(root, "");
  }

  void environment(const std::vector<std::string>& variables) {
    for (const auto& each : variables) {
      const auto mark = each.find('=');
      if (mark == std::string::npos || !each.starts_with("CREDENCE_"))
        continue;
      const auto name = each.substr(0, mark);
      if (name == "CREDENCE_CONFIG")
        continue; // names the file
      const auto* found = find([&](const setting& s) { return variable_of(s.about.name) == name; });
      if (!found)
        out.mistakes.push_back("environment: " + name + " is not a setting; did you mean "
                               + nearest_setting(name, variable_of) + "?");
      else
        take(*found, each.substr(mark + 1), "environment", name);
    }
  }

  void flags(const given_flags& given) {
    for (const auto& [name, value] : given)
      if (const auto* found = find([&, wanted = name](const setting& s) { return s.about.name == wanted; }))
        take(*found, value, "flag", flag_of(name));
  }

  loaded finish() {
    for (const auto& each : settings_table()) {
      const auto& name = each.about.name;
      const auto found = origins_.find(name);
      if (name.ends_with("_file") && found == origins_.end())
        continue;
      out.list.push_back({name, name.ends_with("_file") ? given_[name] : each.tell(out.values),
                          found == origins_.end() ? "default" : found->second});
    }
    while (!out.values.http.public_url.empty() && out.values.http.public_url.back() == '/')
      out.values.http.public_url.pop_back();
    return std::move(out);
  }

  loaded out;

private:
  template <class Is>
  static const setting* find(Is is) {
    const auto& list = settings_table();
    const auto found = std::find_if(list.begin(), list.end(), is);
    return found == list.end() ? nullptr : &*found;
  }

  void take(const setting& setting, const std::string& text, const std::string& origin, const std::string& spelled) {
    if (const auto wanted = setting.take(out.values, text)) {
      out.mistakes.push_back(origin + ": " + spelled + " is " + (setting.about.is_secret ? "***" : "'" + text + "'")
                             + ", but must be " + *wanted);
      return;
    }
    origins_[setting.about.name] = origin;
    given_[setting.about.name] = text;
  }

  void walk(const toml::table& at, const std::string& prefix) {
    for (const auto& [key, node] : at) {
      const auto name = prefix + std::string{key.str()};
      if (const auto* deeper = node.as_table()) {
        walk(*deeper, name + ".");
        continue;
      }
      const auto origin = "file:" + std::to_string(node.source().begin.line);
      const auto* found = find([&](const setting& s) { return s.about.name == name; });
      if (!found) {
        out.mistakes.push_back(origin + ": " + name + " is not a setting; did you mean "
                               + nearest_setting(name, [](const std::string& n) { return n; }) + "?");
        continue;
      }
      if (const auto text = as_text(node))
        take(*found, *text, origin, name);
      else
        out.mistakes.push_back(origin + ": " + name + " has a value of the wrong type");
    }
  }

  static std::optional<std::string> as_text(const toml::node& node) {
    if (const auto* text = node.as_string())
      return text->get();
    if (const auto* number = node.as_integer())
      return std::to_string(number->get());
    if (const auto* flag = node.as_boolean())
      return flag->get() ? "true" : "false";
    if (const auto* list = node.as_array()) {
      std::string out;
      for (const auto& each : *list) {
        const auto text = each.is_array() ? std::nullopt : as_text(each);
        if (!text)
          return std::nullopt;
        out += (out.empty() ? "" : ",") + *text;
      }
      return out;
    }
    return std::nullopt;
  }

  std::map<std::string, std::string> origins_;
  std::map<std::string, std::string> given_;
};

} // namespace

std::string nearest(const std::string& wrong, const std::vector<std::string>& known) {
  const auto best = std::min_element(known.begin(), known.end(), [&](const std::string& a, const std::string& b) {
    return distance(wrong, a) < distance(wrong, b);
  });
  return best == known.end() ? std::string{} : *best;
}

const std::vector<description>& descriptions() {
  static const auto list = [] {
    std::vector<description> out;
    for (const auto& each : settings_table())
      out.push_back(each.about);
    return out;
  }();
  return list;
}

std::string flag_of(const std::string& name) {
  auto out = "--" + name;
  std::replace_if(
    out.begin(), out.end(), [](char c) { return c == '.' || c == '_'; }, '-');
  return out;
}

std::string variable_of(const std::string& name) {
  std::string out = "CREDENCE_";
  for (const char c : name)
    out += c == '.' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return out;
}

loaded load(const given_flags& flags, const std::vector<std::string>& environment, const std::string& file) {
  loading work;
  if (!file.empty())
    work.file(file);
  work.environment(environment);
  work.flags(flags);
  return work.finish();
}

} // namespace credence::settings
