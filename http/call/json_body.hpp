#pragma once

#include "actors/domain/outcome.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace credence::http {

/// A JSON object from a stranger, read with simdjson and these rules on top: one
/// object at the top, depth at most `limits::json_depth_max`, no name twice in one
/// object, no NUL in any text, valid UTF-8. Members that nobody asks for are ignored, but in a question they are
/// refused. `a.b` names member b of the object a, never a member of that very name; `a.0.b` that of the first item of
/// the list a. Lives until the next parse on the same thread.
class json_body {
public:
  static outcome<json_body> parse(std::string_view text);
  /// The body of a question for a list, which ends with `refuse_others`.
  static outcome<json_body> parse_question(std::string_view text);

  enum class kind : std::uint8_t { absent, null, text, integer, boolean, other };
  kind kind_of(std::string_view name) const;
  /// Whether the member is there, and not null.
  bool has(std::string_view name) const { return kind_of(name) > kind::null; }

  /// The member as text; nothing when it is absent or null. Another type adds an issue.
  std::optional<std::string_view> text(std::string_view name);
  /// The member as an integer (never through double), also one that is written as `2.0` or `2e0`. Another type adds an
  /// issue.
  std::optional<std::int64_t> integer(std::string_view name);
  /// The member as yes or no; nothing when it is absent or null. Another type adds an issue.
  std::optional<bool> boolean(std::string_view name);

  /// The member as a list of text, or of integers; nothing when it is absent, null or
  /// wrong. Another type, more than `most` items, or an item of another type adds issues.
  std::optional<std::vector<std::string_view>> texts(std::string_view name, std::size_t most);
  std::optional<std::vector<std::int64_t>> integers(std::string_view name, std::size_t most);

  /// How many objects the member lists: the items are read by their places, as `links.0.url`. Nothing when it is
  /// absent, null or wrong; another type, more than `most` items, or an item that is no object adds an issue. Until
  /// another list is asked for, reading an item takes no longer where there are many.
  std::optional<std::size_t> objects(std::string_view name, std::size_t most);
  /// The member as JSON without blanks; nothing when it is absent or null.
  std::optional<std::string> json(std::string_view name) const;
  /// Whether the member is there, an object: its members are read by their paths. Another type adds an issue.
  bool object(std::string_view name);

  /// In a question: adds a mistake for every member of the body, or of an object or an item of a list in it that was
  /// read into, that nobody has read so far: a filter that is not known is refused, as a list that ignored it would
  /// answer with the rows of everybody. Null counts as absent.
  void refuse_others();
  /// In a question: `name` counts as read.
  void note(std::string_view name) {
    if (asks_)
      read_.emplace_back(name);
  }

  /// Adds what is wrong; all of it is told at once.
  void issue(std::string text) { issues_.push_back(std::move(text)); }
  bool good() const noexcept { return issues_.empty(); }
  /// The refusal that lists every issue.
  refusal why() const;

private:
  json_body() = default;
  template <class Item>
  std::optional<Item> scalar(std::string_view name, kind wanted, const char* what);
  template <class Item>
  std::optional<std::vector<Item>> list(std::string_view name, std::size_t most, const char* of);
  std::vector<std::string> issues_;
  bool asks_ = false;
  std::vector<std::string> read_; // in a question: names of what was read, found or not
};

/// Whether the body of a write is an object with a member by which somebody means `dryRun`, which belongs in the query.
bool has_dry_run(std::string_view body);

/// A member that has to be there as yes or no; yes where it is not, which adds an issue.
bool required_flag(json_body& body, std::string_view name);
/// A member that has to be there as text; an empty text where it is not, which adds an issue.
std::string_view required_text(json_body& body, std::string_view name);

/// A JSON array of 1 to `most` integers from `least` to `greatest` that is a whole body; `of` says what they are,
/// such as "profile ids". Read with the rules of `json_body`; refused with every item that is wrong.
outcome<std::vector<std::int64_t>> parse_integer_list(std::string_view body, const char* of, std::size_t most,
                                                      std::int64_t least, std::int64_t greatest);

/// Number of characters (code points) of valid UTF-8.
std::size_t characters(std::string_view text) noexcept;

/// A member of a body that is a number with or without a fraction, in billionths: the nearest whole number of them.
/// Nothing when it is absent or null. Another type, or a number beyond ± 10^9, adds an issue.
std::optional<std::int64_t> read_billionths(json_body& body, std::string_view name);

} // namespace credence::http
