#include "http/api/reviews/reviews.hpp"

#include "actors/domain/hash.hpp"
#include "actors/people/people_actor.hpp"
#include "auth/address.hpp"
#include "http/api/people/people.hpp"
#include "http/api/people/questions.hpp"
#include "http/api/record_commands.hpp"
#include "http/api/reviews/operations.hpp"
#include "http/api/slashes/slash_subject.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

namespace credence::http {

std::string userkey_of(const reputation::named_subject& who) {
  if (who.account)
    return "service:" + std::string{people::name_of(who.account->service)} + ":" + who.account->id;
  if (const auto wallet = who.key.wallet())
    return "address:" + auth::checksummed_text(*wallet);
  return "profileId:" + std::to_string(who.key.profile().value_or(profile_id{}).value);
}

people::lookup_key read_named(json_body& body, std::string_view name, const char* missing) {
  const auto text = body.text(name);
  if (!text) {
    if (body.good())
      body.issue(std::string{name} + " is required" + missing);
    return {};
  }
  auto key = parse_userkey(*text);
  if (key)
    return *std::move(key);
  body.issue(std::string{name} + ": " + key.why().detail);
  return {};
}

people::lookup_key read_somebody(json_body& body, std::string_view name, const char* missing) {
  auto key = read_named(body, name, missing);
  if (key.how == people::lookup_key::form::address && key.text.find_first_not_of('\0') == std::string::npos)
    body.issue(std::string{name} + " must not be the zero address, which is nobody's");
  return key;
}

people::lookup_key read_subject(json_body& body) {
  return read_somebody(body, "subject", ": a userkey such as address:0x… or service:x.com:<id>");
}

bool names_itself(const people::lookup_key& key) {
  return key.how == people::lookup_key::form::address || key.how == people::lookup_key::form::account;
}

outcome<reputation::named_subject> record_subject_of(const people::lookup_key& key, const people::user_bundle* who) {
  const auto found = subject_of(key, who);
  if (!found)
    return found.why();
  if (found->wallet)
    return reputation::named_subject{reputation::subject_key{*found->wallet}, std::nullopt};
  const auto& account = found->account.value();
  return reputation::named_subject{
    reputation::subject_key{attestation_hash(people::name_of(account.service), account.id)},
    reputation::account{account.service, account.id}};
}

void encode_subject(json_writer& to, const reputation::named_subject& who) {
  to.field("subject", auth::checksummed_text(who.key.wallet().value_or(address{})));
  to.object("attestationDetails", [&] {
    to.field("account", who.account ? std::string_view{who.account->id} : "");
    to.field("service", who.account ? people::name_of(who.account->service) : "");
  });
  to.field("subjectUserkey", userkey_of(who));
}

void encode_members(json_writer& to, const reputation::review_record& record) {
  to.field("id", record.id);
  to.field("authorProfileId", record.author);
  to.field("author", auth::checksummed_text(record.author_address.value_or(address{})));
  encode_subject(to, record.subject.name);
  to.field("score", reputation::review_score_names[static_cast<std::size_t>(record.score)]);
  to.field("comment", record.comment);
  to.field("metadata", record.metadata);
  to.field("archived", record.archived);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("updatedAt", unix_seconds(record.updated_at));
  to.field("edits", record.edits);
}

namespace v2 {

namespace {

void archive_review(call& c, bool archived) { submit(c, read_archiving<reputation::archive_review>(c, archived)); }

} // namespace

void create_review(call& c) {
  auto& body = c.json();
  reputation::create_review review;
  review.author = c.caller()->profile;
  review.dry_run = read_dry_run(c.given());
  const auto subject = read_subject(body);
  read_review_words(body, review);
  if (c.refuse_mistakes())
    co_return;
  people::bundle_ptr who;
  if (!names_itself(subject)) {
    people::get_bundle look{subject};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    who = came.found;
  }
  review.subject = c.value_of(record_subject_of(subject, who.get()));
  c.ask(c.to().records, std::move(review), &reply_with<reputation::review_record>);
}

void replay_create_review(call& c, const idempotency::found_record& done) {
  show_made<reputation::get_review>(c, done);
}

void get_review(call& c) { show_record<reputation::get_review>(c); }

void edit_review(call& c) {
  using edit = reputation::edit_review;
  submit(c, read_command<edit>(c, [&](edit& out, parameters&, json_body& body) {
           out.id = c.path_id<review_id>("id");
           out.by = c.caller()->profile;
           out.comment = read_words_if_any(body, "comment", 1, limits::review_comment_length_max);
           out.metadata = read_words_if_any(body, "metadata", 0, limits::record_metadata_length_max);
           if (body.good() && !out.comment && !out.metadata)
             body.issue("comment or metadata is required");
         }));
}

void archive_review(call& c) { archive_review(c, true); }
void restore_review(call& c) { archive_review(c, false); }
void replay_change_review(call& c, const idempotency::found_record&) { get_review(c); }

namespace {

using reputation::reviews_between;

void reply_latest(call& c, reviews_between& found) {
  reply_by_cards(c, [&](json_writer& to, user_cards& cards) {
    if (!found.latest)
      return to.null();
    to.begin_object();
    encode_members(to, found.latest->record);
    encode_named(to, "authorUser", cards, found.users, found.latest->author);
    encode_named(to, "subjectUser", cards, found.users, found.subject);
    to.end_object();
  });
}

void reply_count(call& c, reviews_between& found) {
  json_writer{c.out()}.value(found.count);
  c.reply();
}

/// What `authorUserKey` has written of `subjectUserKey`.
void between(call& c, void (*reply)(call&, reviews_between&)) {
  auto& given = c.given();
  people::find_people look;
  const auto key = [&given](std::string_view name) { return read_key(given, name, &parse_userkey); };
  look.keys.push_back(given.either("authorUserKey", "authorUserkey", key));
  look.keys.push_back(given.either("subjectUserKey", "subjectUserkey", key));
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto author = came.people.front();
  const auto subject = came.people.back();
  if (!author || !subject)
    co_return c.refuse(
      {refusal_code::not_found, author ? "no user matches subjectUserKey" : "no user matches authorUserKey"});
  c.ask(c.to().records, reputation::get_reviews_between{author.user, subject.user}, reply);
}

} // namespace

void get_latest_review_between(call& c) { between(c, &reply_latest); }
void count_reviews_between(call& c) { between(c, &reply_count); }

} // namespace v2

} // namespace credence::http
