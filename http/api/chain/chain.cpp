#include "actors/chain/chain_actor.hpp"
#include "actors/chain/events.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/domain/hash.hpp"
#include "http/api/chain/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/json_writer.hpp"
#include "http/call/parameters.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace credence::http {

namespace {

void log(json_writer& to, const call& c, const chain::chain_log& log) {
  to.field("address", checksummed_text(log.from));
  to.array("topics", log.topics, [&](const auto& each) { to.value(hex_text(each)); });
  to.field("data", hex_text(log.data));
  to.field("blockNumber", large_number(c, std::to_string(log.block)));
  to.field("blockHash", hex_text(log.block_hash));
  to.field("transactionHash", hex_text(log.tx_hash));
  to.field("transactionIndex", log.tx_index);
  to.field("logIndex", log.log_index);
  to.field("removed", log.removed);
}

/// Events that say how a contract is run, whatever contract it is.
bool administrative(const chain::stored_event& event) {
  const auto all = chain::known_events();
  return std::any_of(all.begin(), all.end(), [&](const chain::event_info& each) {
    return each.contract == chain::contract_kind::any && event.event_name == each.name;
  });
}

} // namespace

static void encode(json_writer& to, const call& c, const chain::tx_receipt& receipt) {
  const auto text = [](const std::optional<address>& of) {
    return of ? std::optional{checksummed_text(*of)} : std::nullopt;
  };
  to.begin_object();
  to.field("transactionHash", hex_text(receipt.tx_hash));
  to.field("transactionIndex", receipt.tx_index);
  to.field("blockHash", hex_text(receipt.block_hash));
  to.field("blockNumber", large_number(c, std::to_string(receipt.block)));
  to.field("from", checksummed_text(receipt.from));
  to.field("to", text(receipt.to));
  to.field("contractAddress", text(receipt.contract));
  to.field("cumulativeGasUsed", large_number(c, decimal(receipt.cumulative_gas_used)));
  to.field("gasUsed", large_number(c, decimal(receipt.gas_used)));
  to.field("status", receipt.succeeded ? "success" : "reverted");
  to.field("logsBloom", hex_text(receipt.bloom));
  to.objects("logs", receipt.logs, [&](const auto& each) { log(to, c, each); });
  to.end_object();
}

/// An event record: `{id, txHash, blockNumber, …}`.
static void encode_members(json_writer& to, const chain::event_record& record) {
  const auto& event = record.event;
  to.field("id", event.id);
  to.field("txHash", hex_text(event.tx_hash));
  to.field("blockNumber", event.block);
  to.field("blockIndex", event.tx_index);
  to.field("contract", chain::name_of(event.contract));
  to.field("logData", event.log_data);
  to.field("processed", event.status != chain::event_status::failed);
  to.field("jobCreated", true);
  to.field("createdAt", record.created_at);
  to.field("updatedAt", record.updated_at);
  to.field("status", chain::name_of(event.status));
  to.field("reason", event.reason);
}

/// `lagSeconds` is the age of the tip at `now`.
static void encode_members(json_writer& to, const chain::chain_status& status, timestamp now) {
  to.field("chainId", status.chain);
  to.field("state", chain::follow_state_names[static_cast<std::size_t>(status.state)]);
  to.field("head", status.head);
  to.field("safe", status.safe);
  to.field("finalized", status.finalized);
  to.field("authority", status.authority);
  to.object_or_null("tip", status.tip, [&](const auto& tip) {
    to.field("number", tip.number);
    to.field("hash", hex_text(tip.hash));
    to.field("at", timestamp{std::chrono::seconds{tip.at.seconds}});
  });
  const auto behind =
    status.tip && status.head ? std::optional{*status.head - std::min(*status.head, status.tip->number)} : std::nullopt;
  to.field("lagBlocks", behind);
  const auto age = [&] {
    return std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count() - status.tip->at.seconds;
  };
  to.field("lagSeconds", status.tip ? std::optional{std::max<std::int64_t>(age(), 0)} : std::nullopt);
  to.field("failedEvents", status.failed);
  to.field("reorganisations", status.reorganisations);
  to.field("endpoints", status.endpoints);
  to.field("endpointsWrong", status.endpoints_wrong);
  to.field("endpointsWithoutPast", status.endpoints_without_past);
  to.objects("missing", status.missing, [&](const auto& each) {
    to.field("of", each.of);
    to.field("first", each.first);
    to.field("last", each.last);
  });
}

/// The event of a transaction that is told of: the first one but for those of tokens, rewards and administration, if
/// there is another. Null where it has none.
static const chain::event_record* main_event(const std::vector<chain::event_record>& of) {
  const auto first = std::find_if(of.begin(), of.end(), [](const chain::event_record& each) {
    const auto from = each.event.contract;
    return from != chain::contract_kind::whuffie && from != chain::contract_kind::rewards
           && !administrative(each.event);
  });
  return first != of.end() ? &*first : of.empty() ? nullptr : &of.front();
}

namespace {

using chain::transaction_found;
using chain::transaction_state;
using std::chrono::milliseconds;

constexpr milliseconds timeout_first{10'000};
constexpr std::int64_t timeout_max_ms = 25'000;
constexpr milliseconds process_timeout{20'000};
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
  reply_object(c, [&](json_writer& to) {
    to.field("processed", found.state == transaction_state::processed);
    to.field("status", chain::transaction_state_names[static_cast<std::size_t>(found.state)]);
  });
}

/// A transaction is not processed before the texts of its records are here, or are known to be none.
void tell_processed(call& c, digest32 tx, milliseconds timeout) {
  const auto began = steady_clock::now();
  const chain::find_transaction question{tx, timeout, false};
  auto found = co_await c.ask(c.to().chain, question);
  if (found.state == transaction_state::processed && !found.events.empty()) {
    const auto took = std::chrono::ceil<milliseconds>(steady_clock::now() - began);
    const chain::await_texts more{tx, std::max(timeout - took, milliseconds{0})};
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
  reply_data_object(c, [&](json_writer& to) {
    to.field("success", event && event->event.status != chain::event_status::failed);
    to.key("transaction");
    if (found.receipt)
      encode(to, c, *found.receipt);
    else
      to.null();
    to.key("event");
    if (event)
      encode(to, *event);
    else
      to.null();
  });
}

} // namespace

namespace v2 {

void get_event_of_transaction(call& c) {
  const auto text =
    c.given().required("txHash", "(the hash of a transaction)", [&] { return c.given().text("txHash"); });
  const auto tx = text ? read_hash(c.given(), "txHash", *text) : std::nullopt;
  if (!c.to().chain)
    return refuse_without_chain(c);
  c.ask(c.to().chain, chain::find_transaction{tx.value_or(digest32{}), process_timeout, true}, &reply_event);
}

void get_chain_status(call& c) {
  if (!c.to().chain) {
    return reply_object(c, [](json_writer& to) { to.field("state", "off"); });
  }
  c.ask(c.to().chain, chain::get_chain_status{}, [](call& of, const chain::chain_status& found) {
    json_writer to{of.out()};
    encode(to, found, of.now());
    of.reply();
  });
}

void get_transaction_processed(call& c) {
  const auto tx = read_hash(c.given(), "hash", c.path_part("hash"));
  const auto timeout = c.given().integer("timeoutMs", {0, timeout_max_ms});
  if (!c.to().chain)
    return refuse_without_chain(c);
  tell_processed(c, tx.value_or(digest32{}), timeout ? milliseconds{*timeout} : timeout_first);
}

} // namespace v2

} // namespace credence::http
