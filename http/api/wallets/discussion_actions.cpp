#include "actors/reputation/record_actor.hpp"
#include "http/api/discussions/discussions.hpp"
#include "http/api/wallets/activity_types.hpp"
#include "http/api/wallets/operations.hpp"
#include "http/api/wallets/sent_action.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

namespace {

using reputation::activity_vote;
using reputation::reply_record;
using reputation::vote_wish;

struct vote_action {
  reputation::put_vote vote;
  chain::contract_kind contract{};
  action_terms terms;
};
struct reply_action {
  reputation::create_reply reply;
  chain::contract_kind contract{};
  action_terms terms;
};

// -- reading -------------------------------------------------------------------------------------

activity_target read_target(const call& c, parameters& given) {
  const auto id = given.path_id<review_id>("id", c.path_part("id")).value;
  const auto found = activity_named(c.path_part("type"), id);
  if (!found)
    given.issues_of(found.why());
  return found ? *found : activity_target{};
}

outcome<vote_action> read_vote_action(const call& c) {
  parameters given{c.query()};
  auto body = parse_body_if_any(c);
  if (!body)
    return body.why();
  vote_action out;
  out.terms = read_terms(given, *body);
  const auto target = read_target(c, given);
  const auto up = body->boolean("isUpvote");
  const bool withdraws = body->boolean("isArchive").value_or(false);
  if (!up && !withdraws && body->good())
    body->issue("isUpvote is required: true or false; or isArchive: true");
  out.contract = target.contract;
  out.vote = {target.on, c.caller()->profile, up.value_or(true), out.terms.dry_run,
              withdraws ? vote_wish::withdraw : vote_wish::stand};
  return checked(given, *body, std::move(out));
}

outcome<reply_action> read_reply_action(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  reply_action out;
  out.terms = read_terms(given, *body);
  const auto target = read_target(c, given);
  out.contract = target.contract;
  auto& reply = out.reply;
  reply.author = c.caller()->profile;
  reply.on = target.on;
  reply.content = read_words(*body, "content", 1, limits::reply_content_length_max);
  const bool text = body->kind_of("metadata") == json_body::kind::text;
  reply.metadata =
    text ? read_words(*body, "metadata", 0, limits::record_metadata_length_max) : body->json("metadata").value_or("");
  if (characters(reply.metadata) > limits::record_metadata_length_max)
    body->issue("metadata must have at most " + std::to_string(limits::record_metadata_length_max)
                + " characters as JSON");
  reply.dry_run = out.terms.dry_run;
  return checked(given, *body, std::move(out));
}

// -- answering -----------------------------------------------------------------------------------

/// `{hash}`, the record under `name` where it is known, and what it costs where that was only asked.
template <class Record>
void reply_hash(call& c, const std::string& hash, json_name name, const Record* record,
                const sent_action* sent = nullptr) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("hash", hash);
  if (record) {
    to.key(name);
    encode(to, *record);
  }
  if (sent && sent->dry_run)
    to.field("costWei", decimal(sent->receipt.cost_most));
  to.end_object();
  c.reply();
}

std::string hash_of(const activity_vote& vote) {
  if (vote.number == 0)
    return hash_text({});
  const auto moment = std::chrono::floor<std::chrono::microseconds>(vote.updated_at.time_since_epoch()).count();
  return hash_text(event_hash("credence:vote:" + std::to_string(vote.number) + ":" + std::to_string(moment)));
}
std::string hash_of(const reply_record& reply) {
  return hash_text(event_hash(reply.id ? "credence:reply:" + std::to_string(reply.id.value) : std::string{}));
}

void reply_voted(call& c, const activity_vote& vote) { reply_hash(c, hash_of(vote), "vote", &vote); }
void reply_replied(call& c, const reply_record& reply) { reply_hash(c, hash_of(reply), "reply", &reply); }

// -- on chain ------------------------------------------------------------------------------------

/// Answers with what `question` reads, once it is to be seen, else with the hash alone.
template <class Question>
void reply_sent(call& c, const sent_action& sent, json_name name, Question question) {
  using record = typename Question::answer_type;
  const auto hash = hash_text(sent.receipt.hash);
  if (sent.dry_run || !sent.processed)
    return reply_hash<record>(c, hash, name, nullptr, &sent);
  c.ask(
    c.to().records, question, [hash, name](call& later, const record& found) { reply_hash(later, hash, name, &found); },
    [hash, name](call& later, const auto&) { reply_hash<record>(later, hash, name, nullptr); });
}

void on_vote_sent(call& c, vote_action& order, const sent_action& sent) {
  reply_sent(c, sent, "vote", reputation::get_vote{order.vote.on, order.vote.voter});
}

void on_reply_sent(call& c, reply_action&, const sent_action& sent) {
  const auto* made = event_in<chain::discussion_events::reply_added>(sent);
  if (!made)
    return reply_hash<reply_record>(c, hash_text(sent.receipt.hash), "reply", nullptr, &sent);
  reply_sent(c, sent, "reply",
             reputation::get_reply{reply_id{made->reply.value + on_chain(c, chain::record_kind::reply)->id_offset}});
}

/// Where the activity is on chain, if it is there at all.
struct onchain_place {
  address contract;
  chain::onchain_target target;
};
std::optional<onchain_place> place_of(const wallet_rules& rules, const reputation::activity& on,
                                      chain::contract_kind contract) {
  const auto found = rules.contracts.find(contract);
  if (found == rules.contracts.end() || on.id < rules.id_offset)
    return std::nullopt;
  return onchain_place{found->second, chain::onchain_target{on.id - rules.id_offset}};
}
refusal in_no_contract(const reputation::activity& on) {
  return {refusal_code::not_found,
          std::string{reputation::name_of(on.kind)} + " " + std::to_string(on.id) + " is in no contract"};
}

/// What the contract does with a second one hangs on what becomes of the first.
wallets::contract_action vote_on(const onchain_place& place, const wallet_rules& rules, bool upvote) {
  auto out = rules.calls.vote({place.contract, place.target, upvote});
  out.not_beside = {out.data, rules.calls.vote({place.contract, place.target, !upvote}).data};
  return out;
}

/// Answers with the vote as it stands, and the transaction of the caller's wallet that made it so, if there is one.
void show_vote(call& c, const vote_action& order, const wallet_rules& rules, const activity_vote& status) {
  const auto place = place_of(rules, order.vote.on, order.contract);
  const auto vote = status;
  auto hash = hash_of(vote);
  if (place && c.to().wallets) {
    wallets::find_action question{vote.voter, vote_on(*place, rules, vote.upvote)};
    const auto sent = co_await c.try_ask(c.to().wallets, std::move(question));
    if (sent && *sent)
      hash = hash_text((*sent)->hash);
  }
  reply_hash(c, hash, "vote", &vote);
}

void send_vote(call& c, vote_action& order, const wallet_rules& rules, bool upvote) {
  const auto place = place_of(rules, order.vote.on, order.contract);
  if (!place)
    return c.refuse(in_no_contract(order.vote.on));
  auto action = vote_on(*place, rules, upvote);
  const auto terms = order.terms;
  send_action(c, order, action, terms, &on_vote_sent);
}

/// The contract withdraws a vote that is cast in the same direction again, so it is only asked for what changes
/// something.
void send_vote_if_needed(call& c, vote_action& received, const wallet_rules& rules) {
  auto order = std::move(received);
  const auto* how = &rules;
  const reputation::get_vote question{order.vote.on, order.vote.voter};
  const auto now = co_await c.outcome_of(c.to().records, question);
  const bool counts = now && !now->archived;
  const bool withdraws = order.vote.wish == vote_wish::withdraw;
  if (withdraws && !now)
    co_return c.refuse({refusal_code::not_found, "you have no vote on "
                                                   + std::string{reputation::name_of(order.vote.on.kind)} + " "
                                                   + std::to_string(order.vote.on.id) + " to withdraw"});
  const bool as_wished = withdraws ? !counts : counts && now->upvote == order.vote.upvote;
  if (as_wished)
    co_return show_vote(c, order, *how, *now);
  send_vote(c, order, *how, withdraws ? now->upvote : order.vote.upvote);
}

void send_reply(call& c, reply_action& order, const wallet_rules& rules) {
  const auto place = place_of(rules, order.reply.on, order.contract);
  if (!place)
    return c.refuse(in_no_contract(order.reply.on));
  auto action = rules.calls.add_reply({place->contract, place->target, order.reply.content, order.reply.metadata});
  const auto terms = order.terms;
  send_action(c, order, action, terms, &on_reply_sent);
}

// -- what is done --------------------------------------------------------------------------------

void write_vote(call& c, vote_action& order) {
  if (const auto* rules = on_chain(c, chain::record_kind::vote))
    return send_vote_if_needed(c, order, *rules);
  c.ask(c.to().records, order.vote, &reply_voted);
}

void write_reply(call& c, reply_action& order) {
  if (const auto* rules = on_chain(c, chain::record_kind::reply))
    return send_reply(c, order, *rules);
  c.ask(c.to().records, std::move(order.reply), &reply_replied);
}

} // namespace

namespace v2 {

void post_managed_vote(call& c) {
  auto order = read_vote_action(c);
  if (!order)
    return c.refuse(order.why());
  once_allowed(c, *order, &write_vote);
}

void replay_managed_vote(call& c, const idempotency::found_record& done) {
  auto order = read_vote_action(c);
  if (!order)
    return c.refuse(order.why());
  if (!on_chain(c, chain::record_kind::vote))
    return c.ask(c.to().records, reputation::get_vote{order->vote.on, order->vote.voter}, &reply_voted);
  const auto terms = order->terms;
  find_action(c, *order, number_of(done), terms, &on_vote_sent);
}

void post_managed_reply(call& c) {
  auto order = read_reply_action(c);
  if (!order)
    return c.refuse(order.why());
  once_allowed(c, *order, &write_reply);
}

void replay_managed_reply(call& c, const idempotency::found_record& done) {
  const auto number = number_of(done);
  if (!on_chain(c, chain::record_kind::reply))
    return c.ask(c.to().records, reputation::get_reply{reply_id{static_cast<std::int32_t>(number)}}, &reply_replied);
  auto order = read_reply_action(c);
  if (!order)
    return c.refuse(order.why());
  const auto terms = order->terms;
  find_action(c, *order, number, terms, &on_reply_sent);
}

} // namespace v2

} // namespace credence::http
