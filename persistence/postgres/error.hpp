#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace credence::persistence {

/// Why a statement gave no answer.
enum class trouble : std::uint8_t {
  refused,  // the server said no; the connection is fine, the transaction rolled back
  lost,     // the connection is gone; whether a commit under way took place is unknown
  deadline, // our deadline passed; the connection has been closed, outcome unknown
  usage,    // a mistake on our side: a malformed URL, a column that an answer has not
};

/// What every function of postgres/ throws. The text never holds the password, nor
/// values of a row (PostgreSQL keeps those in the detail, which is left out).
class database_error : public std::runtime_error {
public:
  database_error(trouble why, std::string sqlstate, const std::string& text)
    : std::runtime_error(text), why_(why), sqlstate_(std::move(sqlstate)) {}
  trouble why() const noexcept { return why_; }
  /// Five characters, or empty when the server gave none.
  const std::string& sqlstate() const noexcept { return sqlstate_; }
  /// The first two characters of `sqlstate`.
  std::string_view sqlclass() const noexcept { return std::string_view{sqlstate_}.substr(0, 2); }

private:
  trouble why_;
  std::string sqlstate_;
};

} // namespace credence::persistence
