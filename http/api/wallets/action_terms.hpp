#pragma once

#include "actors/chain/record_kinds.hpp"
#include "actors/domain/hash.hpp"
#include "actors/profile/profile_actor.hpp"
#include "http/api/wallets/wallet_rules.hpp"
#include "http/call/call.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/identity.hpp"
#include "http/call/json_body.hpp"
#include "http/call/parameters.hpp"
#include "http/call/request_head.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

/// What all actions of managed wallets have in common.
namespace credence::http {

/// What a request says besides what is to be done.
struct action_terms {
  bool dry_run = false;
  std::chrono::seconds wait{0}; // for the record of the transaction; it is here at once where there is no chain
};

/// `dryRun` of the query; `waitForTxTimeoutSeconds` of the body, or by its older name `waitForReviewTimeoutSeconds`: 0
/// or more, of which 30 count.
action_terms read_terms(parameters& given, json_body& body);

/// The body of a request that may have none.
outcome<json_body> parse_body_if_any(const call& c);

/// An address that the body must have.
address read_required_address(json_body& body, std::string_view name);

/// The texts that go with a record: `content` as the description in JSON, with whatever `metadata` holds: a JSON text,
/// an object whose members join it, or any other value under `metadata`. Nothing where the body has neither.
std::optional<std::string> read_metadata(json_body& body);

/// Stands where clients expect the hash of a transaction: the Keccak-256 of what names the event of a record that was
/// written here, such as `credence:review:7`. Without text: zeros, of a dry run.
digest32 event_hash(const std::string& event);
/// `0x` and 64 digits.
std::string hash_text(const digest32& hash);

/// A title as it stands in the address of a page: small letters and digits of ASCII with hyphens between them, 80 at
/// most.
std::string slug_of(std::string_view title);
/// `<id>/<slug>`, or the slug alone as long as there is no id.
std::string review_slug(std::int32_t id, std::string_view title);

/// The rules by which records of this kind become transactions; null where they are written here.
const wallet_rules* on_chain(const call& c, chain::record_kind kind);

/// The transaction or record that a request had made which comes again; 0: none.
std::int64_t number_of(const idempotency::found_record& done);

/// Why no page of a partner may act at all.
refusal partners_switched_off();

/// Goes on with `then` where the user has let pages of the origin act that asks.
template <class Order>
void once_allowed(call& c, Order& received, void (*then)(call&, Order&)) {
  auto order = std::move(received);
  if (!c.identity().partners.act)
    co_return c.refuse(partners_switched_off());
  profile::check_partner question{c.caller()->profile, std::string{c.head().origin}};
  co_await c.ask(c.to().profiles, std::move(question));
  then(c, order);
}

} // namespace credence::http
