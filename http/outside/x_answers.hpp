#pragma once

#include "actors/news/news_types.hpp"

#include <string>
#include <string_view>
#include <variant>

/// Answers of the API of X, version 2, which are a stranger's: whatever they hold is a value or a flaw.
/// https://docs.x.com/x-api/users/get-posts, https://docs.x.com/x-api/users/get-user-by-username
namespace credence::http {

/// What an answer says there is not: no post, no such account, or one that is not shown.
struct x_nothing {};
/// What makes no sense in an answer.
struct x_flaw {
  std::string why;
};

/// The id of the account in the answer to a look-up by name.
std::variant<std::string, x_nothing, x_flaw> parse_x_account(std::string_view body);

/// The first post of an account's timeline, which is the newest. `name` is the account's, for the URL of
/// the post; empty when it is not known.
std::variant<news::post, x_nothing, x_flaw> parse_x_timeline(std::string_view body, std::string_view name);

} // namespace credence::http
