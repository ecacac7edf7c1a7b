#include "http/api/activities/activity_json.hpp"

#include "auth/address.hpp"
#include "http/api/activities/named_users.hpp"
#include "http/api/bonds/bond_json.hpp"
#include "http/api/discussions/reply_json.hpp"
#include "http/api/reviews/review_json.hpp"
#include "http/api/vouches/vouch_json.hpp"

#include <variant>

namespace credence::http {

namespace {

/// What XP that a user earns is multiplied by for the score.
double xp_multiplier_of(std::int32_t score) { return score >= 2000 ? 1.5 : score >= 1600 ? 1.25 : 1; }

/// The first wallet of a user, which is the primary one; empty when there is none.
std::string primary_address_of(const people::user& who) {
  constexpr std::string_view prefix = "address:";
  for (const auto& each : who.userkeys)
    if (each.starts_with(prefix))
      if (const auto account = parse_address(std::string_view{each}.substr(prefix.size())))
        return auth::checksummed_text(*account);
  return {};
}

const people::user* find(const reputation::named_users& users, std::optional<user_id> who) {
  const auto found = who ? users.find(*who) : users.end();
  return found == users.end() ? nullptr : found->second.get();
}

void encode_counts(json_writer& to, const reputation::feed_row& row) {
  to.key("votes");
  to.begin_object();
  to.field("upvotes", row.upvotes);
  to.field("downvotes", row.downvotes);
  to.end_object();
  to.key("replySummary");
  to.begin_object();
  to.field("count", row.replies);
  to.field("participated", row.viewer_replied);
  to.end_object();
}

/// What the row is found by; its type does not tell which contract a vouch is of.
std::string path_of(const reputation::feed_row& row) {
  const auto* vouch = std::get_if<reputation::vouch_record>(&row.record);
  const auto kind =
    vouch && vouch->contract == reputation::vouch_contract::vouch_v2 ? reputation::feed_kind::vouch_v2 : row.kind;
  const auto id = std::visit([](const auto& record) { return record.id.value; }, row.record);
  return "/api/v2/activities/" + std::string{reputation::feed_kind_names[static_cast<std::size_t>(kind)]} + "/"
         + std::to_string(id);
}

} // namespace

void encode_actor(json_writer& to, const people::user* who) {
  if (!who)
    return to.null();
  to.begin_object();
  to.field("userkey", who->userkeys.empty() ? std::string{} : who->userkeys.front());
  to.field("profileId", who->profile);
  to.field("name", who->display_name);
  to.field("username", who->username);
  to.field("avatar", who->avatar_url);
  to.field("description", who->description);
  to.field("score", who->score);
  to.field("scoreXpMultiplier", xp_multiplier_of(who->score));
  to.field("primaryAddress", primary_address_of(*who));
  to.end_object();
}

void encode_activity(json_writer& to, user_cards& cards, const reputation::feed_row& row,
                     const reputation::named_users& users, const std::string& public_url) {
  to.begin_object();
  to.field("type", reputation::feed_kind_names[static_cast<std::size_t>(row.kind)]);
  to.field("timestamp", unix_seconds(row.at));
  to.key("author");
  encode_actor(to, find(users, row.author));
  to.key("subject");
  encode_actor(to, find(users, row.subject));
  to.key("authorUser");
  encode_named(to, cards, users, row.author);
  to.key("subjectUser");
  encode_named(to, cards, users, row.subject);
  to.key("data");
  std::visit([&](const auto& record) { encode(to, record); }, row.record);
  encode_counts(to, row);
  to.key("events"); // of a contract: there are none of a record made here
  to.begin_array();
  to.end_array();
  to.field("isSpam", row.spam);
  to.field("link", public_url + path_of(row));
  to.end_object();
}

} // namespace credence::http
