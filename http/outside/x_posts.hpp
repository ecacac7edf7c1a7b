#pragma once

#include "actors/news/news_actor.hpp"
#include "actors/news/news_types.hpp"
#include "config/settings.hpp"
#include "http/outside/client.hpp"

#include <atomic>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
std::variant<std::string, x_nothing, x_flaw> read_x_account(std::string_view body);

/// The first post of an account's timeline, which is the newest. `name` is the account's, for the URL of
/// the post; empty when it is not known.
std::variant<news::post, x_nothing, x_flaw> read_x_timeline(std::string_view body, std::string_view name);

/// The API of X, version 2, as a source of posts: of an account its newest one that is neither a reply nor
/// a repost. An account known by name only costs a second question. Belongs to one thread.
class x_posts final : public news::post_source {
public:
  /// Answers longer than that are not read.
  static constexpr std::size_t body_bytes_max = 256 * 1024;

  /// `given_up`: once true, what is under way ends within a second.
  x_posts(const settings::news& how, const std::atomic<bool>& given_up);

  news::looked_up newest_of(const news::account& whose) override;

private:
  news::looked_up timeline_of(const std::string& id, const std::string& name);

  std::string base_; // without a slash behind
  secret token_;
  client asking_;
};

/// What is wrong with the settings; empty when they are good, or there are no news.
std::vector<std::string> news_mistakes(const settings::news& with);

} // namespace credence::http
