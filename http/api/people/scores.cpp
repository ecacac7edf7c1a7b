#include "actors/domain/keyed_hash.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/people/people_index.hpp"
#include "actors/people/people_state.hpp"
#include "http/api/people/known_keys.hpp"
#include "http/api/people/operations.hpp"
#include "http/api/people/people_json.hpp"
#include "http/api/people/questions.hpp"
#include "http/call/userkey.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace credence::http::v2 {

namespace {

using people::found_person;
using people::lookup_key;
using standing = people::people_index::standing;

/// Scores that were asked for and whom the keys lead to, as far as that is known.
struct wanted_scores {
  named_keys keys;
  std::vector<found_person> found;
  std::vector<std::size_t> missing; // places in `keys`
};

/// Whom a key leads to, without asking anybody. A profile's id leads to itself.
std::optional<found_person> at_hand(const call& c, const lookup_key& key) {
  if (key.how == lookup_key::form::profile) {
    const profile_id profile{key.number};
    if (c.to().people_known->standing_of(profile) != standing::unknown)
      return found_person{{}, profile, 0, 0};
  }
  const auto* known = c.keys().find(key, c.started());
  return known ? std::optional{*known} : std::nullopt;
}

/// A profile's score is what memory says, which follows the database by itself.
std::int32_t score_of(const call& c, const found_person& who) {
  if (who.profile && c.to().people_known->standing_of(*who.profile) != standing::unknown)
    return c.to().people_known->score_of(*who.profile);
  return who ? who.score : people::neutral_score;
}

void reply_score(call& c, const found_person& who) {
  json_writer to{c.out()};
  encode_score(to, score_of(c, who));
  c.reply();
}

void get_score_of(call& c, lookup_key key) {
  if (const auto known = at_hand(c, key))
    return reply_score(c, *known);
  people::find_people question{{key}};
  c.ask(c.to().people, std::move(question), [key = std::move(key)](call& later, people::found_people& came) {
    later.keys().take(key, came.people.front(), later.started());
    reply_score(later, came.people.front());
  });
}

/// `triggerCalculation` makes no difference: a score is worked out as soon as anything that it rests on changes.
void get_score(call& c, std::string_view name, key_parser parse) {
  static constexpr std::array<std::string_view, 2> words{"false", "true"};
  parameters given{c.query()};
  auto key = read_key(given, name, parse);
  given.choice("triggerCalculation", words);
  if (!given.good())
    return c.refuse(given.why());
  get_score_of(c, std::move(key));
}

void reply_scores(call& c, const wanted_scores& wanted) {
  json_writer to{c.out()};
  to.begin_object();
  for (std::size_t i = 0; i < wanted.keys.texts.size(); ++i) {
    to.text_key(wanted.keys.texts[i]);
    encode_score(to, score_of(c, wanted.found[i]));
  }
  to.end_object();
  c.reply();
}

void reply_with_found(call& c, wanted_scores& wanted, const people::found_people& came) {
  for (std::size_t i = 0; i < wanted.missing.size(); ++i) {
    const auto place = wanted.missing[i];
    wanted.found[place] = came.people[i];
    c.keys().take(wanted.keys.keys[place], came.people[i], c.started());
  }
  reply_scores(c, wanted);
}

/// The same text twice would be the same member twice.
void drop_repeats(named_keys& from) {
  std::unordered_set<std::string_view, keyed_hash> seen;
  named_keys out;
  for (std::size_t i = 0; i < from.texts.size(); ++i)
    if (seen.insert(from.texts[i]).second) {
      out.texts.push_back(from.texts[i]);
      out.keys.push_back(std::move(from.keys[i]));
    }
  from = std::move(out);
}

people::find_people look_up(const call& c, wanted_scores& wanted) {
  people::find_people question;
  wanted.found.resize(wanted.keys.keys.size());
  for (std::size_t i = 0; i < wanted.keys.keys.size(); ++i) {
    const auto& key = wanted.keys.keys[i];
    if (const auto known = at_hand(c, key)) {
      wanted.found[i] = *known;
      continue;
    }
    wanted.missing.push_back(i);
    question.keys.push_back(key);
  }
  return question;
}

void post_scores_of(call& c, named_keys keys) {
  wanted_scores wanted{std::move(keys), {}, {}};
  drop_repeats(wanted.keys);
  auto question = look_up(c, wanted);
  if (question.keys.empty())
    return reply_scores(c, wanted);
  c.ask(c.to().people, std::move(question),
        [wanted = std::move(wanted)](call& later, people::found_people& came) mutable {
          reply_with_found(later, wanted, came);
        });
}

void post_scores(call& c, std::string_view name, key_parser parse) {
  parameters given{c.query()};
  auto keys = read_keys(given, c.body(), name, parse);
  if (!given.good())
    return c.refuse(given.why());
  post_scores_of(c, std::move(keys));
}

void on_xp(call& c, people::found_people& came) {
  json_writer{c.out()}.value(came.people.front().xp_total);
  c.reply();
}

} // namespace

void get_score_of_address(call& c) { get_score(c, "address", &parse_address_key); }
void get_score_of_userkey(call& c) { get_score(c, "userkey", &parse_userkey); }
void get_score_of_user(call& c) {
  parameters given{c.query()};
  const auto user = given.required("userId", "", [&] { return given.id<user_id>("userId"); });
  if (!given.good())
    return c.refuse(given.why());
  get_score_of(c, {.how = lookup_key::form::user, .number = user->value});
}

void look_up_scores_of_users(call& c) {
  parameters given{c.query()};
  named_keys wanted;
  wanted.keys = read_ids(given, c.body(), "userIds", lookup_key::form::user);
  if (!given.good())
    return c.refuse(given.why());
  for (const auto& key : wanted.keys)
    wanted.texts.push_back(std::to_string(key.number));
  post_scores_of(c, std::move(wanted));
}

void look_up_scores_of_addresses(call& c) { post_scores(c, "addresses", &parse_address_key); }
void look_up_scores_of_userkeys(call& c) { post_scores(c, "userkeys", &parse_userkey); }

void get_xp_of_userkey(call& c) {
  const auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    return c.refuse(key.why());
  c.ask(c.to().people, people::find_people{{*key}}, &on_xp);
}

} // namespace credence::http::v2
