#include "http/outside/x_posts.hpp"

#include "http/outside/outside_url.hpp"

#include <algorithm>
#include <ctime>
#include <memory>
#include <utility>

namespace credence::http {

namespace {

using news::looked_up;
using result = looked_up::result;

looked_up failed(std::string why) { return {.outcome = result::failed, .why = std::move(why)}; }

/// What an answer comes to by its status alone; nothing when its body counts.
std::optional<looked_up> by_status(const client_answer& answer) {
  if (answer.status == 200)
    return std::nullopt;
  if (answer.status == 404)
    return looked_up{.outcome = result::none};
  auto why = "the source answered " + std::to_string(answer.status);
  if (answer.status != 429 && answer.retry_after.count() <= 0)
    return failed(std::move(why));
  looked_up out{.outcome = result::limited, .pause = answer.retry_after, .why = std::move(why)};
  if (out.pause.count() <= 0) // what X sends instead
    out.pause = std::chrono::seconds{std::max<std::int64_t>(answer.rate_limit_reset - std::time(nullptr), 0)};
  return out;
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

} // namespace

x_posts::x_posts(const settings::news& how, const std::atomic<bool>& given_up)
  : base_(how.base_url), token_(how.token), asking_({.timeout = how.timeout,
                                                     .body_bytes_max = body_bytes_max,
                                                     .by_proxy = is_secure_url(how.base_url),
                                                     .given_up = &given_up}) {
  while (base_.ends_with('/'))
    base_.pop_back();
}

looked_up x_posts::newest_of(const news::account& whose) {
  try {
    if (!whose.id.empty())
      return timeline_of(whose.id, whose.name);
    const auto answer = asking_.get(base_ + "/2/users/by/username/" + whose.name, token_.reveal());
    if (auto known = by_status(answer))
      return *std::move(known);
    auto found = read_x_account(answer.body);
    if (const auto* flaw = std::get_if<x_flaw>(&found))
      return failed(flaw->why);
    if (const auto* id = std::get_if<std::string>(&found))
      return timeline_of(*id, whose.name);
    return {.outcome = result::none};
  } catch (const client_error& error) {
    return failed(error.what());
  }
}

looked_up x_posts::timeline_of(const std::string& id, const std::string& name) {
  const auto answer = asking_.get(
    base_ + "/2/users/" + id + "/tweets?max_results=5&exclude=retweets,replies&tweet.fields=created_at,public_metrics",
    token_.reveal());
  if (auto known = by_status(answer))
    return *std::move(known);
  auto found = read_x_timeline(answer.body, name);
  if (const auto* flaw = std::get_if<x_flaw>(&found))
    return failed(flaw->why);
  if (auto* post = std::get_if<news::post>(&found))
    return {.outcome = result::found, .newest = std::make_shared<const news::post>(std::move(*post))};
  return {.outcome = result::none};
}

std::vector<std::string> news_mistakes(const settings::news& with) {
  const auto& token = with.token.reveal();
  if (!with.on())
    return token.empty()
             ? std::vector<std::string>{}
             : std::vector<std::string>{"news.base_url is empty, but news.token is given: both, or neither"};
  std::vector<std::string> out;
  const std::string setting = "news.base_url is '" + with.base_url + "', but must be ";
  if (const auto wanted = mistake_in_url(with.base_url))
    out.push_back(setting + *wanted);
  else if (with.base_url.find('?') != std::string::npos)
    out.push_back(setting + "a URL without a query: /2/users/… is put behind it");
  if (token.empty())
    out.push_back("news.token is empty, but news.base_url asks for a bearer token");
  else if (!std::all_of(token.begin(), token.end(), is_visible))
    out.push_back("news.token is ***, but must be visible ASCII characters without blanks");
  return out;
}

} // namespace credence::http
