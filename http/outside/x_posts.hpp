#pragma once

#include "actors/news/post_source.hpp"
#include "config/settings.hpp"
#include "http/outside/client.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace credence::http {

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
