#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/api/wallets/operations.hpp"
#include "http/api/wallets/sent_action.hpp"
#include "http/call/record_body.hpp"
#include "http/call/userkey.hpp"

namespace credence::http {

namespace {

using reputation::review_record;

/// A review on its way; whom it is about may have to be looked up first.
struct review_action {
  reputation::create_review review;
  people::lookup_key subject;
  action_terms terms;
};
struct review_edit {
  reputation::edit_review edit;
  action_terms terms;
};
struct review_end {
  reputation::archive_review end;
  action_terms terms;
  std::string title; // of the review, once it is read
};

using subject_reader = people::lookup_key (*)(json_body&);

// -- reading -------------------------------------------------------------------------------------

people::lookup_key read_address_subject(json_body& body) {
  return key_of_address(read_required_address(body, "address"));
}

people::lookup_key taken(json_body& body, std::string_view name, outcome<people::lookup_key> key) {
  if (!key)
    body.issue(std::string{name} + ": " + key.why().detail);
  return key ? *std::move(key) : people::lookup_key{};
}

/// An account at x.com: `x` with an `id` or a `username`, or `accountIdOrUsername`.
people::lookup_key read_x_subject(json_body& body) {
  if (const auto flat = body.text("accountIdOrUsername"))
    return taken(body, "accountIdOrUsername", parse_x_account(*flat));
  if (body.object("x")) {
    if (const auto id = body.text("x.id"))
      return taken(body, "x.id", parse_account(people::account_service::x, *id));
    if (const auto name = body.text("x.username"))
      return taken(
        body, "x.username",
        parse_userkey("service:x.com:username:" + std::string{name->starts_with('@') ? name->substr(1) : *name}));
  }
  if (body.good())
    body.issue("x is required: an object with the id or the username of an account, or accountIdOrUsername");
  return {};
}

outcome<review_action> read_review(const call& c, subject_reader subject) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  review_action out;
  out.terms = read_terms(given, *body);
  auto& review = out.review;
  review.author = c.caller()->profile;
  review.dry_run = out.terms.dry_run;
  out.subject = subject(*body);
  review.score = static_cast<reputation::review_score>(read_one_of(*body, "score", reputation::review_score_names));
  review.comment = read_words(*body, "title", 1, limits::review_comment_length_max);
  review.metadata = read_metadata(*body).value_or("");
  return checked(given, *body, std::move(out));
}

review_id read_review_id(json_body& body) {
  const auto* name = body.kind_of("reviewId") == json_body::kind::absent ? "id" : "reviewId";
  const auto number = body.integer(name);
  if (!number && body.good())
    body.issue("reviewId is required: the id of the review");
  if (number && (*number < 1 || *number > limits::id_max))
    body.issue(std::string{name} + " must be from 1 to " + std::to_string(limits::id_max) + ", not "
               + std::to_string(*number));
  return body.good() ? review_id{static_cast<std::int32_t>(*number)} : review_id{};
}

outcome<review_edit> read_edit(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  review_edit out;
  out.terms = read_terms(given, *body);
  out.edit.id = read_review_id(*body);
  out.edit.by = c.caller()->profile;
  out.edit.dry_run = out.terms.dry_run;
  out.edit.comment = read_words_if_any(*body, "title", 1, limits::review_comment_length_max);
  out.edit.metadata = read_metadata(*body);
  if (body->good() && !out.edit.comment && !out.edit.metadata)
    body->issue("title, content or metadata is required");
  return checked(given, *body, std::move(out));
}

outcome<review_end> read_end(const call& c) {
  parameters given{c.query()};
  auto body = parse_body_if_any(c);
  if (!body)
    return body.why();
  review_end out;
  out.terms = read_terms(given, *body);
  out.end = {given.path_id<review_id>("id", c.path_part("id")), c.caller()->profile, false, true, out.terms.dry_run};
  return checked(given, *body, std::move(out));
}

// -- answering -----------------------------------------------------------------------------------

/// `{hash, review?, reviewSlug}`.
void reply_review(call& c, const std::string& hash, const review_record& record) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("hash", hash);
  to.key("review");
  encode(to, record);
  to.field("reviewSlug", review_slug(record.id.value, record.comment));
  to.end_object();
  c.reply();
}

/// The same while the review cannot be read: `which` is 0 as long as nobody knows its id.
void reply_without_review(call& c, const sent_action& sent, review_id which, std::string_view title) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("hash", hash_text(sent.receipt.hash));
  to.field("reviewSlug", review_slug(which.value, title));
  if (sent.dry_run)
    to.field("costWei", decimal(sent.receipt.cost_most));
  to.end_object();
  c.reply();
}

std::string hash_of(const review_record& record, const std::string& event) {
  return hash_text(
    event_hash(record.id ? "credence:review:" + std::to_string(record.id.value) + event : std::string{}));
}
void reply_written(call& c, const review_record& record) { reply_review(c, hash_of(record, ""), record); }
void reply_edited(call& c, const review_record& record) {
  reply_review(c, hash_of(record, ":edit:" + std::to_string(record.edits)), record);
}
void reply_archived(call& c, const review_record& record) {
  reply_review(c, hash_of(record, ":archived:" + std::to_string(unix_seconds(record.updated_at))), record);
}

// -- on chain ------------------------------------------------------------------------------------

/// Answers with the review where it came in time.
void reply_sent(call& c, const sent_action& sent, review_id which, const std::string& title) {
  if (!which || !sent.processed)
    return reply_without_review(c, sent, which, title);
  c.ask(
    c.to().records, reputation::get_review{which},
    [sent](call& later, const review_record& found) { reply_review(later, hash_text(sent.receipt.hash), found); },
    [sent, which, title](call& later, const auto&) { reply_without_review(later, sent, which, title); });
}

void on_review_sent(call& c, review_action& order, const sent_action& sent) {
  review_id which;
  if (const auto* made = event_in<chain::review_events::review_created>(sent))
    which = review_id{made->review.value + on_chain(c, chain::record_kind::review)->id_offset};
  reply_sent(c, sent, which, order.review.comment);
}
void on_edit_sent(call& c, review_edit& order, const sent_action& sent) {
  reply_sent(c, sent, order.edit.id, order.edit.comment.value_or(""));
}
void on_end_sent(call& c, review_end& order, const sent_action& sent) {
  reply_sent(c, sent, order.end.id, order.title);
}

std::optional<chain::onchain_review> onchain_review_of(call& c, const wallet_rules& rules, review_id which) {
  if (which.value > rules.id_offset)
    return chain::onchain_review{which.value - rules.id_offset};
  c.refuse({refusal_code::not_found, "review " + std::to_string(which.value) + " is in no contract"});
  return std::nullopt;
}

void send_review(call& c, review_action& order, const wallet_rules& rules) {
  const auto& review = order.review;
  wallets::review_call onchain;
  onchain.score = static_cast<chain::review_score>(review.score);
  if (const auto& account = review.subject.account) {
    onchain.account = account->id;
    onchain.service = people::name_of(account->service);
  } else
    onchain.subject = review.subject.key.wallet().value_or(address{});
  onchain.comment = review.comment;
  onchain.metadata = review.metadata;
  auto action = rules.calls.add_review(onchain);
  const auto terms = order.terms;
  send_action(c, order, action, terms, &on_review_sent);
}

// -- what is done --------------------------------------------------------------------------------

/// A contract knows the wallet that signs, and none of its profile's other addresses and accounts.
refusal reviews_itself(profile_id author) {
  return {refusal_code::cannot_review_self,
          "the subject is profile " + std::to_string(author.value) + " itself; a profile reviews others only"};
}

/// The subject is looked up where the key does not say it by itself; an account's id that nobody has is the account.
void write_review(call& c, review_action& received) {
  auto order = std::move(received);
  const auto* rules = on_chain(c, chain::record_kind::review);
  people::bundle_ptr who;
  std::optional<profile_id> whose; // the subject is
  if (!names_itself(order.subject)) {
    people::get_bundle look{order.subject};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    who = came.found;
    if (who && who->profile)
      whose = who->profile->id;
  } else if (rules) {
    people::find_people look{{order.subject}};
    if (order.subject.how
        == people::lookup_key::form::address) { // a managed wallet is its user's before a block says so
      look.keys.push_back(order.subject);
      look.keys.back().how = people::lookup_key::form::embedded_wallet;
    }
    const auto came = co_await c.ask(c.to().people, std::move(look));
    for (const auto& each : came.people)
      if (each.profile == order.review.author)
        whose = each.profile;
  }
  if (!who && order.subject.how == people::lookup_key::form::x_account_or_handle)
    order.subject = {
      .how = people::lookup_key::form::account, .service = people::account_service::x, .text = order.subject.text};
  auto subject = record_subject_of(order.subject, who.get());
  if (!subject)
    co_return c.refuse(subject.why());
  order.review.subject = *std::move(subject);
  if (!rules)
    co_return c.ask(c.to().records, std::move(order.review), &reply_written);
  if (whose == order.review.author)
    co_return c.refuse(reviews_itself(order.review.author));
  send_review(c, order, *rules);
}

void write_edit(call& c, review_edit& order) {
  const auto* rules = on_chain(c, chain::record_kind::review);
  if (!rules)
    return c.ask(c.to().records, std::move(order.edit), &reply_edited);
  // The contract takes both texts: what is not given stays as it is.
  c.ask(c.to().records, reputation::get_review{order.edit.id}, [order, rules](call& later, const review_record& now) {
    auto edit = order;
    edit.edit.comment = edit.edit.comment.value_or(now.comment);
    const auto which = onchain_review_of(later, *rules, edit.edit.id);
    if (!which)
      return;
    auto action = rules->calls.edit_review(*which, *edit.edit.comment, edit.edit.metadata.value_or(now.metadata));
    const auto terms = edit.terms;
    send_action(later, edit, action, terms, &on_edit_sent);
  });
}

void write_end(call& c, review_end& order) {
  const auto* rules = on_chain(c, chain::record_kind::review);
  if (!rules)
    return c.ask(c.to().records, order.end, &reply_archived);
  c.ask(c.to().records, reputation::get_review{order.end.id}, [order, rules](call& later, const review_record& now) {
    auto end = order;
    end.title = now.comment;
    const auto which = onchain_review_of(later, *rules, end.end.id);
    if (!which)
      return;
    auto action = rules->calls.archive_review(*which);
    const auto terms = end.terms;
    send_action(later, end, action, terms, &on_end_sent);
  });
}

void take_review(call& c, subject_reader subject) {
  auto order = read_review(c, subject);
  if (!order)
    return c.refuse(order.why());
  once_allowed(c, *order, &write_review);
}

void replay_review(call& c, const idempotency::found_record& done, subject_reader subject) {
  if (!on_chain(c, chain::record_kind::review))
    return c.ask(c.to().records, reputation::get_review{review_id{static_cast<std::int32_t>(number_of(done))}},
                 &reply_written);
  auto order = read_review(c, subject);
  if (!order)
    return c.refuse(order.why());
  const auto terms = order->terms;
  find_action(c, *order, number_of(done), terms, &on_review_sent);
}

} // namespace

namespace v2 {

void post_managed_review(call& c) { take_review(c, &read_subject); }
void post_managed_review_by_address(call& c) { take_review(c, &read_address_subject); }
void post_managed_review_by_x(call& c) { take_review(c, &read_x_subject); }
void replay_managed_review(call& c, const idempotency::found_record& done) { replay_review(c, done, &read_subject); }
void replay_managed_review_by_address(call& c, const idempotency::found_record& done) {
  replay_review(c, done, &read_address_subject);
}
void replay_managed_review_by_x(call& c, const idempotency::found_record& done) {
  replay_review(c, done, &read_x_subject);
}

void post_managed_review_edit(call& c) {
  auto order = read_edit(c);
  if (!order)
    return c.refuse(order.why());
  once_allowed(c, *order, &write_edit);
}

void replay_managed_review_edit(call& c, const idempotency::found_record& done) {
  auto order = read_edit(c);
  if (!order)
    return c.refuse(order.why());
  if (!on_chain(c, chain::record_kind::review))
    return c.ask(c.to().records, reputation::get_review{order->edit.id}, &reply_edited);
  // The title is that of the review where the edit left it alone.
  c.ask(c.to().records, reputation::get_review{order->edit.id},
        [order = *order, number = number_of(done)](call& later, const review_record& now) {
          auto edit = order;
          edit.edit.comment = edit.edit.comment.value_or(now.comment);
          const auto terms = edit.terms;
          find_action(later, edit, number, terms, &on_edit_sent);
        });
}

void post_managed_review_archive(call& c) {
  auto order = read_end(c);
  if (!order)
    return c.refuse(order.why());
  once_allowed(c, *order, &write_end);
}

void replay_managed_review_archive(call& c, const idempotency::found_record& done) {
  auto order = read_end(c);
  if (!order)
    return c.refuse(order.why());
  if (!on_chain(c, chain::record_kind::review))
    return c.ask(c.to().records, reputation::get_review{order->end.id}, &reply_archived);
  c.ask(c.to().records, reputation::get_review{order->end.id},
        [order = *order, number = number_of(done)](call& later, const review_record& now) {
          auto end = order;
          end.title = now.comment;
          const auto terms = end.terms;
          find_action(later, end, number, terms, &on_end_sent);
        });
}

} // namespace v2

} // namespace credence::http
