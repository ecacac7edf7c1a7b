#include "actors/chain/chain_actor.hpp"
#include "actors/domain/hex.hpp"
#include "http/api/chain/chain_json.hpp"
#include "http/api/chain/operations.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/parameters.hpp"

namespace credence::http {

namespace {

using chain::transaction_found;
using chain::transaction_state;
using std::chrono::milliseconds;

constexpr milliseconds patience_first{10'000};
constexpr std::int64_t patience_max_ms = 25'000;
constexpr milliseconds patience_of_process{20'000};
constexpr std::uint32_t chain_ask_again_after_s = 5;

/// `0x` and 64 hexadecimal digits.
std::optional<digest32> read_hash(parameters& from, std::string_view name, std::string_view text) {
  digest32 out;
  if (text.starts_with("0x") && decode_hex(text.substr(2), out))
    return out;
  from.issue(std::string{name} + " must be the hash of a transaction, 0x and 64 hexadecimal digits, not "
             + shown(text));
  return std::nullopt;
}

void refuse_without_chain(call& c) { c.refuse({refusal_code::not_found, "this service follows no chain"}); }

void tell_unavailable(call& c) {
  c.retry_after(chain_ask_again_after_s);
  c.error(503, "BLOCKCHAIN_UNAVAILABLE", "no node of the chain answers; try again shortly");
}

void reply_processed(call& c, const transaction_found& found) {
  if (found.state == transaction_state::unreachable)
    return tell_unavailable(c);
  json_writer to{c.out()};
  to.begin_object();
  to.field("processed", found.state == transaction_state::processed);
  to.field("status", chain::transaction_state_names[static_cast<std::size_t>(found.state)]);
  to.end_object();
  c.reply();
}

/// A transaction is not processed before the texts of its records are here, or are known to be none.
void tell_processed(call& c, digest32 tx, milliseconds patience) {
  const auto began = steady_clock::now();
  const chain::find_transaction question{tx, patience, false};
  auto found = co_await c.ask(c.to().chain, question);
  if (found.state == transaction_state::processed && !found.events.empty()) {
    const auto took = std::chrono::ceil<milliseconds>(steady_clock::now() - began);
    const chain::await_texts more{tx, std::max(patience - took, milliseconds{0})};
    const auto texts = co_await c.ask(c.to().chain, more);
    if (texts.wanted)
      found.state = transaction_state::processing;
  }
  reply_processed(c, found);
}

void reply_event(call& c, const transaction_found& found) {
  const bool asked_in_vain =
    found.state == transaction_state::unreachable || (found.state == transaction_state::processed && !found.receipt);
  if (asked_in_vain)
    return tell_unavailable(c);
  const auto* event = main_event(found.events);
  json_writer to{c.out()};
  to.begin_object();
  to.field("ok", true);
  to.key("data");
  to.begin_object();
  to.field("success", event && event->event.status != chain::event_status::failed);
  to.key("transaction");
  if (found.receipt)
    encode(to, *found.receipt);
  else
    to.null();
  to.key("event");
  if (event)
    encode(to, *event);
  else
    to.null();
  to.end_object();
  to.end_object();
  c.reply();
}

} // namespace

namespace v1 {

void get_event_of_transaction(call& c) {
  parameters given{c.query()};
  const auto text = given.required("txHash", "(the hash of a transaction)", [&] { return given.text("txHash"); });
  const auto tx = text ? read_hash(given, "txHash", *text) : std::nullopt;
  if (!given.good())
    return c.refuse(given.why());
  if (!c.to().chain)
    return refuse_without_chain(c);
  c.ask(c.to().chain, chain::find_transaction{*tx, patience_of_process, true}, &reply_event);
}

} // namespace v1

namespace v2 {

void get_chain_status(call& c) {
  if (!c.to().chain) {
    json_writer to{c.out()};
    to.begin_object();
    to.field("state", "off");
    to.end_object();
    return c.reply();
  }
  c.ask(c.to().chain, chain::get_chain_status{}, [](call& of, const chain::chain_status& found) {
    json_writer to{of.out()};
    encode(to, found, of.now());
    of.reply();
  });
}

void get_transaction_processed(call& c) {
  parameters given{c.query()};
  const auto tx = read_hash(given, "hash", c.path_part("hash"));
  const auto patience = given.integer("timeoutMs", {0, patience_max_ms});
  if (!given.good())
    return c.refuse(given.why());
  if (!c.to().chain)
    return refuse_without_chain(c);
  tell_processed(c, *tx, patience ? milliseconds{*patience} : patience_first);
}

} // namespace v2

} // namespace credence::http
