#include "actors/market/market_board_actor.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/join_types.hpp"
#include "actors/score/score_state.hpp"
#include "actors/wallet_signatures.hpp"
#include "auth/address.hpp"
#include "http/api/people/people.hpp"
#include "http/api/profiles/operations.hpp"
#include "http/api/record_commands.hpp"
#include "http/api/sessions/sessions.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/errors.hpp"
#include "http/call/idempotency.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace credence::http {

namespace v2 {

// From the wire to questions about joining; each is refused with every mistake.

/// A profile on its way: signed for, unless an admin asks.
struct profile_order {
  reputation::create_profile question;
  std::optional<unsigned_claim> claim;
};

struct link_order {
  reputation::link_address question;
  unsigned_claim claim;
};

} // namespace v2

/// The members of an invitation; dates are ISO 8601 or null.
static void encode_members(json_writer& to, const reputation::invitation_record& record) {
  to.field("id", record.id);
  to.field("senderProfileId", record.sender);
  to.field("recipientAddress", auth::checksummed_text(record.recipient));
  to.field("status", reputation::invitation_status_names[static_cast<std::size_t>(record.status)]);
  to.field("dateInvited", record.invited_at);
  to.field("dateAccepted", record.accepted_at);
  to.field("profileId", record.profile);
}

namespace v2 {

namespace {

template <class Id>
std::optional<Id> read_id(json_body& body, std::string_view name) {
  const auto number = body.integer(name);
  if (!number)
    return std::nullopt;
  if (*number < 1 || *number > limits::id_max)
    body.issue(std::string{name} + " must be from 1 to " + std::to_string(limits::id_max));
  return Id{static_cast<std::int32_t>(*number)};
}

address read_address(json_body& body, std::string_view name) {
  const auto text = required_text(body, name);
  const auto found = credence::parse_address(text);
  if (!body.good())
    return {};
  if (!found || *found == address{})
    body.issue(std::string{name} + " must be an address, 0x and 40 hexadecimal digits, not " + shown(text));
  else if (const auto flaw = checksum_flaw(text, *found))
    body.issue(std::string{name} + " must " + *flaw);
  return found.value_or(address{});
}

} // namespace

/// `{message, signature, inviter?}`: a message with `profile_statement` and a nonce of this service; or of an admin
/// (`may_name`)
/// `{address, inviter?}`.
static outcome<profile_order> read_profile_order(call& c, bool may_name) {
  auto& body = c.json();
  profile_order out;
  auto& question = out.question;
  question.dry_run = read_dry_run(c.given());
  question.inviter = read_id<profile_id>(body, "inviter");
  if (may_name && !body.has("message")) {
    question.by_admin = true;
    question.account = read_address(body, "address");
    return out;
  }
  const auto message = required_text(body, "message");
  const auto signature = required_text(body, "signature");
  auto claim = read_claim(message, signature, c.identity().for_login, c.now());
  if (!claim)
    return claim.why();
  const signing_purpose wanted{nonce_for::sign_in, "/api/v2/auth/nonce", std::string{profile_statement}};
  if (auto why = other_purpose(*claim, wanted, c.identity().tokens, c.now()))
    return *std::move(why);
  question.account = claim->account;
  question.by = claim->nonce;
  out.claim = *std::move(claim);
  return out;
}

/// `{message, signature}`: a message of the address to link, with `link_statement` of the caller.
static outcome<link_order> read_link_order(call& c) {
  auto& body = c.json();
  const auto message = required_text(body, "message");
  const auto signature = required_text(body, "signature");
  link_order out;
  out.question.profile = c.caller()->profile;
  out.question.dry_run = read_dry_run(c.given());
  auto claim = read_claim(message, signature, c.identity().for_login, c.now());
  if (!claim)
    return claim.why();
  // Whoever signs must see whose the address becomes; what was signed for something else does not count here.
  if (auto why = other_statement(*claim, link_statement(out.question.profile)))
    return *std::move(why);
  if (is_own_nonce(c.identity().tokens, claim->nonce.nonce))
    return refusal{
      refusal_code::invalid_message,
      "the nonce is one of this service's for something else; sign a message of its own, with another nonce"};
  out.question.account = claim->account;
  out.question.by = claim->nonce;
  out.claim = *std::move(claim);
  return out;
}

namespace {

using people::lookup_key;

/// Answers with everything about the person behind a profile, as it is now.
void show(call& c, profile_id which) {
  c.ask(c.to().people, people::get_bundle{{.how = lookup_key::form::profile, .number = which.value}},
        [](call& later, people::bundle_of& came) {
          if (!came.found)
            return later.fail(failure::unavailable); // it was there a moment ago
          reply_by_cards(later, [&](json_writer& to, user_cards& cards) { encode(to, *came.found, cards); });
        });
}

/// Asks the keeper, then shows the person.
template <class Command>
void change_profile(call& c, Command command) {
  submit(c, std::move(command), [](call& later, profile_id which) { show(later, which); });
}

void archive_profile(call& c, bool archived) {
  change_profile(c, read_archiving<reputation::archive_profile>(c, archived));
}

} // namespace

void create_profile(call& c) {
  auto order = read_profile_order(c, c.caller() && c.caller()->admin_by_token());
  if (!order)
    co_return c.refuse(order.why());
  std::string whose;
  std::optional<profile_id> by; // nobody yet, where a wallet asks for its profile
  if (order->claim) {
    const auto account = order->claim->account;
    recover_signer look{order->claim->message, order->claim->signature};
    const auto signer = co_await c.ask(c.to().signatures, std::move(look));
    if (!(signer == account))
      co_return c.refuse(not_signed_by(account));
    whose = lower_text(account);
  } else {
    by = c.caller()->profile;
    whose = std::to_string(by->value);
  }
  if (!order->question.dry_run)
    co_await first_time(c, whose, by, &replay_change_profile);
  change_profile(c, std::move(order->question));
}

/// `{displayName?, username?, avatarUrl?, description?}`, of the caller.
void edit_own_profile(call& c) {
  change_profile(
    c, read_command<reputation::edit_profile>(c, [&](reputation::edit_profile& out, parameters&, json_body& body) {
      out.id = c.caller()->profile;
      out.display_name = read_display_name(body, "displayName");
      out.username = read_username(body);
      out.avatar_url = read_https_url(body, "avatarUrl", 1);
      out.description = read_words_if_any(body, "description", 0, limits::description_length_max);
      if (body.good() && !out.display_name && !out.username && !out.avatar_url && !out.description)
        body.issue("displayName, username, avatarUrl or description is required");
    }));
}

void archive_profile(call& c) { archive_profile(c, true); }
void restore_profile(call& c) { archive_profile(c, false); }

void link_address(call& c) {
  auto order = c.value_of(read_link_order(c));
  const auto account = order.claim.account;
  recover_signer look{order.claim.message, order.claim.signature};
  const auto signer = co_await c.ask(c.to().signatures, std::move(look));
  if (!(signer == account))
    co_return c.refuse(not_signed_by(account));
  change_profile(c, std::move(order.question));
}

/// `{address}`, of the caller.
void unlink_address(call& c) {
  change_profile(
    c, read_command<reputation::unlink_address>(c, [&](reputation::unlink_address& out, parameters&, json_body& body) {
      out.profile = c.caller()->profile;
      out.account = read_address(body, "address");
    }));
}

void replay_change_profile(call& c, const idempotency::found_record& done) { show(c, made_by<profile_id>(done)); }

/// `{address}`, of the caller.
void send_invitation(call& c) {
  using send = reputation::send_invitation;
  submit(c, read_command<send>(c, [&](send& out, parameters&, json_body& body) {
           out.sender = c.caller()->profile;
           out.recipient = read_address(body, "address");
         }));
}

/// `{id}`, of the caller.
void cancel_invitation(call& c) {
  using cancel = reputation::cancel_invitation;
  submit(c, read_command<cancel>(c, [&](cancel& out, parameters&, json_body& body) {
           const auto which = read_id<invitation_id>(body, "id");
           if (!which && body.good())
             body.issue("id is required: the id of an invitation");
           out.id = which.value_or(invitation_id{});
           out.by = c.caller()->profile;
         }));
}

void replay_change_invitation(call& c, const idempotency::found_record& done) {
  show_made<reputation::get_invitation>(c, done);
}

} // namespace v2

static std::string_view direction_of(std::int32_t points) {
  return points == 0 ? "NEUTRAL" : points > 0 ? "POSITIVE" : "NEGATIVE";
}

/// `{value, impact}`
static void encode_impact(json_writer& to, json_name name, std::int32_t points) {
  to.object(name, [&] {
    to.field("value", points);
    to.field("impact", direction_of(points));
  });
}

/// An invitation by which nobody came, and nobody will, changes no score; a sender's is not made of whom they invite.
static void encode_members(json_writer& to, const reputation::listed_invitation& row) {
  const auto status = row.record.status;
  const bool counts =
    status == reputation::invitation_status::invited || status == reputation::invitation_status::accepted;
  encode_members(to, row.record);
  encode_impact(to, "recipientScoreImpact", counts ? score::inviter_points(row.sender_score) : 0);
  encode_impact(to, "senderScoreImpact", 0);
}

namespace {

using profile_list = reputation::list_profiles::answer_type;
using invitation_list = reputation::list_invitations::answer_type;
using reputation::invitation_tree;

void reply_profiles(call& c, profile_list& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::listed_profile& row) {
    to.begin_object();
    to.field("profile", row.record);
    encode_named(to, "user", cards, found.users, row.user);
    encode_named(to, "inviterUser", cards, found.users, row.inviter);
    to.end_object();
  });
}

void reply_invitations(call& c, invitation_list& found) {
  reply_page(c, found, [&](json_writer& to, user_cards& cards, const reputation::listed_invitation& row) {
    to.begin_object();
    to.field("invitation", row);
    encode_named(to, "invitedUser", cards, found.users, row.invited);
    to.end_object();
  });
}

/// A list of `{id, impact, inviterUser, invitation}`, where `id` is the inviter's profile.
void reply_pending_invitations(call& c, reputation::pending_invitations& found) {
  const auto now = found.recipient_score.value_or(people::neutral_score);
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.objects(found.rows, [&](const auto& row) {
      const auto then = std::clamp(now + score::inviter_points(row.sender_score), 0, score::score_max);
      to.field("id", row.record.sender);
      to.object("impact", [&] {
        to.field("value", then - now);
        to.field("relativeValue", std::abs(then - now));
        to.field("impact", direction_of(then - now));
        to.field("adjustedRecipientScore", then);
      });
      encode_named(to, "inviterUser", cards, found.users, row.sender);
      to.field("invitation", row);
    });
  });
}

reputation::list_profiles read_profile_query(call& c) {
  // Ids are given in the order in which profiles are made.
  static constexpr std::array<std::string_view, 2> fields{"id", "createdAt"};
  auto& body = c.json_question();
  reputation::list_profiles out;
  out.ids = read_ids_if_any<profile_id>(body, "ids", limits::bulk_records_max);
  out.archived = body.boolean("archived");
  auto ascending = read_order(body, fields).ascending;
  // What an indexer calls them.
  read_one_of_if_any(body, "sortField", fields);
  if (const auto direction = read_one_of_if_any(body, "sortDirection", direction_names)) {
    const bool wanted = *direction == 1u;
    if (ascending.value_or(wanted) != wanted)
      body.issue("orderBy and sortDirection say different things: give one of them");
    ascending = wanted;
  }
  out.ascending = ascending.value_or(false);
  out.slice = read_list_page(body, limits::profiles_limit_max);
  return out;
}

/// Whom the root brought in, and whom they did, generation by generation.
void reply_tree(call& c, invitation_tree& found, const page& slice) {
  if (found.rows.empty())
    return c.refuse({refusal_code::not_found, "there is no such profile"});
  const auto below = std::span{found.rows}.subspan(1);
  const auto begin = std::min(below.size(), static_cast<std::size_t>(slice.offset));
  const auto shown = below.subspan(begin, std::min(below.size() - begin, static_cast<std::size_t>(slice.limit)));
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    encode_page(to, shown, static_cast<std::int64_t>(below.size()), slice, [&](const reputation::invited_profile& row) {
      to.begin_object();
      to.field("id", row.invitation);
      to.field("senderProfileId", row.invited_by);
      to.field("acceptedProfileId", row.profile);
      to.field("level", row.level);
      encode_named(to, "user", cards, found.users, row.user);
      to.end_object();
    });
  });
}

address address_given(parameters& given, std::string_view name, std::optional<std::string_view> text) {
  const auto found = text ? credence::parse_address(*text) : std::nullopt;
  if (text && !found)
    given.issue(std::string{name} + " must be an Ethereum address, 0x and 40 hexadecimal digits, not " + shown(*text));
  else if (const auto flaw = found ? checksum_flaw(*text, *found) : std::nullopt)
    given.issue(std::string{name} + " must " + *flaw);
  return found.value_or(address{});
}

} // namespace

namespace v2 {

void query_profiles(call& c) { c.ask(c.to().records, read_profile_query(c), &reply_profiles); }

void list_recent_profiles(call& c) {
  reputation::list_profiles question;
  question.archived = false;
  question.slice = read_list_page(c.given(), limits::limit_max);
  c.ask(c.to().records, std::move(question), &reply_profiles);
}

void get_profile_stats(call& c) {
  c.ask(c.to().records, reputation::get_profile_stats{}, [](call& later, reputation::profile_stats& found) {
    reply_object(later, [&](json_writer& to) {
      to.field("activeProfiles", found.active);
      to.field("invitesAvailable", found.invites);
    });
  });
}

void list_invitations(call& c) {
  reputation::list_invitations question;
  question.sender = c.given().id<profile_id>("senderProfileId");
  if (const auto at = c.given().choice("status", reputation::invitation_status_names))
    question.status = static_cast<reputation::invitation_status>(*at);
  question.slice = read_list_page(c.given(), limits::limit_max);
  c.ask(c.to().records, std::move(question), &reply_invitations);
}

void list_pending_invitations(call& c) {
  const auto recipient = address_given(c.given(), "address", c.path_part("address"));
  const auto slice = read_list_page(c.given(), limits::limit_max);
  c.ask(c.to().records, reputation::list_pending_invitations{recipient, slice}, &reply_pending_invitations);
}

void check_invitation(call& c) {
  const auto text = c.given().required("address", "", [&] { return c.given().text("address"); });
  const auto recipient = address_given(c.given(), "address", text);
  // Whoever would invite is told what they would be told.
  reputation::send_invitation question{c.caller()->profile, recipient, true};
  const auto found = co_await c.outcome_of(c.to().records, std::move(question));
  reply_object(c, [&](json_writer& to) {
    to.field("canInvite", static_cast<bool>(found));
    if (found)
      to.field("address", checksummed_text(recipient));
    else
      to.field("error", kind_of(found.why().code).code);
  });
}

void get_invitation_tree(call& c) {
  const auto root = c.path_id<profile_id>("id");
  const auto slice = read_list_page(c.given(), limits::limit_max);
  c.ask(c.to().records, reputation::get_invitation_tree{root},
        [slice](call& later, invitation_tree& found) { reply_tree(later, found, slice); });
}

namespace {

/// Wei in decimal as ether, with every digit: `1050000000000000000` is `1.05`.
std::string ether_text(std::string_view wei) {
  constexpr std::size_t decimals = 18;
  std::string out{wei};
  if (out.size() <= decimals)
    out.insert(0, decimals + 1 - out.size(), '0');
  out.insert(out.size() - decimals, 1, '.');
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.'))
    out.pop_back();
  return out;
}

void encode_reviews(json_writer& to, const people::user& who) {
  const auto all = who.reviews_negative + who.reviews_neutral + who.reviews_positive;
  to.field("received", all);
  to.field("positiveReviewPercentage", all == 0 ? 0 : (200 * who.reviews_positive + all) / (2 * all));
  to.field("positiveReviewCount", who.reviews_positive);
  to.field("negativeReviewCount", who.reviews_negative);
  to.field("neutralReviewCount", who.reviews_neutral);
}

/// `{received, deposited, mutual}` of wei as numbers of ether, and in wei as text.
void encode_sums(json_writer& to, json_name name, std::string_view received, std::string_view deposited,
                 std::string_view mutual) {
  to.object(name, [&] {
    to.key("received");
    to.raw(ether_text(received));
    to.key("deposited");
    to.raw(ether_text(deposited));
    to.key("mutual");
    to.raw(ether_text(mutual));
    to.field("receivedWei", received);
    to.field("depositedWei", deposited);
    to.field("mutualWei", mutual);
  });
}

void encode_vouches(json_writer& to, json_name name, const people::user& who, const reputation::vouch_sums& sums) {
  to.object(name, [&] {
    encode_sums(to, "staked", decimal(sums.received_staked), decimal(sums.given_staked), decimal(sums.mutual_staked));
    encode_sums(to, "balance", who.vouches_eth.received, who.vouches_eth.given, decimal(sums.mutual_balance));
    to.object("count", [&] {
      to.field("received", who.vouches_eth.received_count + who.vouches_whuf.received_count);
      to.field("deposited", who.vouches_eth.given_count + who.vouches_whuf.given_count);
      to.field("mutual", sums.mutual);
    });
  });
}

void encode_leader(json_writer& to, const people::user& who, std::int64_t xp) {
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
}

} // namespace

void get_xp_leaderboard(call& c) {
  const auto most = c.given().integer_or("limit", limits::limit_default, {1, limits::limit_max});
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
        to.object([&] { encode_leader(to, *users[i], leaders[i].amount); });
    to.end_array();
  });
}

void get_user_stats(call& c) {
  people::get_people look{{c.value_of(parse_userkey(c.path_part("userkey")))}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto who = came.users.front();
  if (!who)
    co_return c.refuse({refusal_code::not_found, "no user matches userkey"});
  reputation::get_vouch_sums question{who->id};
  const auto sums = co_await c.ask(c.to().records, std::move(question));
  reply_data_object(c, [&](json_writer& to) {
    to.object("reviews", [&] { encode_reviews(to, *who); });
    encode_vouches(to, "vouches", *who, sums);
  });
}

} // namespace v2

} // namespace credence::http
