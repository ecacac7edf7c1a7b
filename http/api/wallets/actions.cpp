#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_rules.hpp"
#include "actors/wallets/action_state.hpp"
#include "config/limits.hpp"
#include "http/api/discussions/discussions.hpp"
#include "http/api/record_commands.hpp"
#include "http/api/reviews/reviews.hpp"
#include "http/api/wallets/operations.hpp"
#include "http/api/wallets/sent_action.hpp"
#include "http/call/userkey.hpp"

#include <algorithm>

/// What pages of partners do for users: commands about records. Where a chain is followed for such records, each is a
/// transaction of the user's managed wallet, else it goes to the keeper of records as those of the public API do.
namespace credence::http {

namespace {

using chain::record_kind;
using idempotency::found_record;
using reputation::activity_vote;
using reputation::invitation_record;
using reputation::reply_record;
using reputation::review_record;

/// A command on its way.
template <class Command>
struct action {
  Command command;
  action_terms terms;
};
using review_edit = action<reputation::edit_review>;
using review_end = action<reputation::archive_review>;
using vote_action = action<reputation::put_vote>;
using reply_action = action<reputation::create_reply>;
using invite_action = action<reputation::send_invitation>;
using bond_action = action<wallets::bond_call>;
using bond_end_action = action<wallets::bond_end_call>;
/// A review; whom it is about may have to be looked up first.
struct review_action : action<reputation::create_review> {
  people::lookup_key subject;
  std::optional<profile_id> whose; // the profile that the subject belongs to, where the contract cannot know it
};

// -- what requests say ---------------------------------------------------------------------------

constexpr std::int64_t wait_seconds_max = 30;

std::optional<std::int64_t> read_wait(json_body& body, std::string_view name) {
  const auto seconds = body.integer(name);
  if (seconds && *seconds < 0)
    body.issue(std::string{name} + " must be 0 seconds or more, not " + std::to_string(*seconds));
  return seconds ? std::optional{std::min(*seconds, wait_seconds_max)} : std::nullopt;
}

/// Reads a request for an action: `dryRun` of the query; `waitForTxTimeoutSeconds` of the body, or by its older name
/// `waitForReviewTimeoutSeconds`, of which `wait_seconds_max` count; and by `fill` what is the action's own.
template <class Order>
Order read_action(call& c, void (*fill)(call&, Order&, parameters&, json_body&), std::string_view without_body = {}) {
  return read_command<Order>(
    c,
    [&](Order& out, parameters& given, json_body& body) {
      const auto for_review = read_wait(body, "waitForReviewTimeoutSeconds");
      const auto for_transaction = read_wait(body, "waitForTxTimeoutSeconds");
      out.terms = {read_dry_run(given), std::chrono::seconds{for_transaction.value_or(for_review.value_or(0))}};
      if constexpr (requires { out.command.dry_run; })
        out.command.dry_run = out.terms.dry_run;
      fill(c, out, given, body);
    },
    without_body);
}
/// Of requests that may have no body.
constexpr std::string_view nothing_said = "{}";

address read_required_address(json_body& body, std::string_view name) {
  const auto text = body.text(name);
  if (!text) {
    if (body.good())
      body.issue(std::string{name} + " is required: an address");
    return {};
  }
  const auto found = parse_address(*text);
  if (!found || *found == address{})
    body.issue(std::string{name} + " must be an address, 0x and 40 hexadecimal digits, not " + shown(*text));
  else if (const auto flaw = checksum_flaw(*text, *found))
    body.issue(std::string{name} + " must " + *flaw);
  return found.value_or(address{});
}

/// What stands between the braces of an object.
std::string_view members_in(std::string_view object) { return object.substr(1, object.size() - 2); }

bool is_object(std::string_view json) { return json.size() > 1 && json.front() == '{'; }

/// The texts that go with a review: `content` as the description in JSON, with whatever `metadata` holds: a JSON text,
/// an object whose members join it, or any other value under `metadata`. Nothing where the body has neither.
std::optional<std::string> read_metadata(json_body& body) {
  const bool described = body.has("content");
  const auto content = body.text("content").value_or("");
  const auto given = body.json("metadata");
  if (!described && !given)
    return std::nullopt;
  if (!described && body.kind_of("metadata") == json_body::kind::text) // JSON text already, or what the client likes
    return read_words(body, "metadata", 0, limits::record_metadata_length_max);
  std::string out;
  json_writer to{out};
  to.begin_object();
  if (described)
    to.field("description", content);
  if (given && !is_object(*given)) {
    to.key("metadata");
    to.raw(*given);
  }
  to.end_object();
  if (given && is_object(*given) && !members_in(*given).empty()) {
    if (described && body.has("metadata.description"))
      body.issue("metadata must have no description where there is content, which is the description");
    out.pop_back();
    out.append(out.size() > 1 ? "," : "").append(members_in(*given)).append("}");
  }
  if (const auto length = characters(out); length > limits::record_metadata_length_max)
    body.issue("content and metadata must have at most " + std::to_string(limits::record_metadata_length_max)
               + " characters together, as JSON, not " + std::to_string(length));
  return out;
}

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
  const auto flat = body.text("accountIdOrUsername");
  if (body.object("x")) {
    const auto id = body.text("x.id");
    const auto name = body.text("x.username");
    if (flat && (id || name) && flat != id && flat != name)
      body.issue("x and accountIdOrUsername are two names of one member: give one of them");
    if (id)
      return taken(body, "x.id", parse_account(people::account_service::x, *id));
    if (name)
      return taken(
        body, "x.username",
        parse_userkey("service:x.com:username:" + std::string{name->starts_with('@') ? name->substr(1) : *name}));
  }
  if (flat)
    return taken(body, "accountIdOrUsername", parse_x_account(*flat));
  if (body.good())
    body.issue("x is required: an object with the id or the username of an account, or accountIdOrUsername");
  return {};
}

template <people::lookup_key (*ReadSubject)(json_body&)>
void fill_review(call& c, review_action& to, parameters&, json_body& body) {
  to.command.author = c.caller()->profile;
  to.subject = ReadSubject(body);
  to.command.score = static_cast<reputation::review_score>(read_one_of(body, "score", reputation::review_score_names));
  to.command.comment = read_words(body, "title", 1, limits::review_comment_length_max);
  to.command.metadata = read_metadata(body).value_or("");
}

void fill_review_edit(call& c, review_edit& to, parameters&, json_body& body) {
  const auto* name = body.kind_of("reviewId") == json_body::kind::absent ? "id" : "reviewId";
  if (body.has("reviewId") && body.has("id") && body.integer("reviewId") != body.integer("id"))
    body.issue("reviewId and id are two names of one member: give one of them");
  const auto number = body.integer(name);
  if (!number && body.good())
    body.issue("reviewId is required: the id of the review");
  if (number && (*number < 1 || *number > limits::id_max))
    body.issue(std::string{name} + " must be from 1 to " + std::to_string(limits::id_max) + ", not "
               + std::to_string(*number));
  to.command.id = body.good() ? review_id{static_cast<std::int32_t>(*number)} : review_id{};
  to.command.by = c.caller()->profile;
  to.command.comment = read_words_if_any(body, "title", 1, limits::review_comment_length_max);
  to.command.metadata = read_metadata(body);
  if (body.good() && !to.command.comment && !to.command.metadata)
    body.issue("title, content or metadata is required");
}

void fill_review_end(call& c, review_end& to, parameters&, json_body&) {
  to.command.id = c.path_id<review_id>("id");
  to.command.by = c.caller()->profile;
}

/// The activity that `type` and `id` of the path name.
reputation::activity read_target(const call& c, parameters& given) {
  const auto id = given.path_id<review_id>("id", c.path_part("id")).value;
  const auto name = c.path_part("type");
  std::string all;
  for (const auto& each : activity_types) {
    if (each.name == name && each.kind)
      return {*each.kind, id};
    if (each.name == name) {
      given.issue("activities of the type " + std::string{name} + " take neither votes nor replies");
      return {};
    }
    all.append(all.empty() ? "" : ", ").append(each.name);
  }
  given.issue("type must be one of " + all + ", not " + shown(name));
  return {};
}

void fill_vote(call& c, vote_action& to, parameters& given, json_body& body) {
  to.command.on = read_target(c, given);
  to.command.voter = c.caller()->profile;
  const auto up = body.boolean("isUpvote");
  const bool withdraws = body.boolean("isArchive").value_or(false);
  if (!up && !withdraws && body.good())
    body.issue("isUpvote is required: true or false; or isArchive: true");
  to.command.upvote = up.value_or(true);
  to.command.wish = withdraws ? reputation::vote_wish::withdraw : reputation::vote_wish::stand;
}

void fill_reply(call& c, reply_action& to, parameters& given, json_body& body) {
  to.command.author = c.caller()->profile;
  to.command.on = read_target(c, given);
  to.command.content = read_words(body, "content", 1, limits::reply_content_length_max);
  auto& metadata = to.command.metadata;
  const bool text = body.kind_of("metadata") == json_body::kind::text;
  metadata =
    text ? read_words(body, "metadata", 0, limits::record_metadata_length_max) : body.json("metadata").value_or("");
  if (characters(metadata) > limits::record_metadata_length_max)
    body.issue("metadata must have at most " + std::to_string(limits::record_metadata_length_max)
               + " characters as JSON");
}

void fill_invitation(call& c, invite_action& to, parameters&, json_body& body) {
  to.command.sender = c.caller()->profile;
  to.command.recipient = read_required_address(body, "invitee");
}

/// `signature` and `randValue`: what the contract's signer has allowed.
template <class Call>
void read_allowance(json_body& body, Call& to) {
  const auto signature = body.text("signature").value_or("");
  const bool hex = signature.starts_with("0x") && signature.size() % 2 == 0 && signature.size() <= 2 + 2 * 256;
  to.signature.resize(hex ? signature.size() / 2 - 1 : 0);
  if (!hex || to.signature.empty() || !decode_hex(signature.substr(2), std::as_writable_bytes(std::span{to.signature})))
    body.issue("signature is required: 0x and the hexadecimal digits of what the contract's signer has signed");
  const bool small = body.kind_of("randValue") == json_body::kind::integer;
  const auto number = small ? body.json("randValue").value_or("") : std::string{body.text("randValue").value_or("")};
  const auto zeros = std::min(number.find_first_not_of('0'), number.empty() ? 0 : number.size() - 1);
  const auto value = parse_wei(std::string_view{number}.substr(zeros));
  if (!value)
    body.issue("randValue is required: the number that was signed, as decimal text");
  to.random_value = value.value_or(uint256{});
}

void fill_bond(call&, bond_action& to, parameters&, json_body& body) {
  auto& bond = to.command;
  bond.subject.value = read_profile(body, "subjectProfileId").value;
  bond.bond_type = read_words(body, "bondType", 1, limits::bond_word_length_max);
  bond.amount = read_words(body, "amount", 1, limits::bond_word_length_max);
  bond.amount_type = read_words(body, "amountType", 1, limits::bond_word_length_max);
  bond.statement = read_words(body, "statement", 0, limits::bond_statement_length_max);
  bond.expiration = read_words(body, "expiration", 0, limits::bond_word_length_max);
  read_allowance(body, bond);
}

void fill_bond_end(call& c, bond_end_action& to, parameters& given, json_body& body) {
  to.command.bond.value = given.path_id<reputation::bond_id>("id", c.path_part("id")).value;
  to.command.reason = read_words(body, "reason", 1, limits::bond_word_length_max);
  read_allowance(body, to.command);
}

// -- answering -----------------------------------------------------------------------------------

/// `{hash, …}`: what `write` writes into the open object, and what it costs where that was only asked.
template <class Write>
void reply_action_with(call& c, const std::string& hash, const sent_action* sent, Write write) {
  reply_object(c, [&](json_writer& to) {
    to.field("hash", hash);
    write(to);
    if (sent && sent->dry_run)
      to.field("costWei", decimal(sent->receipt.cost_most));
  });
}

/// Stands where clients expect the hash of a transaction: the Keccak-256 of what names the event of a record that was
/// written here, such as `credence:review:7`. Of a dry run, whose record has no number: zeros.
std::string hash_of_event(std::string_view record, std::int32_t number, const std::string& event = {}) {
  if (number == 0)
    return hex_text(digest32{});
  return hex_text(keccak256("credence:" + std::string{record} + ":" + std::to_string(number) + event));
}

/// A title as it stands in the address of a page: small letters and digits of ASCII with hyphens between them, 80 at
/// most.
std::string slug_of(std::string_view title) {
  constexpr std::size_t length_max = 80;
  std::string out;
  for (const char c : title) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
      out += upper ? static_cast<char>(c + 32) : c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
    if (out.size() == length_max)
      break;
  }
  while (!out.empty() && out.back() == '-')
    out.pop_back();
  return out.empty() ? "review" : out;
}

/// `{hash, review?, reviewSlug}`; the slug is `<id>/<title>`, and the title alone as long as nobody knows the id.
void reply_review(call& c, const std::string& hash, review_id which, std::string_view title,
                  const review_record* record, const sent_action* sent = nullptr) {
  reply_action_with(c, hash, sent, [&](json_writer& to) {
    if (record) {
      to.field("review", *record);
    }
    to.field("reviewSlug", (which ? std::to_string(which.value) + "/" : std::string{}) + slug_of(title));
  });
}
void reply_review(call& c, const review_record& record, const std::string& event) {
  reply_review(c, hash_of_event("review", record.id.value, event), record.id, record.comment, &record);
}
void reply_created(call& c, const review_record& record) { reply_review(c, record, ""); }
void reply_edited(call& c, const review_record& record) {
  reply_review(c, record, ":edit:" + std::to_string(record.edits));
}
void reply_archived(call& c, const review_record& record) {
  reply_review(c, record, ":archived:" + std::to_string(unix_seconds(record.updated_at)));
}

/// `{hash}`, and the vote or reply where it is known.
template <class Record>
void reply_record_as(call& c, json_name name, const std::string& hash, const Record* record,
                     const sent_action* sent = nullptr) {
  reply_action_with(c, hash, sent, [&](json_writer& to) {
    if (!record)
      return;
    to.key(name);
    encode(to, *record);
  });
}
std::string hash_of(const activity_vote& vote) {
  const auto moment = std::chrono::floor<std::chrono::microseconds>(vote.updated_at.time_since_epoch()).count();
  return hash_of_event("vote", vote.number, ":" + std::to_string(moment));
}
void reply_voted(call& c, const activity_vote& vote) { reply_record_as(c, "vote", hash_of(vote), &vote); }
void reply_replied(call& c, const reply_record& reply) {
  reply_record_as(c, "reply", hash_of_event("reply", reply.id.value), &reply);
}

/// `{hash, processed}`.
void reply_processed(call& c, const std::string& hash, bool processed, const sent_action* sent = nullptr) {
  reply_action_with(c, hash, sent, [&](json_writer& to) { to.field("processed", processed); });
}
void reply_invited(call& c, const invitation_record& record) {
  const bool withdrawn = record.status == reputation::invitation_status::withdrawn;
  reply_processed(c, hash_of_event("invitation", record.id.value, withdrawn ? ":withdrawn" : ""),
                  static_cast<bool>(record.id));
}

// -- what is done --------------------------------------------------------------------------------

/// The rules by which records of this kind become transactions; null where they are written here.
const wallets::action_rules* on_chain(const call& c, record_kind kind) {
  const auto* rules = c.identity().partners.on_chain;
  return rules && rules->kinds.contains(kind) ? rules : nullptr;
}

/// Hands the command to the keeper of records. Of a request that comes again `written` reads what it did.
template <class Command, class Question>
void write_here(call& c, action<Command>& order, Question written,
                void (*reply)(call&, const typename Question::answer_type&)) {
  if (order.terms.done)
    return c.ask(c.to().records, written, reply);
  c.ask(c.to().records, std::move(order.command), reply);
}
/// The record that a request made which comes again.
template <class Id>
Id made_by(const action_terms& terms) {
  return Id{static_cast<std::int32_t>(terms.done.value_or(0))};
}

/// Answers by `reply` with the record that a transaction has made or changed, or with null where that cannot be read in
/// time.
template <class Question, class Reply>
void show_sent(call& c, const sent_action& sent, const Question& which, Reply reply) {
  if (!sent.processed)
    return reply(c, nullptr);
  c.ask(
    c.to().records, which, [reply](call& later, const typename Question::answer_type& found) { reply(later, &found); },
    [reply](call& later, const auto&) { reply(later, nullptr); });
}

void show_sent_review(call& c, const sent_action& sent, review_id which, const std::string& title) {
  const auto reply = [sent, which, title](call& later, const review_record* found) {
    const auto hash = hex_text(sent.receipt.hash);
    if (found)
      return reply_review(later, hash, which, found->comment, found);
    reply_review(later, hash, which, title, nullptr, &sent);
  };
  if (which)
    return show_sent(c, sent, reputation::get_review{which}, reply);
  reply(c, nullptr);
}

void submit_review(call& c, review_action& received) {
  auto order = std::move(received);
  const auto* rules = on_chain(c, record_kind::review);
  if (!rules)
    co_return write_here(c, order, reputation::get_review{made_by<review_id>(order.terms)}, &reply_created);
  transaction_of step{c, order.terms, [&] { return rules->decide(order.command, order.whose); }};
  const auto sent = co_await step;
  const auto* made = event_in<chain::review_events::review_created>(sent);
  show_sent_review(c, sent, made ? rules->ours(made->review) : review_id{}, order.command.comment);
}

/// The subject is looked up where the key does not say it by itself; an account's id that nobody has is the account.
void find_subject(call& c, review_action& received) {
  auto order = std::move(received);
  people::bundle_ptr who;
  if (!names_itself(order.subject)) {
    people::get_bundle look{order.subject};
    const auto came = co_await c.ask(c.to().people, std::move(look));
    who = came.found;
    if (who && who->profile)
      order.whose = who->profile->id;
  } else if (on_chain(c, record_kind::review)) {
    people::find_people look{{order.subject}};
    if (order.subject.how
        == people::lookup_key::form::address) { // a managed wallet is its user's before a block says so
      look.keys.push_back(order.subject);
      look.keys.back().how = people::lookup_key::form::embedded_wallet;
    }
    const auto came = co_await c.ask(c.to().people, std::move(look));
    for (const auto& each : came.people)
      if (each.profile == order.command.author)
        order.whose = each.profile;
  }
  if (!who && order.subject.how == people::lookup_key::form::x_account_or_handle)
    order.subject = {
      .how = people::lookup_key::form::account, .service = people::account_service::x, .text = order.subject.text};
  order.command.subject = c.value_of(record_subject_of(order.subject, who.get()));
  submit_review(c, order);
}

void submit_review_edit(call& c, review_edit& received) {
  auto order = std::move(received);
  const auto* rules = on_chain(c, record_kind::review);
  const reputation::get_review which{order.command.id};
  if (!rules)
    co_return write_here(c, order, which, &reply_edited);
  const auto now = co_await c.ask(c.to().records, which);
  transaction_of step{c, order.terms, [&] { return rules->decide(order.command, now); }};
  const auto sent = co_await step;
  show_sent_review(c, sent, which.id, order.command.comment.value_or(now.comment));
}

void submit_review_end(call& c, review_end& received) {
  auto order = std::move(received);
  const auto* rules = on_chain(c, record_kind::review);
  const reputation::get_review which{order.command.id};
  if (!rules)
    co_return write_here(c, order, which, &reply_archived);
  const auto now = co_await c.ask(c.to().records, which);
  transaction_of step{c, order.terms, [&] { return rules->decide(order.command); }};
  const auto sent = co_await step;
  show_sent_review(c, sent, which.id, now.comment);
}

/// Answers with the vote as it stands, and the transaction of the caller's wallet that made it so, if there is one.
void show_vote(call& c, const activity_vote& standing, const wallets::action_rules& rules) {
  const auto vote = standing;
  auto hash = hash_of(vote);
  if (const auto cast = rules.vote(vote.on, vote.upvote); cast && c.to().wallets) {
    wallets::find_action question{vote.voter, *cast};
    const auto sent = co_await c.try_ask(c.to().wallets, std::move(question));
    if (sent && *sent)
      hash = hex_text((*sent)->hash);
  }
  reply_record_as(c, "vote", hash, &vote);
}

void submit_vote(call& c, vote_action& received) {
  auto order = std::move(received);
  const auto* rules = on_chain(c, record_kind::vote);
  const reputation::get_vote which{order.command.on, order.command.voter};
  if (!rules)
    co_return write_here(c, order, which, &reply_voted);
  std::optional<activity_vote> now;
  if (!order.terms.done) {
    const auto found = co_await c.outcome_of(c.to().records, which);
    if (found && reputation::is_as_wished(*found, order.command))
      co_return show_vote(c, *found, *rules);
    if (found)
      now = *found;
  }
  transaction_of step{c, order.terms, [&] { return rules->decide(order.command, now ? &*now : nullptr); }};
  const auto sent = co_await step;
  show_sent(c, sent, which, [sent](call& later, const activity_vote* found) {
    reply_record_as(later, "vote", hex_text(sent.receipt.hash), found, &sent);
  });
}

void submit_reply(call& c, reply_action& received) {
  auto order = std::move(received);
  const auto* rules = on_chain(c, record_kind::reply);
  if (!rules)
    co_return write_here(c, order, reputation::get_reply{made_by<reply_id>(order.terms)}, &reply_replied);
  transaction_of step{c, order.terms, [&] { return rules->decide(order.command); }};
  const auto sent = co_await step;
  const auto reply = [sent](call& later, const reply_record* found) {
    reply_record_as(later, "reply", hex_text(sent.receipt.hash), found, &sent);
  };
  if (const auto* made = event_in<chain::discussion_events::reply_added>(sent))
    show_sent(c, sent, reputation::get_reply{rules->ours(made->reply)}, reply);
  else
    reply(c, nullptr);
}

/// Sends a transaction whose record is not shown: the one that `decide()` says.
template <class Decide>
void submit_action(call& c, const action_terms& terms, Decide decide) {
  transaction_of step{c, terms, decide};
  const auto sent = co_await step;
  reply_processed(c, hex_text(sent.receipt.hash), sent.processed, &sent);
}

void submit_invitation(call& c, invite_action& order) {
  if (const auto* rules = on_chain(c, record_kind::identity))
    return submit_action(c, order.terms, [&] { return rules->calls.invite(order.command.recipient); });
  write_here(c, order, reputation::get_invitation{made_by<invitation_id>(order.terms)}, &reply_invited);
}

/// Cancels the caller's own open invitation to the address, whose id nobody but us knows. The command was read as one
/// that invites, of which only sender and recipient count.
void withdraw_invitation(call& c, invite_action& received) {
  const auto invitation = received.command;
  const reputation::list_pending_invitations look{invitation.recipient, {1, 0}, invitation.sender};
  const auto found = co_await c.ask(c.to().records, look);
  if (found.rows.empty())
    co_return c.refuse({refusal_code::not_found, "you have no open invitation to that address"});
  const reputation::cancel_invitation command{found.rows.front().record.id, invitation.sender, invitation.dry_run};
  c.ask(c.to().records, command, &reply_invited);
}

void submit_invitation_end(call& c, invite_action& order) {
  if (const auto* rules = on_chain(c, record_kind::identity))
    return submit_action(c, order.terms, [&] { return rules->calls.uninvite(order.command.recipient); });
  if (order.terms.done) {
    const reputation::get_invitation ended{made_by<invitation_id>(order.terms)};
    return c.ask(c.to().records, ended, &reply_invited);
  }
  withdraw_invitation(c, order);
}

template <class Order>
void submit_bond(call& c, Order& order) {
  const auto* rules = on_chain(c, record_kind::bond);
  if (!rules && !order.terms.done)
    return c.refuse(
      {refusal_code::forbidden,
       "bonds are made by no contract here: admins record them with POST /api/v2/bonds/create, and end them"});
  submit_action(c, order.terms, [&] { return rules->decide(order.command); });
}

/// Does what was read, where the user has let the page act.
template <class Order>
void take(call& c, Order order, void (*act)(call&, Order&)) {
  once_allowed(c, order, act);
}

/// Answers a request that comes again, with what it did.
template <class Order>
void take_again(call& c, Order order, const found_record& done, void (*act)(call&, Order&)) {
  order.terms.done = parse_integer(done.effect).value_or(0);
  act(c, order);
}

auto review_of_key(call& c) { return read_action(c, &fill_review<&read_subject>); }
auto review_of_address(call& c) { return read_action(c, &fill_review<&read_address_subject>); }
auto review_of_x(call& c) { return read_action(c, &fill_review<&read_x_subject>); }

} // namespace

namespace v2 {

void post_managed_review(call& c) { take(c, review_of_key(c), &find_subject); }
void post_managed_review_by_address(call& c) { take(c, review_of_address(c), &find_subject); }
void post_managed_review_by_x(call& c) { take(c, review_of_x(c), &find_subject); }
void replay_post_managed_review(call& c, const found_record& done) {
  take_again(c, review_of_key(c), done, &submit_review);
}
void replay_post_managed_review_by_address(call& c, const found_record& done) {
  take_again(c, review_of_address(c), done, &submit_review);
}
void replay_post_managed_review_by_x(call& c, const found_record& done) {
  take_again(c, review_of_x(c), done, &submit_review);
}

void edit_managed_review(call& c) { take(c, read_action(c, &fill_review_edit), &submit_review_edit); }
void replay_edit_managed_review(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_review_edit), done, &submit_review_edit);
}

void archive_managed_review(call& c) { take(c, read_action(c, &fill_review_end, nothing_said), &submit_review_end); }
void replay_archive_managed_review(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_review_end, nothing_said), done, &submit_review_end);
}

void vote_managed(call& c) { take(c, read_action(c, &fill_vote, nothing_said), &submit_vote); }
void replay_vote_managed(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_vote, nothing_said), done, &submit_vote);
}

void reply_managed(call& c) { take(c, read_action(c, &fill_reply), &submit_reply); }
void replay_reply_managed(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_reply), done, &submit_reply);
}

void post_managed_invitation(call& c) { take(c, read_action(c, &fill_invitation), &submit_invitation); }
void replay_post_managed_invitation(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_invitation), done, &submit_invitation);
}

void cancel_managed_invitation(call& c) { take(c, read_action(c, &fill_invitation), &submit_invitation_end); }
void replay_cancel_managed_invitation(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_invitation), done, &submit_invitation_end);
}

void post_managed_bond(call& c) { take(c, read_action(c, &fill_bond), &submit_bond<bond_action>); }
void replay_post_managed_bond(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_bond), done, &submit_bond<bond_action>);
}

void archive_managed_bond(call& c) { take(c, read_action(c, &fill_bond_end), &submit_bond<bond_end_action>); }
void replay_archive_managed_bond(call& c, const found_record& done) {
  take_again(c, read_action(c, &fill_bond_end), done, &submit_bond<bond_end_action>);
}

} // namespace v2

} // namespace credence::http
