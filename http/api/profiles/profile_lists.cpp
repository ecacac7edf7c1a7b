#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/activities/named_users.hpp"
#include "http/api/people/people_json.hpp"
#include "http/api/profiles/invitation_json.hpp"
#include "http/api/profiles/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/errors.hpp"
#include "http/call/list_body.hpp"
#include "http/call/userkey.hpp"

#include <array>
#include <map>

namespace credence::http {

namespace {

using profile_list = reputation::list_profiles::answer_type;
using invitation_list = reputation::list_invitations::answer_type;
using reputation::invitation_tree;

void reply_profiles(call& c, profile_list& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::listed_profile& row) {
    to.begin_object();
    to.key("profile");
    encode(to, row.record);
    to.key("user");
    encode_named(to, cards, found.users, row.user);
    to.key("inviterUser");
    encode_named(to, cards, found.users, row.inviter);
    to.end_object();
  });
}

void reply_invitations(call& c, invitation_list& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::listed_invitation& row) {
    to.begin_object();
    to.key("invitation");
    encode(to, row.record);
    to.key("invitedUser");
    encode_named(to, cards, found.users, row.invited);
    to.end_object();
  });
}

outcome<reputation::list_profiles> read_profile_query(const call& c) {
  // Ids are given in the order in which profiles are made.
  static constexpr std::array<std::string_view, 2> fields{"id", "createdAt"};
  auto body = json_body::parse_question(c.body());
  if (!body)
    return body.why();
  reputation::list_profiles out;
  out.ids = read_ids_if_any<profile_id>(*body, "ids", limits::bulk_records_max);
  out.archived = body->boolean("archived");
  out.ascending = read_order(*body, fields).ascending;
  // What an indexer calls them.
  read_one_of_if_any(*body, "sortField", fields);
  if (const auto direction = read_one_of_if_any(*body, "sortDirection", direction_names))
    out.ascending = *direction == 1u;
  out.slice = read_list_page(*body, limits::profiles_limit_max);
  if (!body->good())
    return body->why();
  return out;
}

/// A tree as objects in one another, each with those whom it has invited.
class tree_writer {
public:
  tree_writer(json_writer& to, user_cards& cards, const invitation_tree& tree) : to_(to), cards_(cards), tree_(tree) {
    for (std::size_t i = 1; i < tree.rows.size(); ++i)
      invited_by_[tree.rows[i].invited_by].push_back(i);
  }
  void write(std::size_t at) {
    const auto& row = tree_.rows[at];
    to_.begin_object();
    to_.field("profileId", row.profile);
    to_.key("user");
    encode_named(to_, cards_, tree_.users, row.user);
    to_.key("invited");
    to_.begin_array();
    if (const auto found = invited_by_.find(row.profile); found != invited_by_.end())
      for (const auto each : found->second)
        write(each);
    to_.end_array();
    to_.end_object();
  }

private:
  json_writer& to_;
  user_cards& cards_;
  const invitation_tree& tree_;
  std::map<profile_id, std::vector<std::size_t>> invited_by_;
};

void reply_tree(call& c, invitation_tree& found) {
  if (found.rows.empty())
    return c.refuse({refusal_code::not_found, "there is no such profile"});
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) { tree_writer{to, cards, found}.write(0); });
}

address read_address(parameters& given, std::string_view name, std::optional<std::string_view> text) {
  const auto found = text ? parse_address(*text) : std::nullopt;
  if (text && !found)
    given.issue(std::string{name} + " must be an Ethereum address, 0x and 40 hexadecimal digits, not " + shown(*text));
  else if (const auto flaw = found ? checksum_flaw(*text, *found) : std::nullopt)
    given.issue(std::string{name} + " must " + *flaw);
  return found.value_or(address{});
}

} // namespace

namespace v2 {

void query_profiles(call& c) {
  auto question = read_profile_query(c);
  if (!question)
    return c.refuse(question.why());
  c.ask(c.to().records, *std::move(question), &reply_profiles);
}

void list_recent_profiles(call& c) {
  parameters given{c.query()};
  reputation::list_profiles question;
  question.archived = false;
  question.slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, std::move(question), &reply_profiles);
}

void get_profile_stats(call& c) {
  c.ask(c.to().records, reputation::get_profile_stats{}, [](call& later, reputation::profile_stats& found) {
    json_writer to{later.out()};
    to.begin_object();
    to.field("activeProfiles", found.active);
    to.field("invitesAvailable", found.invites);
    to.end_object();
    later.reply();
  });
}

void list_invitations(call& c) {
  parameters given{c.query()};
  reputation::list_invitations question;
  question.sender = given.id<profile_id>("senderProfileId");
  if (const auto at = given.choice("status", reputation::invitation_status_names))
    question.status = static_cast<reputation::invitation_status>(*at);
  question.slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, std::move(question), &reply_invitations);
}

void list_pending_invitations(call& c) {
  parameters given{c.query()};
  const auto recipient = read_address(given, "address", c.path_part("address"));
  const auto slice = read_list_page(given, limits::limit_max);
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, reputation::list_pending_invitations{recipient, slice}, &reply_invitations);
}

void check_invitation(call& c) {
  parameters given{c.query()};
  const auto text = given.required("address", "", [&] { return given.text("address"); });
  const auto recipient = read_address(given, "address", text);
  if (!given.good())
    co_return c.refuse(given.why());
  // Whoever would invite is told what they would be told.
  reputation::send_invitation question{c.caller()->profile, recipient, true};
  const auto found = co_await c.outcome_of(c.to().records, std::move(question));
  json_writer to{c.out()};
  to.begin_object();
  to.field("canInvite", static_cast<bool>(found));
  if (found)
    to.field("address", checksummed_text(recipient));
  else
    to.field("error", kind_of(found.why().code).code);
  to.end_object();
  c.reply();
}

void get_invitation_tree(call& c) {
  parameters given{c.query()};
  const auto root = given.path_id<profile_id>("id", c.path_part("id"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().records, reputation::get_invitation_tree{root}, &reply_tree);
}

} // namespace v2

} // namespace credence::http
