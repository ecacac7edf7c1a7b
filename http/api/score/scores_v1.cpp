#include "actors/people/people_actor.hpp"
#include "actors/people/people_state.hpp"
#include "actors/score/score_actor.hpp"
#include "http/api/people/people_json.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/replies.hpp"
#include "http/api/score/durations.hpp"
#include "http/api/score/operations.hpp"
#include "http/call/page_json.hpp"
#include "http/call/userkey.hpp"

#include <set>

namespace credence::http::v1 {

namespace {

std::int32_t score_of(const people::found_person& who) { return who ? who.score : people::neutral_score; }

void get_score(call& c, std::string_view name, v2::key_parser parse) {
  parameters given{c.query()};
  people::find_people look{{v2::read_key(given, name, parse)}};
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().people, std::move(look), [](call& later, people::found_people& came) {
    reply_data_with(later, [&](json_writer& to) { encode_score(to, score_of(came.people.front())); });
  });
}

void encode_history(json_writer& to, const score::score_history& found, std::string_view target, page slice) {
  const auto total = static_cast<std::int64_t>(found.entries.size());
  const auto from = std::min<std::int64_t>(slice.offset, total);
  const auto end = std::min<std::int64_t>(std::int64_t{slice.offset} + slice.limit, total);
  to.begin_object();
  to.key("values"); // the newest first
  to.begin_array();
  for (auto i = from; i < end; ++i) {
    const auto& each = found.entries[static_cast<std::size_t>(total - 1 - i)];
    to.begin_object();
    to.field("id", each.at.time_since_epoch().count());
    to.field("score", each.score);
    to.field("target", target);
    to.field("createdAt", each.at);
    to.end_object();
  }
  to.end_array();
  encode_slice(to, total, slice);
  to.end_object();
}

} // namespace

void get_score_of_address(call& c) { get_score(c, "address", &parse_address_key); }
void get_score_of_userkey(call& c) { get_score(c, "userkey", &parse_userkey); }

void list_score_history(call& c) {
  parameters given{c.query()};
  const auto duration = given.required("duration", "(1d, 7d, 30d, 90d, 180d, 6m, 1y or all)",
                                       [&] { return given.choice("duration", duration_names); });
  const auto slice = read_page(given);
  if (!given.good())
    co_return c.refuse(given.why());
  const std::string target{c.path_part("userkey")};
  auto key = parse_userkey(target);
  if (!key)
    co_return c.refuse(key.why());
  people::find_people look{{*std::move(key)}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const score::get_history question{came.people.front().user, start_of(*duration, c.now())};
  const auto found = co_await c.ask(c.to().scores, question);
  reply_data_with(c, [&](json_writer& to) { encode_history(to, found, target, slice); });
}

void get_scores(call& c) {
  parameters given{c.query()};
  auto query = v2::read_keys(given, c.body(), "userkeys", &parse_userkey);
  if (!given.good())
    return c.refuse(given.why());
  people::find_people look{std::move(query.keys)};
  c.ask(c.to().people, std::move(look), [texts = std::move(query.texts)](call& later, people::found_people& came) {
    std::set<std::string_view> written; // the same text twice would be the same member twice
    reply_data_with(later, [&](json_writer& to) {
      to.begin_object();
      for (std::size_t i = 0; i < texts.size(); ++i)
        if (written.insert(texts[i]).second) {
          to.text_key(texts[i]);
          encode_score(to, score_of(came.people[i]));
        }
      to.end_object();
    });
  });
}

} // namespace credence::http::v1
