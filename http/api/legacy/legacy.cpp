#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "auth/address.hpp"
#include "http/api/activities/activities.hpp"
#include "http/api/discussions/discussions.hpp"
#include "http/api/legacy/operations.hpp"
#include "http/api/people/people.hpp"
#include "http/api/people/user_cards.hpp"
#include "http/api/replies.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <string>

namespace credence::http {

namespace v1 {

namespace {

void encode_leader(json_writer& to, const people::user& who, std::int64_t xp) {
  to.begin_object();
  to.field("id", who.id);
  to.field("profileId", who.profile);
  to.field("displayName", who.display_name);
  to.field("username", who.username);
  to.field("avatarUrl", who.avatar_url);
  to.field("description", who.description);
  to.field("score", who.score);
  to.field("status", name_of(who.status));
  to.field("totalXp", xp);
  to.array("userkeys", who.userkeys, [&](const auto& each) { to.value(each); });
  to.end_object();
}

void encode_addresses(json_writer& to, const std::vector<people::owned_address>& of) {
  const auto primary =
    std::find_if(of.begin(), of.end(), [](const auto& each) { return each.kind == people::address_kind::primary; });
  to.begin_object();
  to.field("primaryAddress",
           primary == of.end() ? std::nullopt : std::optional{auth::checksummed_text(primary->address)});
  to.array("allAddresses", of, [&](const auto& each) { to.value(auth::checksummed_text(each.address)); });
  to.end_object();
}

/// By kind, in the order of the kinds, then by id.
void encode_counts(json_writer& to, const std::vector<reputation::reply_count>& found) {
  to.begin_object();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto kind = found[i].on.kind;
    if (i == 0 || found[i - 1].on.kind != kind) {
      to.text_key(reputation::name_of(kind));
      to.begin_object();
    }
    to.key(found[i].on.id);
    to.begin_object();
    to.field("count", found[i].count);
    to.field("participated", found[i].viewer_replied);
    to.end_object();
    if (i + 1 == found.size() || found[i + 1].on.kind != kind)
      to.end_object();
  }
  to.end_object();
}

} // namespace

void search_users(call& c) {
  search_users(c, [](call& later, people::people_page& found, page slice) {
    reply_data_with(later, [&](json_writer& to) {
      to.begin_object();
      encode_page(to, found.users, found.total, slice,
                  [&](const people::user_ptr& each) { encode_actor(to, each.get()); });
      to.end_object();
    });
  });
}

void get_addresses(call& c) {
  auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    return c.refuse(key.why());
  c.ask(c.to().people, people::get_bundle{*std::move(key)}, [](call& later, people::bundle_of& came) {
    if (!came.found)
      return later.refuse({refusal_code::not_found, "no user matches userkey"});
    reply_data_with(later, [&](json_writer& to) { encode_addresses(to, came.found->addresses); });
  });
}

void get_vouch_fees(call& c) {
  reply_data_with(c, [](json_writer& to) {
    to.begin_object(); // nobody holds money here, so nobody takes a part of it
    for (const auto* name : {"entryProtocolFeeBasisPoints", "entryDonationFeeBasisPoints",
                             "entryVouchersPoolFeeBasisPoints", "exitFeeBasisPoints"}) {
      to.text_key(name);
      to.value("0n");
    }
    to.end_object();
  });
}

void get_profile_stats(call& c) {
  c.ask(c.to().records, reputation::get_profile_stats{}, [](call& later, reputation::profile_stats& found) {
    reply_data_with(later, [&](json_writer& to) {
      to.begin_object();
      to.field("activeProfiles", found.active);
      to.field("invitesAvailable", found.invites);
      to.end_object();
    });
  });
}

void get_xp_leaderboard(call& c) {
  parameters given{c.query()};
  const auto most = given.integer_or("limit", limits::limit_default, {1, limits::limit_max});
  if (!given.good())
    co_return c.refuse(given.why());
  const market::get_xp_board board{most};
  const auto leaders = co_await c.ask(c.to().market_lists, board);
  people::get_users_of who;
  for (const auto& each : leaders)
    who.profiles.push_back(each.who);
  const auto users = co_await c.ask(c.to().people, std::move(who));
  reply_data_with(c, [&](json_writer& to) {
    to.begin_array();
    for (std::size_t i = 0; i < leaders.size() && i < users.size(); ++i)
      if (users[i])
        encode_leader(to, *users[i], leaders[i].amount);
    to.end_array();
  });
}

void get_reply_summary(call& c) {
  auto of = read_activity_ids(c.body());
  if (!of)
    return c.refuse(of.why());
  reputation::get_reply_counts question{*std::move(of), c.viewer()};
  c.ask(c.to().records, std::move(question), [](call& later, std::vector<reputation::reply_count>& found) {
    reply_data_with(later, [&](json_writer& to) { encode_counts(to, found); });
  });
}

namespace {

void tell(call& c, std::string_view since, std::string_view successor) {
  std::string message{"this endpoint was removed on "};
  message.append(since).append("; use ").append(successor);
  c.error(410, "ENDPOINT_REMOVED", message);
}

} // namespace

void list_activities(call& c) {
  tell(c, "2025-08-08", "GET /api/v2/activities/userkey or POST /api/v2/activities/feed");
}
void create_reply(call& c) { tell(c, "2025-09-09", "POST /api/v2/replies/create"); }
void count_reviews(call& c) { tell(c, "2025-09-09", "GET /api/v2/reviews/count/between"); }
void create_review(call& c) { tell(c, "2025-10-06", "POST /api/v2/reviews/create"); }
void list_recent_profiles(call& c) { tell(c, "2025-10-06", "GET /api/v2/profiles/recent"); }
void create_invitation(call& c) { tell(c, "2025-12-01", "POST /api/v2/invitations"); }
void list_pending_invitations(call& c) { tell(c, "2025-12-01", "GET /api/v2/invitations/pending/{address}"); }
void list_profiles(call& c) { tell(c, "2025-12-01", "POST /api/v2/profiles"); }

} // namespace v1

} // namespace credence::http
