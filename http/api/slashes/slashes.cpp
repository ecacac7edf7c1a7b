#include "http/api/slashes/slash_subject.hpp"

#include "actors/domain/text.hpp"
#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "actors/slash/slash_actor.hpp"
#include "actors/slash/slash_types.hpp"
#include "auth/address.hpp"
#include "http/api/people/people.hpp"
#include "http/api/replies.hpp"
#include "http/api/slashes/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace credence::http {

namespace {

using form = people::lookup_key::form;

/// The account of a person that the key means: the one with that id, the latest one with that handle, or the first of
/// all.
std::optional<slash::account> account_of(const people::user_bundle& who, const people::lookup_key& key) {
  std::optional<slash::account> out;
  for (const auto& each : who.attestations) {
    if (each.archived)
      continue;
    const bool of_x = key.how == form::x_handle || key.how == form::x_account_or_handle;
    if (of_x && each.service != people::account_service::x)
      continue;
    if (key.how == form::x_account_or_handle && each.account == key.text)
      return slash::account{each.service, each.account};
    if (of_x ? lower_case(each.username.value_or("")) == lower_case(key.text) : !out)
      out = slash::account{each.service, each.account};
  }
  return out;
}

} // namespace

slash::subject named_by(const people::lookup_key& key) {
  slash::subject out;
  if (key.how == form::address) {
    out.wallet.emplace();
    std::transform(key.text.begin(), key.text.end(), out.wallet->bytes.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
  }
  if (key.how == form::account)
    out.account = slash::account{key.service, key.text};
  return out;
}

outcome<slash::subject> subject_of(const people::lookup_key& key, const people::user_bundle* who) {
  auto out = named_by(key);
  const bool named = out.wallet || out.account;
  if (!who && !named)
    return refusal{refusal_code::not_found, "no user matches subject"};
  if (!who)
    return out;
  out.user = who->user->id;
  if (who->profile)
    out.profile = who->profile->id;
  if (named)
    return out;
  if (key.how == form::profile && !who->addresses.empty())
    out.wallet = who->addresses.front().address; // the primary one
  else
    out.account = account_of(*who, key);
  if (!out.wallet && !out.account)
    return refusal{refusal_code::not_found,
                   "subject has neither an address nor an account that is proved; name it by address:<0x address> or"
                   " service:<service>:<id>"};
  return out;
}

namespace {

void encode_subject(json_writer& to, const slash::subject& subject) {
  to.field("subject", subject.wallet ? std::optional{auth::checksummed_text(*subject.wallet)} : std::nullopt);
  to.object_or_null("attestationDetails", subject.account, [&](const slash::account& account) {
    to.field("service", people::name_of(account.service));
    to.field("account", account.id);
  });
}

/// The tally is told when it is final, and so is how others voted (roles).
void encode_result(json_writer& to, const std::optional<slash::closing>& closing) {
  to.field("status", closing ? "closed" : "open");
  to.field("outcome",
           closing ? std::optional{slash::verdict_names[static_cast<std::size_t>(closing->how)]} : std::nullopt);
  to.object_or_null("votes", closing, [&](const slash::closing& end) {
    to.field("slash", end.votes.slash);
    to.field("defend", end.votes.defend);
  });
}

} // namespace

/// The Slash (spec: "Slash (v1)"), then `closesAt`, `status`, `outcome` and, once it is closed,
/// `votes: {slash, defend}` in weight. `closedAt` is 0 while it is open, as `cancelledAt` is
/// for one that was not cancelled.
static void encode_members(json_writer& to, const slash::slash_record& record) {
  const auto closed_at = record.closed ? unix_seconds(record.closed->at) : 0;
  const bool cancelled = record.closed && record.closed->how == slash::verdict::cancelled;
  to.field("id", record.id);
  to.field("authorProfileId", record.author);
  encode_subject(to, record.subject);
  to.field("slashType", slash::type_names[static_cast<std::size_t>(record.type)]);
  to.field("amount", record.amount);
  to.field("duration", static_cast<std::int64_t>(record.lasts.count()));
  to.field("comment", record.comment);
  to.field("metadata", record.metadata);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("closedAt", closed_at);
  to.field("cancelledAt", cancelled ? closed_at : 0);
  to.field("closesAt", unix_seconds(record.ends_at()));
  encode_result(to, record.closed);
}

/// `{values, total, limit, offset}`.
static void encode(json_writer& to, const slash::slash_page& page) {
  encode_page(to, page.values, page.total, page.slice, [&](const auto& each) { encode(to, each); });
}

/// Roles by profile id.
static void encode_members(json_writer& to, const slash::get_roles::answer_type& type) {
  for (const auto& [who, role] : type) {
    to.key(std::int64_t{who.value});
    to.value(slash::role_names[static_cast<std::size_t>(role)]);
  }
}

static void encode_members(json_writer& to, const slash::vote_receipt& receipt) {
  to.field("slashId", receipt.slash);
  to.field("vote", slash::side_names[static_cast<std::size_t>(receipt.side)]);
  to.field("weight", receipt.weight);
}

namespace {

using people::lookup_key;

/// Slashes that are asked for; whom its keys lead to is found first.
struct wanted_slashes {
  slash::find_slashes question;
  std::optional<lookup_key> author;
  std::optional<lookup_key> subject;
};

/// A userkey; a number alone is a profile's id where that is said.
std::optional<lookup_key> read_named(parameters& from, std::string_view name, bool number_will_do) {
  const auto text = from.text(name);
  if (!text)
    return std::nullopt;
  auto key = number_will_do ? parse_userkey_or_profile(*text) : parse_userkey(*text);
  if (key)
    return *std::move(key);
  from.issue(std::string{name} + ": " + key.why().detail + (number_will_do ? "; or the id of a profile alone" : ""));
  return std::nullopt;
}

wanted_slashes read_slashes(parameters& from) {
  static constexpr std::array<std::string_view, 2> states{"open", "closed"};
  wanted_slashes out;
  out.author = read_named(from, "author", true);
  out.subject = read_named(from, "subject", false);
  if (const auto at = from.choice("status", states))
    out.question.open = *at == 0;
  out.question.slice = read_page(from);
  return out;
}

/// Answers with the slashes that the query asks for, by `reply`.
void show_slashes(call& c, bool with_xp, void (*reply)(call&, slash::slash_page&)) {
  auto wanted = read_slashes(c.given());
  auto& question = wanted.question;
  question.with_xp = with_xp;
  if (wanted.author && wanted.author->how == lookup_key::form::profile) {
    question.author = profile_id{wanted.author->number};
    wanted.author.reset();
  }
  people::find_people look;
  if (wanted.author)
    look.keys.push_back(*wanted.author);
  if (wanted.subject) {
    question.subject = named_by(*wanted.subject);
    look.keys.push_back(*wanted.subject);
  }
  if (!look.keys.empty()) {
    const auto came = co_await c.ask(c.to().people, std::move(look));
    if (wanted.author)
      question.author = came.people.front().profile.value_or(profile_id{}); // of nobody: there are none
    if (wanted.subject)
      question.subject->user = came.people.back().user;
  }
  c.ask(c.to().slashes, std::move(question), reply);
}

} // namespace

/// Clients of version 1 know two types.
void v1::list_slashes(call& c) { show_slashes(c, false, &reply_data<slash::slash_page>); }
void v2::list_slashes(call& c) { show_slashes(c, true, &reply_with<slash::slash_page>); }

namespace {

/// The slash in the path, also one of a contract, which may count from 0.
slash_id any_slash_in_path(parameters& given, const call& c) {
  const auto number = c.path_part("id");
  return number == "0" ? slash_id{} : given.path_id<slash_id>("id", number);
}

} // namespace

namespace v2 {

void get_slash_roles(call& c) {
  slash::get_roles question{any_slash_in_path(c.given(), c), {}};
  const auto ids = c.given().required("profileId", "(1 to 100 profile ids)", [&] {
    return c.given().integers("profileId", {1, limits::id_max}, limits::bulk_profile_ids_max);
  });
  for (const auto id : ids)
    question.profiles.push_back(profile_id{id});
  question.viewer = c.viewer().value_or(profile_id{});
  c.ask(c.to().slashes, std::move(question), &reply_data<slash::get_roles::answer_type>);
}

void open_slash(call& c) {
  slash::open_slash slash;
  slash.dry_run = read_dry_run(c.given());
  auto& body = c.json();
  const auto required = [&](const char* name, const char* rule) {
    if (!body.has(name))
      body.issue(std::string{name} + " is required: " + rule);
  };
  required("authorProfileId", "the id of the profile that slashes");
  required("subject", "a userkey such as address:0x… or service:x.com:<id>");
  required("amount", "a positive integer");
  slash.author = profile_id{read_integer_if_any(body, "authorProfileId", 1, limits::id_max).value_or(0)};
  slash.type = static_cast<slash::slash_type>(read_one_of(body, "slashType", slash::type_names));
  slash.amount = body.integer("amount").value_or(0);
  slash.lasts = std::chrono::seconds{
    read_integer_if_any(body, "duration", 1, limits::slash_duration_max_s).value_or(limits::slash_duration_default_s)};
  slash.comment = read_words(body, "comment", 1, limits::slash_comment_length_max);
  slash.metadata = read_words(body, "metadata", 0, limits::slash_metadata_length_max);
  const auto key = parse_userkey(body.text("subject").value_or(""));
  if (!key)
    co_return c.refuse({refusal_code::invalid_input, "subject: " + key.why().detail});
  people::get_bundle look{*key}; // whom it is about
  const auto came = co_await c.ask(c.to().people, std::move(look));
  slash.subject = c.value_of(subject_of(*key, came.found.get()));
  if (came.unsettled)
    co_return c.refuse(not_yet_settled("the subject", came.unsettled));
  if (came.found)
    slash.subject_score = came.found->user->score;
  const auto author = slash.author;
  if_live(c, author, std::move(slash), &write_by<&directory::slashes>);
}

void replay_open_slash(call& c, const idempotency::found_record& done) {
  const auto number = parse_integer(done.effect).value_or(0);
  c.ask<slash::get_slash>(c.to().slashes, {slash_id{static_cast<std::int32_t>(number)}},
                          &reply_with<slash::slash_record>);
}

/// With its votes: while it is open nobody hears of another's.
void get_slash(call& c) {
  const auto id = any_slash_in_path(c.given(), c);
  const auto record = co_await c.ask(c.to().slashes, slash::get_slash{id});
  std::vector<slash::ballot> ballots;
  slash::get_roles::answer_type own;
  if (record.closed)
    ballots = co_await c.ask(c.to().slashes, slash::get_ballots{id, limits::activity_votes_limit_max});
  else if (const auto viewer = c.viewer()) {
    slash::get_roles question{id, {*viewer}, *viewer};
    own = co_await c.ask(c.to().slashes, std::move(question));
  }
  json_writer to{c.out()};
  const auto write = [&to](profile_id voter, slash::vote_side side, std::optional<std::int32_t> weight) {
    to.begin_object();
    to.field("voter", voter);
    to.field("vote", slash::side_names[static_cast<std::size_t>(side)]);
    to.field_if("weight", weight);
    to.end_object();
  };
  to.begin_object();
  encode_members(to, record);
  to.array("ballots", [&] {
    for (const auto& each : ballots)
      write(each.voter, each.side, each.weight);
    for (const auto& [voter, role] : own)
      if (role == slash::role::voted_slash || role == slash::role::voted_defend)
        write(voter, role == slash::role::voted_slash ? slash::vote_side::slash : slash::vote_side::defend,
              std::nullopt);
  });
  to.end_object();
  c.reply();
}

// -- voting and cancelling -----------------------------------------------------------------

namespace {

/// The vote that a request asks for; mistakes go to `given`.
slash::cast_slash_vote read_vote(parameters& given, const call& c) {
  slash::cast_slash_vote out{given.path_id<slash_id>("id", c.path_part("id")), c.caller()->profile};
  out.dry_run = read_dry_run(given);
  auto body = json_body::parse(c.body());
  if (body)
    out.side = static_cast<slash::vote_side>(read_one_of(*body, "vote", slash::side_names));
  if (!body || !body->good())
    given.issues_of(body ? body->why() : body.why());
  return out;
}

} // namespace

void vote_on_slash(call& c) {
  const auto question = read_vote(c.given(), c);
  if_live(c, question.voter, question, &write_by<&directory::slashes>);
}

void replay_vote_on_slash(call& c, const idempotency::found_record& done) {
  const auto cast = read_vote(c.given(), c);
  slash::vote_receipt receipt{cast.slash, cast.side, static_cast<std::int32_t>(parse_integer(done.effect).value_or(0))};
  reply_with(c, receipt);
}

namespace {

slash_id slash_in_path(parameters& given, const call& c) { return given.path_id<slash_id>("id", c.path_part("id")); }

} // namespace

void cancel_slash(call& c) {
  const slash::cancel_slash question{slash_in_path(c.given(), c), read_dry_run(c.given())};
  c.ask(c.to().slashes, question,
        question.dry_run ? &reply_tried<slash::slash_record> : &reply_with<slash::slash_record>);
}

void replay_cancel_slash(call& c, const idempotency::found_record&) {
  const slash::get_slash question{slash_in_path(c.given(), c)};
  c.ask(c.to().slashes, question, &reply_with<slash::slash_record>);
}

} // namespace v2

} // namespace credence::http
