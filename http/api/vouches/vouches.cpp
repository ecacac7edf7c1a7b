#include "http/api/vouches/vouches.hpp"

#include "actors/chain/follow_types.hpp"
#include "actors/domain/hash.hpp"
#include "actors/people/people_actor.hpp"
#include "auth/address.hpp"
#include "http/api/people/people.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/record_commands.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/api/vouches/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace credence::http {

namespace {

std::optional<std::string> optional_address_text(const std::optional<address>& which) {
  return which ? std::optional{auth::checksummed_text(*which)} : std::nullopt;
}

std::int64_t seconds_of(const std::optional<timestamp>& at) { return at ? unix_seconds(*at) : 0; }

void encode_vouched(json_writer& to, const reputation::vouch_record& record) {
  const auto& name = record.subject.name;
  to.field("subjectProfileId", record.subject_profile);
  to.field("subjectAddress", optional_address_text(name.key.wallet()));
  const auto bytes = name.key.bytes();
  const bool is_hash = bytes.size() == digest32{}.size();
  to.field("attestationHash", is_hash ? std::optional{hex_text(bytes)} : std::nullopt);
  const auto* account = is_hash && name.account ? &*name.account : nullptr; // a chain may tell the hash alone
  to.object_or_null("attestationDetails", account, [&](const auto& of) {
    to.field("account", of.id);
    to.field("service", people::name_of(of.service));
  });
}

} // namespace

void encode_members(json_writer& to, const reputation::vouch_record& record, const char* unit) {
  to.field("id", record.id);
  to.field("contract", reputation::vouch_contract_names[static_cast<std::size_t>(record.contract)]);
  to.field("authorProfileId", record.author);
  to.field("authorAddress", optional_address_text(record.author_address));
  encode_vouched(to, record);
  to.field("subjectUserkey", userkey_of(record.subject.name));
  to.field("token", reputation::vouch_token_names[static_cast<std::size_t>(record.token)]);
  to.field("staked", decimal(record.staked) + unit);
  to.field("deposited", decimal(record.deposited) + unit);
  to.field("balance", decimal(record.balance) + unit);
  to.field("withdrawn", decimal(record.withdrawn) + unit);
  to.field("comment", record.comment);
  to.field("metadata", record.metadata);
  to.field("archived", record.archived);
  to.field("unhealthy", record.unhealthy);
  to.object("activityCheckpoints", [&] {
    to.field("vouchedAt", unix_seconds(record.vouched_at));
    to.field("unvouchedAt", seconds_of(record.unvouched_at));
    to.field("unhealthyAt", seconds_of(record.unhealthy_at));
  });
}

void ask_vouch_fees(call& c, void (*then)(call&, const vouch_fee_list&)) {
  c.ask(c.to().records, reputation::get_vouch_fees{}, [then](call& later, reputation::vouch_fees_told& told) {
    // Nobody holds money here, so nobody takes a part of it; a contract does.
    const auto* at_first = later.to().vouch_fees;
    const auto fee = [&](std::optional<std::int32_t> of, std::uint32_t chain::vouch_fees::*first) {
      return at_first ? of.value_or(static_cast<std::int32_t>(at_first->*first)) : 0;
    };
    then(later, {{{"entryProtocolFeeBasisPoints", fee(told.protocol, &chain::vouch_fees::protocol)},
                  {"entryDonationFeeBasisPoints", fee(told.donation, &chain::vouch_fees::donation)},
                  {"entryVouchersPoolFeeBasisPoints", fee(told.pool, &chain::vouch_fees::pool)},
                  {"exitFeeBasisPoints", fee(told.exit, &chain::vouch_fees::exit)}}});
  });
}

namespace v2 {

namespace {

constexpr std::array<std::string_view, 3> units{"points", "eth", "whuf"};
constexpr std::size_t points = 0;
constexpr std::size_t whuf = 2;

struct amount {
  wei value = 0;
  reputation::vouch_token token{};
};

/// `amount` in `unit`: points (as a rule), or wei of a token as an integer or a decimal text.
amount read_amount(json_body& body) {
  const auto unit = body.has("unit") ? read_one_of(body, "unit", units) : points;
  std::optional<wei> found;
  if (body.kind_of("amount") == json_body::kind::text)
    found = parse_bigint(*body.text("amount"));
  else if (body.kind_of("amount") == json_body::kind::integer && *body.integer("amount") > 0)
    found = wei{*body.integer("amount")};
  if (!found || *found == 0
      || *found > (unit == points ? transfer_wei_max / reputation::wei_per_point : transfer_wei_max)) {
    body.issue(
      "amount must be a positive integer, or one as text: points, or wei with unit 'eth' or 'whuf', up to 10^36 wei");
    return {};
  }
  if (unit == points)
    *found *= reputation::wei_per_point;
  return {*found, unit == whuf ? reputation::vouch_token::whuf : reputation::vouch_token::eth};
}

/// What one vouch for a person is about: the profile, where there is one.
outcome<reputation::named_subject> vouched_for(const people::lookup_key& key, const people::user_bundle* who) {
  if (who && who->profile)
    return reputation::named_subject{reputation::subject_key{who->profile->id}, std::nullopt};
  return record_subject_of(key, who);
}

/// Changes the vouch in the path by an amount.
void move(call& c, reputation::vouch_move way) {
  using command = reputation::move_vouch;
  submit(c, read_command<command>(c, [&](command& out, parameters&, json_body& body) {
           out.id = c.path_id<vouch_id>("id");
           out.by = c.caller()->profile;
           out.way = way;
           const auto found = read_amount(body);
           out.amount = found.value;
           out.token = found.token;
         }));
}

} // namespace

void create_vouch(call& c) {
  auto& body = c.json();
  reputation::create_vouch vouch;
  vouch.author = c.caller()->profile;
  vouch.dry_run = read_dry_run(c.given());
  const auto subject = read_subject(body);
  const auto found = read_amount(body);
  vouch.amount = found.value;
  vouch.token = found.token;
  read_vouch_words(body, vouch);
  people::get_bundle look{subject};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  vouch.subject = c.value_of(vouched_for(subject, came.found.get()));
  c.ask(c.to().records, std::move(vouch), &reply_with<reputation::vouch_record>);
}

void replay_create_vouch(call& c, const idempotency::found_record& done) { show_made<reputation::get_vouch>(c, done); }

void get_vouch(call& c) {
  const reputation::get_vouch question{c.path_id<vouch_id>("id")};
  const auto found = co_await c.ask(c.to().records, question);
  reputation::list_vouches listed; // tells the one in the other direction
  listed.ids = {question.id};
  listed.contract = found.contract;
  listed.slice = {1, 0};
  const auto rows = co_await c.ask(c.to().records, std::move(listed));
  reply_object(c, [&](json_writer& to) {
    encode_members(to, found);
    to.field("mutualId", rows.rows.empty() ? std::nullopt : rows.rows.front().mutual);
  });
}

void increase_vouch(call& c) { move(c, reputation::vouch_move::increase); }
void decrease_vouch(call& c) { move(c, reputation::vouch_move::decrease); }

void withdraw_vouch(call& c) {
  reputation::move_vouch command;
  command.id = c.path_id<vouch_id>("id");
  command.by = c.caller()->profile;
  command.way = reputation::vouch_move::withdraw;
  command.dry_run = read_dry_run(c.given());
  submit(c, std::move(command));
}

void mark_vouch_unhealthy(call& c) {
  submit(c, reputation::mark_unhealthy{c.path_id<vouch_id>("id"), c.caller()->profile, read_dry_run(c.given())});
}

void replay_change_vouch(call& c, const idempotency::found_record&) { get_vouch(c); }

} // namespace v2

namespace {

using people::lookup_key;
using vouch_list = reputation::list_vouches::answer_type;
using user_list = reputation::list_mutual_vouchers::answer_type;

/// Vouches that are asked for; whom the keys lead to is found first.
struct vouch_query {
  reputation::list_vouches question;
  std::optional<std::vector<lookup_key>> subjects;
};

/// What was given of one list in the body, each item read by `parse`; nothing where the list is left out.
template <class Item>
std::optional<std::vector<Item>> read_each(json_body& body, std::string_view name,
                                           outcome<Item> (*parse)(std::string_view)) {
  const auto texts = body.texts(name, limits::bulk_records_max);
  if (!texts)
    return std::nullopt;
  std::vector<Item> out;
  for (const auto text : *texts) {
    auto item = parse(text);
    if (item)
      out.push_back(*std::move(item));
    else
      body.issue("each item of " + std::string{name} + ": " + item.why().detail);
  }
  return out;
}

/// The hash of an account: `0x` and 64 hex digits.
outcome<digest32> parse_account_hash(std::string_view text) {
  digest32 out;
  if (text.starts_with("0x") && decode_hex(text.substr(2), out))
    return out;
  return refusal{refusal_code::invalid_input,
                 "the hash of an account must be 0x and 64 hexadecimal digits, not " + shown(text)};
}

/// Whom the vouches are for. The keys are looked up afterwards; the hashes of accounts go into the question.
std::optional<std::vector<lookup_key>> read_subjects(json_body& body, reputation::list_vouches& question) {
  const auto profiles = read_ids_if_any<profile_id>(body, "subjectProfileIds", limits::bulk_records_max);
  const auto userkeys = read_each(body, "subjectUserkeys", &parse_userkey);
  const auto addresses = read_each(body, "subjectAddresses", &parse_address_key);
  auto hashes = read_each(body, "subjectAttestationHashes", &parse_account_hash);
  if (!profiles && !userkeys && !addresses && !hashes)
    return std::nullopt;
  std::vector<lookup_key> out;
  if (profiles)
    for (const auto who : *profiles)
      out.push_back({.how = lookup_key::form::profile, .number = who.value});
  for (const auto* keys : {&userkeys, &addresses})
    if (*keys)
      out.insert(out.end(), (*keys)->begin(), (*keys)->end());
  if (hashes)
    question.subject_accounts = *std::move(hashes);
  return out;
}

/// How long a text such as `90d` says: a whole number of hours, days, weeks, months of 30 days or years of 365.
std::optional<std::chrono::hours> parse_span(std::string_view text) {
  constexpr std::string_view units = "hdwmy";
  constexpr std::array<int, units.size()> hours{1, 24, 7 * 24, 30 * 24, 365 * 24};
  constexpr std::int64_t most = 9999;
  const auto unit = text.empty() ? std::string_view::npos : units.find(text.back());
  const auto number = unit == std::string_view::npos ? std::nullopt : parse_integer(text.substr(0, text.size() - 1));
  if (!number || *number < 1 || *number > most)
    return std::nullopt;
  return std::chrono::hours{*number * hours[unit]};
}

/// The later of the moments that `afterDate` and `duration` mean, where one is given.
std::optional<timestamp> read_since(json_body& body, timestamp now) {
  std::optional<timestamp> out;
  if (const auto text = body.text("afterDate")) {
    out = parse_moment(*text, day_edge::start);
    if (!out)
      body.issue("afterDate must be an ISO 8601 date such as 2026-03-01 or 2026-03-01T12:00:00Z, not " + shown(*text));
  }
  if (const auto text = body.text("duration"); text && *text != "all") {
    const auto span = parse_span(*text);
    if (!span)
      body.issue("duration must be all, or 1 to 9999 and h, d, w, m or y, such as 90d, not " + shown(*text));
    else if (const auto begin = std::max(now - *span, timestamp{}); !out || begin > *out) // not before what is stored
      out = begin;
  }
  return out;
}

vouch_query read_query(call& c) {
  static constexpr std::array<std::string_view, 3> fields{"vouchedAt", "updatedAt", "balance"};
  auto& body = c.json_question();
  vouch_query out;
  auto& question = out.question;
  question.ids = read_ids_if_any<vouch_id>(body, "ids", limits::bulk_records_max);
  question.authors = read_ids_if_any<profile_id>(body, "authorProfileIds", limits::bulk_records_max);
  out.subjects = read_subjects(body, question);
  question.archived = body.boolean("archived");
  question.since = read_since(body, c.now());
  if (const auto at = read_one_of_if_any(body, "contract", reputation::vouch_contract_names))
    question.contract = static_cast<reputation::vouch_contract>(*at);
  const auto order = read_order(body, fields);
  question.order = static_cast<reputation::vouch_order>(order.field);
  question.ascending = order.ascending.value_or(false);
  question.slice = read_list_page(body, limits::limit_max);
  return out;
}

void encode_row(json_writer& to, user_cards& cards, const reputation::named_users& users,
                const reputation::listed_vouch& row, const char* unit) {
  to.begin_object();
  encode_members(to, row.record, unit);
  to.field("mutualId", row.mutual);
  encode_named(to, "authorUser", cards, users, row.author);
  encode_named(to, "subjectUser", cards, users, row.record.subject_user);
  to.end_object();
}

void reply_vouches(call& c, vouch_list& found) {
  reply_page(c, found,
             [&](json_writer& to, user_cards& cards, const auto& row) { encode_row(to, cards, found.users, row, ""); });
}

/// The page inside of what version 1 wraps every success in.
void reply_vouches_v1(call& c, vouch_list& found) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    to.begin_object();
    to.field("ok", true);
    to.object("data", [&] {
      encode_page_members(to, found.rows, found.total, found.slice,
                          [&](const auto& row) { encode_row(to, cards, found.users, row, "n"); });
    });
    to.end_object();
  });
}

void query(call& c, void (*reply)(call&, vouch_list&)) {
  auto order = read_query(c);
  if (order.subjects) {
    people::find_people look{*std::move(order.subjects)};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    std::vector<user_id> users;
    for (const auto& each : came.people)
      if (each)
        users.push_back(each.user);
    order.question.subjects = std::move(users);
  }
  c.ask(c.to().records, std::move(order.question), reply);
}

/// A userkey, or a profile's id under its own name.
lookup_key read_person(parameters& given, std::string_view userkey, std::string_view profile) {
  return given.either(userkey, profile, [&](std::string_view name) -> lookup_key {
    if (name == userkey)
      return v2::read_key(given, name, &parse_userkey);
    return {.how = lookup_key::form::profile, .number = given.id<profile_id>(name).value_or(profile_id{}).value};
  });
}

void reply_users(call& c, user_list& found) {
  reply_page(c, found,
             [&](json_writer& to, user_cards& cards, user_id who) { encode_named(to, cards, found.users, who); });
}

} // namespace

namespace v2 {

void list_vouches(call& c) { query(c, &reply_vouches); }

void list_mutual_vouchers(call& c) {
  people::find_people look;
  look.keys.push_back(read_person(c.given(), "viewerUserkey", "viewerProfileId"));
  look.keys.push_back(read_person(c.given(), "targetUserkey", "targetProfileId"));
  const auto slice = read_list_page(c.given(), limits::limit_max);
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto viewer = came.people.front();
  const auto target = came.people.back();
  if (!viewer || !target)
    co_return c.refuse(
      {refusal_code::not_found, viewer ? "no user matches targetUserkey" : "no user matches viewerUserkey"});
  c.ask(c.to().records, reputation::list_mutual_vouchers{viewer.user, target.user, slice}, &reply_users);
}

void get_vouch_fees(call& c) {
  ask_vouch_fees(c, [](call& later, const vouch_fee_list& found) {
    reply_object(later, [&](json_writer& to) {
      for (const auto& [name, basis_points] : found) {
        to.text_key(name);
        to.value(basis_points);
      }
    });
  });
}

} // namespace v2

namespace v1 {

void list_vouches(call& c) { query(c, &reply_vouches_v1); }

} // namespace v1

} // namespace credence::http
