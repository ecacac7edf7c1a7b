#include "actors/domain/hash.hpp"
#include "actors/reputation/record_actor.hpp"
#include "config/limits.hpp"
#include "http/api/wallets/operations.hpp"
#include "http/api/wallets/sent_action.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/record_body.hpp"

namespace credence::http {

namespace {

using reputation::invitation_record;

struct invite_action {
  address invitee;
  action_terms terms;
};
struct bond_action {
  wallets::bond_call bond;
  action_terms terms;
};
struct bond_end_action {
  std::int32_t id = 0;
  wallets::bond_end_call end;
  action_terms terms;
};

// -- reading -------------------------------------------------------------------------------------

outcome<invite_action> read_invite(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  invite_action out;
  out.terms = read_terms(given, *body);
  out.invitee = read_required_address(*body, "invitee");
  return checked(given, *body, std::move(out));
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

outcome<bond_action> read_bond(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  bond_action out;
  out.terms = read_terms(given, *body);
  auto& bond = out.bond;
  bond.subject.value = read_profile(*body, "subjectProfileId").value;
  bond.bond_type = read_words(*body, "bondType", 1, limits::bond_word_length_max);
  bond.amount = read_words(*body, "amount", 1, limits::bond_word_length_max);
  bond.amount_type = read_words(*body, "amountType", 1, limits::bond_word_length_max);
  bond.statement = read_words(*body, "statement", 0, limits::bond_statement_length_max);
  bond.expiration = read_words(*body, "expiration", 0, limits::bond_word_length_max);
  read_allowance(*body, bond);
  return checked(given, *body, std::move(out));
}

outcome<bond_end_action> read_bond_end(const call& c) {
  parameters given{c.query()};
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  bond_end_action out;
  out.terms = read_terms(given, *body);
  out.id = given.path_id<reputation::bond_id>("id", c.path_part("id")).value;
  out.end.reason = read_words(*body, "reason", 1, limits::bond_word_length_max);
  read_allowance(*body, out.end);
  return checked(given, *body, std::move(out));
}

// -- answering -----------------------------------------------------------------------------------

/// `{hash, processed}`, and what it costs where that was only asked.
void reply_processed(call& c, const std::string& hash, bool processed, const sent_action* sent = nullptr) {
  json_writer to{c.out()};
  to.begin_object();
  to.field("hash", hash);
  to.field("processed", processed);
  if (sent && sent->dry_run)
    to.field("costWei", decimal(sent->receipt.cost_most));
  to.end_object();
  c.reply();
}

void reply_invited(call& c, const invitation_record& record) {
  auto event = record.id ? "credence:invitation:" + std::to_string(record.id.value) : std::string{};
  if (!event.empty() && record.status == reputation::invitation_status::withdrawn)
    event += ":withdrawn";
  reply_processed(c, hash_text(event_hash(event)), static_cast<bool>(record.id));
}

template <class Order>
void on_sent(call& c, Order&, const sent_action& sent) {
  reply_processed(c, hash_text(sent.receipt.hash), sent.processed, &sent);
}

refusal bonds_are_recorded() {
  return {refusal_code::forbidden,
          "bonds are made by no contract here: admins record them with POST /api/v2/bonds/create, and end them"};
}

// -- what is done --------------------------------------------------------------------------------

void write_invite(call& c, invite_action& order) {
  const auto* rules = on_chain(c, chain::record_kind::identity);
  if (!rules)
    return c.ask(c.to().records, reputation::send_invitation{c.caller()->profile, order.invitee, order.terms.dry_run},
                 &reply_invited);
  auto action = rules->calls.invite(order.invitee);
  const auto terms = order.terms;
  send_action(c, order, action, terms, &on_sent<invite_action>);
}

/// The caller's own open invitation to the address, whose id nobody but us knows.
void withdraw_invitation(call& c, invite_action& received) {
  const auto order = received;
  const reputation::list_pending_invitations look{order.invitee, {1, 0}, c.caller()->profile};
  const auto found = co_await c.ask(c.to().records, look);
  for (const auto& each : found.rows)
    co_return c.ask(c.to().records,
                    reputation::cancel_invitation{each.record.id, c.caller()->profile, order.terms.dry_run},
                    &reply_invited);
  c.refuse({refusal_code::not_found, "you have no open invitation to that address"});
}

void write_uninvite(call& c, invite_action& order) {
  const auto* rules = on_chain(c, chain::record_kind::identity);
  if (!rules)
    return withdraw_invitation(c, order);
  auto action = rules->calls.uninvite(order.invitee);
  const auto terms = order.terms;
  send_action(c, order, action, terms, &on_sent<invite_action>);
}

refusal no_such_function() {
  return {refusal_code::endpoint_disabled,
          "the settings of this service declare no function of the contract of bonds for this"};
}

void write_bond(call& c, bond_action& order) {
  const auto* rules = on_chain(c, chain::record_kind::bond);
  if (!rules)
    return c.refuse(bonds_are_recorded());
  if (order.bond.subject.value <= rules->id_offset)
    return c.refuse(
      {refusal_code::not_found, "profile " + std::to_string(order.bond.subject.value) + " is in no contract"});
  order.bond.subject.value -= rules->id_offset;
  auto action = rules->calls.create_bond(order.bond);
  if (!action)
    return c.refuse(no_such_function());
  const auto terms = order.terms;
  send_action(c, order, *action, terms, &on_sent<bond_action>);
}

void write_bond_end(call& c, bond_end_action& order) {
  const auto* rules = on_chain(c, chain::record_kind::bond);
  if (!rules)
    return c.refuse(bonds_are_recorded());
  if (order.id <= rules->id_offset)
    return c.refuse({refusal_code::not_found, "bond " + std::to_string(order.id) + " is in no contract"});
  order.end.bond.value = order.id - rules->id_offset;
  auto action = rules->calls.archive_bond(order.end);
  if (!action)
    return c.refuse(no_such_function());
  const auto terms = order.terms;
  send_action(c, order, *action, terms, &on_sent<bond_end_action>);
}

/// Reads an action, and does it where the user has let the page.
template <class Order>
void take(call& c, outcome<Order> order, void (*act)(call&, Order&)) {
  if (!order)
    return c.refuse(order.why());
  once_allowed(c, *order, act);
}

template <class Order>
void replay(call& c, outcome<Order> order, const idempotency::found_record& done) {
  if (!order)
    return c.refuse(order.why());
  const auto terms = order->terms;
  find_action(c, *order, parse_integer(done.effect).value_or(0), terms, &on_sent<Order>);
}

void replay_invitation(call& c, const idempotency::found_record& done) {
  if (on_chain(c, chain::record_kind::identity))
    return replay(c, read_invite(c), done);
  const auto id = static_cast<std::int32_t>(parse_integer(done.effect).value_or(0));
  c.ask(c.to().records, reputation::get_invitation{invitation_id{id}}, &reply_invited);
}

} // namespace

namespace v2 {

void post_managed_invite(call& c) { take(c, read_invite(c), &write_invite); }
void replay_managed_invite(call& c, const idempotency::found_record& done) { replay_invitation(c, done); }
void post_managed_uninvite(call& c) { take(c, read_invite(c), &write_uninvite); }
void replay_managed_uninvite(call& c, const idempotency::found_record& done) { replay_invitation(c, done); }
void post_managed_bond(call& c) { take(c, read_bond(c), &write_bond); }
void replay_managed_bond(call& c, const idempotency::found_record& done) { replay(c, read_bond(c), done); }
void post_managed_bond_archive(call& c) { take(c, read_bond_end(c), &write_bond_end); }
void replay_managed_bond_archive(call& c, const idempotency::found_record& done) { replay(c, read_bond_end(c), done); }

} // namespace v2

} // namespace credence::http
