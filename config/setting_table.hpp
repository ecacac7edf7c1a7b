#pragma once

// Private to config/: how load.cpp writes its list of settings down.

#include "config/load.hpp"
#include "config/setting_checks.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace credence::settings {

/// Nothing when the text was taken, else what would be right.
using taker = std::function<std::optional<std::string>(all&, const std::string&)>;
using teller = std::function<std::string(const all&)>;

struct setting {
  description about;
  taker take;
  teller tell;
};

/// Builds the table; each call of a public function adds one setting, `secret_text` also the file that it may be in.
class table {
public:
  template <class Get>
  void number(std::string name, std::string alias, std::string help, std::int64_t low, std::int64_t high, Get at) {
    help += " (" + std::to_string(low) + " to " + std::to_string(high) + ")";
    add(
      std::move(name), std::move(alias), std::move(help), false, false,
      [at, low, high](all& s, const std::string& text) -> std::optional<std::string> {
        const auto value = whole_number(text);
        if (!value || *value < low || *value > high)
          return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
        at(s) = static_cast<std::remove_reference_t<decltype(at(s))>>(*value);
        return std::nullopt;
      },
      [at](const all& s) { return std::to_string(at(const_cast<all&>(s))); });
  }
  template <class Get>
  void milliseconds_of(std::string name, std::string help, std::int64_t low, std::int64_t high, Get at) {
    help += ", in milliseconds (" + std::to_string(low) + " to " + std::to_string(high) + ")";
    add(
      std::move(name), "", std::move(help), false, false,
      [at, low, high](all& s, const std::string& text) -> std::optional<std::string> {
        const auto value = whole_number(text);
        if (!value || *value < low || *value > high)
          return "milliseconds from " + std::to_string(low) + " to " + std::to_string(high);
        at(s) = std::remove_reference_t<decltype(at(s))>{*value};
        return std::nullopt;
      },
      [at](const all& s) { return std::to_string(at(const_cast<all&>(s)).count()); });
  }
  template <class Get>
  void text(std::string name, std::string alias, std::string help, Get at, std::vector<std::string> choices = {}) {
    for (std::size_t i = 0; i < choices.size(); ++i)
      help += (i == 0 ? ": " : i + 1 == choices.size() ? " or " : ", ") + choices[i];
    add(
      std::move(name), std::move(alias), std::move(help), false, false,
      [at, choices](all& s, const std::string& given) -> std::optional<std::string> {
        if (!choices.empty() && std::find(choices.begin(), choices.end(), given) == choices.end()) {
          std::string wanted = "one of";
          for (const auto& choice : choices)
            wanted += " " + choice;
          return wanted;
        }
        at(s) = given;
        return std::nullopt;
      },
      [at](const all& s) { return at(const_cast<all&>(s)); });
    entries.back().about.choices = std::move(choices);
  }
  /// A text that `good` accepts; `wanted` says which ones are.
  template <class Get>
  void checked(std::string name, std::string alias, std::string help, Get at, bool (*good)(const std::string&),
               std::string wanted) {
    add(
      std::move(name), std::move(alias), std::move(help), false, false,
      [at, good, wanted](all& s, const std::string& given) -> std::optional<std::string> {
        if (!good(given))
          return wanted;
        at(s) = given;
        return std::nullopt;
      },
      [at](const all& s) { return at(const_cast<all&>(s)); });
  }
  template <class Get>
  void flag(std::string name, std::string help, Get at) {
    add(
      std::move(name), "", std::move(help) + ": true or false", false, false,
      [at](all& s, const std::string& given) -> std::optional<std::string> {
        if (given != "true" && given != "false")
          return "true or false";
        at(s) = given == "true";
        return std::nullopt;
      },
      [at](const all& s) { return at(const_cast<all&>(s)) ? "true" : "false"; });
    entries.back().about.choices = {"true", "false"};
  }
  /// A secret that whoever uses it reads and checks, from a file of its own kind, too.
  template <class Get>
  void private_text(std::string name, std::string help, Get at) {
    add(
      std::move(name), "", std::move(help), true, false,
      [at](all& s, const std::string& given) -> std::optional<std::string> {
        at(s) = secret{given};
        return std::nullopt;
      },
      [at](const all& s) { return at(const_cast<all&>(s)).empty() ? "" : "***"; });
  }
  template <class Get>
  void secret_text(const std::string& name, std::string alias, const std::string& help, Get at, std::size_t least = 0) {
    const auto too_short = [least](const std::string& given) -> std::optional<std::string> {
      if (given.empty() || given.size() >= least)
        return std::nullopt;
      return "at least " + std::to_string(least) + " bytes long";
    };
    add(
      name, std::move(alias), help, true, false,
      [at, too_short](all& s, const std::string& given) -> std::optional<std::string> {
        at(s) = secret{given};
        return too_short(given);
      },
      [at](const all& s) { return at(const_cast<all&>(s)).empty() ? "" : "***"; });
    add(
      name + "_file", "", "file whose first line is " + name + "; keeps it off command lines", false, false,
      [at, too_short](all& s, const std::string& path) -> std::optional<std::string> {
        auto line = first_line(path);
        if (!line)
          return "a file that can be read";
        const auto flaw = too_short(*line);
        at(s) = secret{*std::move(line)};
        return flaw ? std::optional{"a file whose first line is " + *flaw} : std::nullopt;
      },
      [](const all&) { return ""; });
  }
  template <class Get>
  void ids(std::string name, std::string alias, std::string help, Get at) {
    add(
      std::move(name), std::move(alias), std::move(help), false, true,
      [at](all& s, const std::string& given) -> std::optional<std::string> {
        std::vector<std::int32_t> out;
        for (const auto& part : parts_of(given)) {
          const auto value = whole_number(part);
          if (!value || *value < 1 || *value > 2147483647)
            return "profile ids from 1 to 2147483647, separated by commas";
          out.push_back(static_cast<std::int32_t>(*value));
        }
        at(s) = std::move(out);
        return std::nullopt;
      },
      [at](const all& s) {
        std::string out;
        for (const auto id : at(const_cast<all&>(s)))
          out += (out.empty() ? "" : ",") + std::to_string(id);
        return out;
      });
  }

  /// A list whose parts `good` accepts; `wanted` says which ones are.
  template <class Get>
  void texts(std::string name, std::string help, Get at, bool (*good)(const std::string&), std::string wanted) {
    add(
      std::move(name), "", std::move(help), false, true,
      [at, good, wanted](all& s, const std::string& given) -> std::optional<std::string> {
        auto parts = parts_of(given);
        if (!std::all_of(parts.begin(), parts.end(), good))
          return wanted;
        at(s) = std::move(parts);
        return std::nullopt;
      },
      [at](const all& s) {
        std::string out;
        for (const auto& part : at(const_cast<all&>(s)))
          out += (out.empty() ? "" : ",") + part;
        return out;
      });
  }
  /// A rate and a burst, or 0 for no bound.
  template <class Get>
  void rate_of(std::string name, std::string help, Get at) {
    add(
      std::move(name), "", std::move(help) + ", such as '10/min burst 30', 0 for no bound", false, false,
      [at](all& s, const std::string& given) -> std::optional<std::string> {
        const auto value = parse_rate(given);
        if (!value)
          return "0 or a rate such as '200/s burst 2000': 1 to 1000000 in a s, min or h, and at once";
        at(s) = *value;
        return std::nullopt;
      },
      [at](const all& s) { return text_of(at(const_cast<all&>(s))); });
  }

  std::vector<setting> entries;

private:
  void add(std::string name, std::string alias, std::string help, bool is_secret, bool is_list, taker take,
           teller tell) {
    const auto initial = tell(all{});
    entries.push_back({{std::move(name), std::move(alias), std::move(help), initial, is_secret, is_list, {}},
                       std::move(take),
                       std::move(tell)});
  }
};

/// The settings of the chain that is followed, of master keys and signatures of wallets, of people, and of scores.
void chain_section(table& t);
void wallet_keys_section(table& t);
void wallet_signing_section(table& t);
void people_section(table& t);
void score_section(table& t);
/// The settings of the admin listener, and who may use it.
void console_listener(table& t);
void console_roles(table& t);
/// The settings of partners and of managed wallets.
void partner_section(table& t);

} // namespace credence::settings
