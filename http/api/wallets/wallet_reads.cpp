#include "actors/wallets/wallet_types.hpp"
#include "auth/address.hpp"
#include "http/api/replies.hpp"
#include "http/api/sessions/sessions.hpp"
#include "http/api/wallets/operations.hpp"
#include "http/api/wallets/sent_action.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"

#include <vector>

namespace credence::http {

static void encode_members(json_writer& to, const wallets::wallet_transaction& transaction) {
  to.field("id", transaction.id);
  to.field("hash", hex_text(transaction.hash));
  to.field("nonce", transaction.nonce);
  to.field("state", wallets::name_of(transaction.state));
  to.field("kind", transaction.kind);
  to.field("origin", transaction.origin);
  to.field("reason", transaction.reason.empty() ? std::nullopt : std::optional{transaction.reason});
  to.field("createdAt", transaction.created_at);
  to.field("changedAt", transaction.changed_at);
  to.field("block", transaction.block);
}

namespace {

struct nothing_more {};

// -- whether somebody is signed in ---------------------------------------------------------------

void reply_nobody(call& c) {
  c.out() = R"({"ok":false})";
  c.no_store();
  c.reply();
}

/// `enabled`: the user lets pages of this origin act.
void reply_signed_in(call& c, profile_id who, bool enabled) {
  c.no_store();
  reply_object(c, [&](json_writer& to) {
    to.field("ok", true);
    to.field("profileId", who);
    to.field("enabled", enabled);
  });
}

void tell_who(call& c, profile_id who) {
  c.ask(
    c.to().profiles, profile::check_partner{who, std::string{c.head().origin}},
    [who](call& later, const profile::partner_grant&) { reply_signed_in(later, who, later.identity().partners.act); },
    [who](call& later, const refusal&) { reply_signed_in(later, who, false); });
}

/// Where the session of the page may be: a page that is one of ours, too, has one of either kind.
std::vector<session_kit> kits_of_page(const call& c) {
  std::vector<session_kit> out{partner_kit(c)};
  if (c.origin_allowed())
    out.push_back(own_kit(c));
  return out;
}

// -- the wallet ----------------------------------------------------------------------------------

void reply_funds(call& c, const wei& balance, bool sponsored, const std::optional<address>& at) {
  reply_object(c, [&](json_writer& to) {
    encode_wei(to, "balance", "balanceText", decimal(balance));
    to.field("sponsorshipEligible", sponsored);
    to.field("address", at ? std::optional{auth::checksummed_text(*at)} : std::nullopt);
  });
}

void show_funds(call& c, nothing_more&) {
  if (!c.identity().partners.on_chain) // nothing costs anything
    return reply_funds(c, 0, false, std::nullopt);
  if (!has_wallets(c))
    return;
  c.ask(
    c.to().wallets, wallets::get_wallet{c.caller()->profile, true},
    [](call& later, const wallets::wallet_view& found) {
      reply_funds(later, found.balance, found.sponsorship_eligible, found.at);
    },
    &refuse_transaction);
}

void reply_transactions(call& c, const std::vector<wallets::wallet_transaction>& found, page slice) {
  reply_object(c, [&](json_writer& to) {
    to.array("values", found, [&](const auto& each) { encode(to, each); });
    to.field("limit", slice.limit);
    to.field("offset", slice.offset);
  });
}

void show_transactions(call& c, page& slice) {
  if (!c.identity().partners.on_chain)
    return reply_transactions(c, {}, slice);
  if (!has_wallets(c))
    return;
  const wallets::list_transactions question{c.caller()->profile, static_cast<std::size_t>(slice.limit),
                                            static_cast<std::size_t>(slice.offset)};
  c.ask(c.to().wallets, question, [slice](call& later, const std::vector<wallets::wallet_transaction>& found) {
    reply_transactions(later, found, slice);
  });
}

/// The export of a key on its way, and what its owner has signed for it.
struct export_order {
  unsigned_claim claim;
  wallets::export_wallet question;
};

/// Only where a user is, in a session on a page of ours: never a program, by whatever token, and never a partner. A
/// page alone cannot ask, either: the owner signs for it each time.
outcome<export_order> read_export(const call& c) {
  auto body = json_body::parse(c.body());
  if (!body)
    return body.why();
  const auto passphrase = body->text("passphrase");
  if (!passphrase && body->good())
    body->issue("passphrase is required: 12 to 1024 bytes, under which the key is written down");
  if (!body->good())
    return body->why();
  const auto who = c.caller()->profile;
  export_order out;
  out.question = {who, std::string{*passphrase}};
  const signing_purpose wanted{nonce_for::wallet_export, "/api/v2/auth/nonce?purpose=wallet-export",
                               export_statement(who)};
  auto claim = read_signed(c, c.identity().for_login, c.identity().tokens, wanted);
  if (!claim)
    return claim.why();
  out.claim = *std::move(claim);
  return out;
}

void reply_keystore(call& c, const std::string& keystore) {
  c.drop_context();
  reply_object(c, [&](json_writer& to) {
    to.key("keystore");
    to.raw(keystore);
  });
}

/// Goes on once a wallet of the owner has signed for it, which counts once.
void export_once_signed(call& c, export_order& received) {
  auto order = std::move(received);
  const auto who = order.question.profile;
  const auto account = order.claim.account;
  recover_signer look{std::move(order.claim.message), std::move(order.claim.signature)};
  const auto signer = co_await c.ask(c.to().signatures, std::move(look));
  if (!(signer == account))
    co_return c.refuse(not_signed_by(account));
  auto owner = owner_of(account);
  const auto found = co_await c.ask(c.to().people, std::move(owner));
  const auto& person = found.people.front();
  if (person.profile != who || person.unsettled)
    co_return c.refuse(
      {refusal_code::forbidden, "the message must be signed by an address of profile " + std::to_string(who.value)});
  // What an Idempotency-Key stands for is the export: that the nonce is used is stored apart from it.
  const auto kept = c.context();
  c.carry(kept ? std::make_shared<const write_context>(kept->from()) : nullptr);
  profile::use_nonce once{who, order.claim.nonce};
  co_await c.ask(c.to().profiles, std::move(once));
  c.carry(kept);
  c.ask(c.to().wallets, std::move(order.question), &reply_keystore, &refuse_transaction);
}

} // namespace

namespace v2 {

void check_managed_auth(call& c) {
  if (c.caller())
    return tell_who(c, c.caller()->profile);
  if (c.head().authorization_count > 0) // it would go on showing that token, whatever the cookies say
    return reply_nobody(c);
  for (const auto& kit : kits_of_page(c))
    if (const auto shown = refresh_in_cookies(c, kit))
      return refresh_cookies(c, kit, *shown, &tell_who, &reply_nobody);
  reply_nobody(c);
}

void end_managed_session(call& c) {
  const auto kit = partner_kit(c);
  if (c.caller()->by != credential_kind::partner
      || !c.caller()->credential) // one of our own pages: its session goes on
    return c.refuse(
      {refusal_code::forbidden, "this is a session of our own pages; end it with POST /api/v2/auth/logout"});
  const auto ended = [kit](call& later) {
    clear_cookies(later, kit);
    reply_ok(later);
  };
  c.ask<profile::end_session>(
    c.to().profiles, {c.caller()->profile, c.caller()->credential->id()},
    [ended](call& later, profile::done&) { ended(later); },
    [ended](call& later, const refusal&) { ended(later); }); // it has ended already
}

void replay_end_managed_session(call& c, const idempotency::found_record&) { reply_ok(c); }

void check_funds(call& c) {
  nothing_more order;
  once_allowed(c, order, &show_funds);
}

void list_managed_transactions(call& c) {
  auto slice = read_page(c.given());
  once_allowed(c, slice, &show_transactions);
}

void export_wallet(call& c) {
  if (c.caller()->by != credential_kind::session)
    return c.refuse({refusal_code::forbidden,
                     "the key of a wallet is given to its owner alone, signed in on a page of this service"});
  if (!c.identity().partners.on_chain)
    return c.refuse({refusal_code::wallet_not_found, "no chain is followed here, so nobody has a wallet"});
  if (!has_wallets(c))
    return;
  auto order = c.value_of(read_export(c));
  export_once_signed(c, order);
}

void replay_export_wallet(call& c, const idempotency::found_record&) {
  c.refuse({refusal_code::answer_not_kept,
            "this request was answered with a key, which is not kept: ask again without the Idempotency-Key"});
}

} // namespace v2

} // namespace credence::http
