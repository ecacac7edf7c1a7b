#include "http/call/json_body.hpp"

#include "actors/domain/text.hpp"
#include "config/limits.hpp"
#include "http/call/parameters.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace credence::http {

namespace {

namespace dom = simdjson::dom;

/// A body may have thousands of members that nobody knows; so many are told.
constexpr std::size_t other_members_told_max = 10;

struct reader {
  dom::parser parser{1024 * 1024};
  dom::element root;
  // The list that was asked for last as one of objects: its path, and its items, which are found there at once.
  std::string listed;
  std::vector<dom::element> items;
};

reader& this_thread() {
  thread_local reader one;
  return one;
}

refusal bad(std::string why) { return {refusal_code::invalid_input, std::move(why)}; }

/// What is wrong with a value that parsed, or nothing. The parser bounds the depth,
/// so recursion is bounded too.
std::optional<std::string> flaw_in(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::STRING:
      if (std::string_view text = value; text.find('\0') != std::string_view::npos)
        return "a text must not hold the character NUL";
      return std::nullopt;
    case dom::element_type::ARRAY:
      for (const auto item : dom::array(value))
        if (auto flaw = flaw_in(item))
          return flaw;
      return std::nullopt;
    case dom::element_type::OBJECT: {
      std::vector<std::string_view> names;
      for (const auto member : dom::object(value)) {
        if (member.key.find('\0') != std::string_view::npos)
          return "a member's name must not hold the character NUL";
        names.push_back(member.key);
        if (auto flaw = flaw_in(member.value))
          return flaw;
      }
      std::sort(names.begin(), names.end());
      if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
        return "the member '" + std::string{*twice} + "' appears twice";
      return std::nullopt;
    }
    default: return std::nullopt;
  }
}

/// The item of a list at a place that is written as a number.
dom::element item_at(const dom::array& list, std::string_view place, simdjson::error_code& error) {
  std::size_t index = 0;
  const auto [end, why] = std::from_chars(place.data(), place.data() + place.size(), index);
  dom::element found;
  error = simdjson::NO_SUCH_FIELD;
  if (why == std::errc{} && end == place.data() + place.size())
    error = list.at(index).get(found);
  return found;
}

/// Where to begin with a path: the root, or an item of the list that was asked for last; `name` loses what leads there.
dom::element first_step(std::string_view& name) {
  const auto& here = this_thread();
  if (here.listed.empty() || !name.starts_with(here.listed) || name.substr(here.listed.size(), 1) != ".")
    return here.root;
  const auto rest = name.substr(here.listed.size() + 1);
  std::size_t index = 0;
  const auto [end, why] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
  if (why != std::errc{} || end == rest.data() + rest.size() || *end != '.' || index >= here.items.size())
    return here.root;
  name = rest.substr(static_cast<std::size_t>(end - rest.data()) + 1);
  return here.items[index];
}

dom::element member(std::string_view name, simdjson::error_code& error) {
  dom::element found = first_step(name);
  for (;;) {
    const auto dot = name.find('.');
    const auto step = name.substr(0, dot);
    if (found.is_array()) {
      found = item_at(dom::array(found), step, error);
    } else {
      dom::object within;
      error = found.get(within);
      if (!error)
        error = within[step].get(found);
    }
    if (error || dot == std::string_view::npos)
      return found;
    name.remove_prefix(dot + 1);
  }
}

std::string kind_name(const dom::element& value) {
  switch (value.type()) {
    case dom::element_type::ARRAY: return "an array";
    case dom::element_type::OBJECT: return "an object";
    case dom::element_type::STRING: return "a string";
    case dom::element_type::BOOL: return "a boolean";
    case dom::element_type::NULL_VALUE: return "null";
    default: return "a number";
  }
}

/// A value as messages show it: as it was written when that is short, or else its kind.
std::string told(const dom::element& value) {
  constexpr std::size_t length_max = 40;
  if (value.is_array() || value.is_object())
    return kind_name(value);
  if (value.is_string() && value.get_string_length() > length_max)
    return kind_name(value);
  return simdjson::minify(value);
}

/// Takes the digits away that a text begins with.
std::string_view take_digits(std::string_view& from) {
  const auto digits = from.substr(0, from.find_first_not_of("0123456789"));
  from.remove_prefix(digits.size());
  return digits;
}

/// A number with a fraction or an exponent as an integer, digit by digit; nothing where it is none, does not fit 64
/// bits, or is no number.
std::optional<std::string> as_integer(std::string_view number) {
  constexpr int exponent_max = 400; // beyond what a double holds
  constexpr std::int64_t digits_max = 19;
  const bool negative = number.starts_with('-');
  auto rest = number.substr(negative ? 1 : 0);
  const auto whole = take_digits(rest);
  std::string digits{whole};
  std::int64_t zeros = 0; // that follow the digits; below 0: so many of the digits are a fraction
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const auto fraction = take_digits(rest);
    if (fraction.empty())
      return std::nullopt;
    digits += fraction;
    zeros -= static_cast<std::int64_t>(fraction.size());
  }
  if (rest.starts_with('e') || rest.starts_with('E')) {
    rest.remove_prefix(1);
    const bool down = rest.starts_with('-');
    rest.remove_prefix(down || rest.starts_with('+') ? 1 : 0);
    const auto written = take_digits(rest);
    int exponent = 0;
    if (std::from_chars(written.data(), written.data() + written.size(), exponent).ec != std::errc{}
        || exponent > exponent_max)
      return std::nullopt;
    zeros += down ? -exponent : exponent;
  }
  if (whole.empty() || (whole.size() > 1 && whole[0] == '0') || !rest.empty())
    return std::nullopt;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.empty())
    return "0";
  for (; zeros < 0 && digits.ends_with('0'); ++zeros)
    digits.pop_back();
  if (zeros < 0 || static_cast<std::int64_t>(digits.size()) + zeros > digits_max)
    return std::nullopt;
  digits.insert(0, negative ? "-" : "").append(static_cast<std::size_t>(zeros), '0');
  std::int64_t fits = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), fits).ec != std::errc{})
    return std::nullopt;
  return digits;
}

/// The same JSON where whole numbers are written as integers: `2.0` and `2e0` are integers, too (JSON Schema, 6.1.1),
/// and what some languages write. Nothing where there are no such numbers.
std::optional<std::string> with_integers(std::string_view text) {
  constexpr std::string_view of_number = "0123456789+-.eE";
  std::optional<std::string> out;
  std::size_t copied = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string || c == '"') {
      in_string = in_string != (c == '"');
      at += in_string && c == '\\' ? 1 : 0;
    } else if (c == '-' || is_digit(c)) {
      const auto end = std::min(text.find_first_not_of(of_number, at), text.size());
      const auto number = text.substr(at, end - at);
      const auto integer = number.find_first_of(".eE") == std::string_view::npos ? std::nullopt : as_integer(number);
      if (integer) {
        if (!out)
          out.emplace();
        out->append(text.substr(copied, at - copied)).append(*integer);
        copied = end;
      }
      at = end - 1;
    }
  }
  if (out)
    out->append(text.substr(copied));
  return out;
}

/// Whether something below the path was read; `read` is sorted.
bool reads_below(const std::vector<std::string>& read, const std::string& path) {
  const auto first = std::lower_bound(read.begin(), read.end(), path + ".");
  return first != read.end() && first->starts_with(path + ".");
}

/// Adds the paths of members that nobody has read, those of objects and of items of lists that were read into as well.
void find_unread(const dom::object& in, const std::string& before, const std::vector<std::string>& read,
                 std::vector<std::string>& to) {
  for (const auto member : in) {
    if (member.value.is_null())
      continue;
    const auto path = before + std::string{member.key};
    const bool by_path = member.key.find('.') == std::string_view::npos; // else a path leads to another member
    dom::object inner;
    dom::array items;
    if (by_path && reads_below(read, path) && !member.value.get(inner)) {
      find_unread(inner, path + ".", read, to);
    } else if (by_path && reads_below(read, path) && !member.value.get(items)) {
      std::size_t place = 0;
      for (const auto item : items)
        if (const auto at = path + "." + std::to_string(place++); reads_below(read, at) && !item.get(inner))
          find_unread(inner, at + ".", read, to);
    } else if (!by_path || !std::binary_search(read.begin(), read.end(), path)) {
      to.push_back(path);
    }
  }
}

/// Reads any value into this thread's root; what is wrong with the text, or nothing.
std::optional<refusal> read_root(std::string_view text) {
  auto& here = this_thread();
  here.listed.clear();
  here.items.clear();
  if (text.starts_with("\xEF\xBB\xBF"))
    return bad("the body must not begin with a byte order mark");
  if (here.parser.max_depth() != static_cast<std::size_t>(limits::json_depth_max))
    if (here.parser.allocate(64 * 1024, static_cast<std::size_t>(limits::json_depth_max)))
      return bad("the body is too large to be read");
  const auto plain = with_integers(text);
  const std::string_view read = plain ? *plain : text;
  if (const auto error = here.parser.parse(read.data(), read.size()).get(here.root))
    return bad(error == simdjson::DEPTH_ERROR
                 ? "the body is nested deeper than " + std::to_string(limits::json_depth_max) + " levels"
                 : std::string{"the body is not valid JSON: "} + simdjson::error_message(error));
  return std::nullopt;
}

} // namespace

bool has_dry_run(std::string_view body) {
  constexpr std::string_view begins = "dry";
  const auto same = [](char a, char b) { return (a | 0x20) == b; };
  const bool written = std::search(body.begin(), body.end(), begins.begin(), begins.end(), same) != body.end();
  if (!written && body.find("\\u") == std::string_view::npos)
    return false; // hardly a body has it, or letters by their numbers, so that hardly one is parsed twice
  dom::object members;
  if (read_root(body) || this_thread().root.get(members))
    return false;
  return std::any_of(members.begin(), members.end(), [](const auto& each) { return means_dry_run(each.key); });
}

outcome<json_body> json_body::parse(std::string_view text) {
  if (auto flaw = read_root(text))
    return *std::move(flaw);
  auto& here = this_thread();
  if (!here.root.is_object())
    return bad("the body must be a JSON object");
  if (auto flaw = flaw_in(here.root))
    return bad(*std::move(flaw));
  return json_body{};
}

outcome<json_body> json_body::parse_question(std::string_view text) {
  auto out = parse(text);
  if (out)
    out->asks_ = true;
  return out;
}

void json_body::refuse_others() {
  std::sort(read_.begin(), read_.end());
  std::vector<std::string> unread;
  find_unread(dom::object(this_thread().root), "", read_, unread);
  for (std::size_t i = 0; i < std::min(unread.size(), other_members_told_max); ++i) {
    const auto quoted = shown(unread[i]);
    issue(quoted.substr(1, quoted.size() - 2) + " is not known here");
  }
}

json_body::kind json_body::kind_of(std::string_view name) const {
  simdjson::error_code error;
  const auto found = member(name, error);
  if (error)
    return kind::absent;
  switch (found.type()) {
    case dom::element_type::NULL_VALUE: return kind::null;
    case dom::element_type::STRING: return kind::text;
    case dom::element_type::INT64: return kind::integer;
    case dom::element_type::BOOL: return kind::boolean;
    default: return kind::other;
  }
}

template <class Item>
std::optional<Item> json_body::scalar(std::string_view name, kind wanted, const char* what) {
  note(name);
  const auto here = kind_of(name);
  if (here == wanted) {
    simdjson::error_code error;
    return Item{member(name, error)};
  }
  if (here > kind::null)
    issue(std::string{name} + " must be " + what);
  return std::nullopt;
}

std::optional<std::string_view> json_body::text(std::string_view name) {
  return scalar<std::string_view>(name, kind::text, "a string");
}

std::optional<std::int64_t> json_body::integer(std::string_view name) {
  return scalar<std::int64_t>(name, kind::integer, "an integer");
}

std::optional<bool> json_body::boolean(std::string_view name) {
  return scalar<bool>(name, kind::boolean, "true or false");
}

template <class Item>
std::optional<std::vector<Item>> json_body::list(std::string_view name, std::size_t most, const char* of) {
  note(name);
  if (!has(name))
    return std::nullopt;
  const auto wrong = [&](const std::string& text) {
    issue(std::string{name} + " must " + text);
    return std::nullopt;
  };
  simdjson::error_code error;
  dom::array items;
  if (member(name, error).get(items))
    return wrong("be a list of " + std::string{of});
  if (items.size() > most)
    return wrong("have at most " + std::to_string(most) + " items, not " + std::to_string(items.size()));
  std::vector<Item> out;
  for (const auto each : items) {
    Item item;
    if (each.get(item))
      return wrong("be a list of " + std::string{of});
    out.push_back(item);
  }
  return out;
}

std::optional<std::vector<std::string_view>> json_body::texts(std::string_view name, std::size_t most) {
  return list<std::string_view>(name, most, "strings");
}

std::optional<std::vector<std::int64_t>> json_body::integers(std::string_view name, std::size_t most) {
  return list<std::int64_t>(name, most, "integers");
}

std::optional<std::size_t> json_body::objects(std::string_view name, std::size_t most) {
  const auto all = list<dom::object>(name, most, "objects");
  if (!all)
    return std::nullopt;
  auto& here = this_thread();
  simdjson::error_code error;
  const dom::array items = member(name, error);
  here.listed = name;
  here.items.clear();
  for (const auto each : items)
    here.items.push_back(each);
  return all->size();
}

std::optional<std::string> json_body::json(std::string_view name) const {
  simdjson::error_code error;
  const auto found = member(name, error);
  if (error || found.is_null())
    return std::nullopt;
  return simdjson::minify(found);
}

bool json_body::object(std::string_view name) {
  note(name);
  simdjson::error_code error;
  const auto found = member(name, error);
  if (error || found.is_null())
    return false;
  if (!found.is_object())
    issue(std::string{name} + " must be an object");
  return found.is_object();
}

refusal json_body::why() const {
  return {refusal_code::invalid_input, issues_.empty() ? "invalid input" : issues_.front(), issues_};
}

bool required_flag(json_body& body, std::string_view name) {
  const auto flag = body.boolean(name);
  if (!flag && body.good())
    body.issue(std::string{name} + " is required: true or false");
  return flag.value_or(true);
}

std::string_view required_text(json_body& body, std::string_view name) {
  const auto text = body.text(name);
  if (!text && body.good())
    body.issue(std::string{name} + " is required");
  return text.value_or(std::string_view{});
}

outcome<std::vector<std::int64_t>> parse_integer_list(std::string_view body, const char* of, std::size_t most,
                                                      std::int64_t least, std::int64_t greatest) {
  if (auto flaw = read_root(body))
    return *std::move(flaw);
  const std::string wanted = "a JSON array of 1 to " + std::to_string(most) + " " + of;
  dom::array items;
  if (this_thread().root.get(items))
    return bad("the body must be " + wanted + ", not " + kind_name(this_thread().root));
  if (items.size() == 0 || items.size() > most)
    return bad("the body must be " + wanted + ", not of " + std::to_string(items.size()));
  std::vector<std::int64_t> out;
  std::vector<std::string> issues;
  for (const auto each : items) {
    std::int64_t number = 0;
    if (each.get(number) || number < least || number > greatest)
      issues.push_back(std::string{of} + " must be whole numbers from " + std::to_string(least) + " to "
                       + std::to_string(greatest) + ", not " + told(each) + " at index "
                       + std::to_string(out.size() + issues.size()));
    else
      out.push_back(number);
  }
  if (!issues.empty())
    return refusal{refusal_code::invalid_input, issues.front(), issues};
  return out;
}

std::size_t characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(
    std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::optional<std::int64_t> read_billionths(json_body& body, std::string_view name) {
  constexpr double unit = 1e9;
  constexpr double most = 1e9;
  body.note(name);
  const auto here = body.kind_of(name);
  if (!body.has(name))
    return std::nullopt;
  simdjson::error_code error;
  double number = 0;
  const auto found = member(name, error);
  if (here == json_body::kind::text || here == json_body::kind::boolean || found.get(number) || number < -most
      || number > most) {
    body.issue(std::string{name} + " must be a number");
    return std::nullopt;
  }
  return std::llround(number * unit);
}

} // namespace credence::http
