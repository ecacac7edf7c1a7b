#include "http/api/chain/chain_json.hpp"

#include "actors/chain/events.hpp"
#include "actors/domain/hex.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <string>

namespace credence::http {

namespace {

std::string hex_text(std::span<const std::byte> bytes) {
  std::string out = "0x";
  append_hex(out, bytes);
  return out;
}
std::string large(const uint256& number) { return decimal(number) + "n"; }

void log(json_writer& to, const chain::chain_log& what) {
  to.begin_object();
  to.field("address", checksummed_text(what.from));
  to.key("topics");
  to.begin_array();
  for (const auto& each : what.topics)
    to.value(hex_text(each));
  to.end_array();
  to.field("data", hex_text(what.data));
  to.field("blockNumber", large(what.block));
  to.field("blockHash", hex_text(what.block_hash));
  to.field("transactionHash", hex_text(what.tx_hash));
  to.field("transactionIndex", what.tx_index);
  to.field("logIndex", what.log_index);
  to.field("removed", what.removed);
  to.end_object();
}

/// Events that say how a contract is run, whatever contract it is.
bool administrative(const chain::stored_event& what) {
  const auto all = chain::known_events();
  return std::any_of(all.begin(), all.end(),
                     [&](const chain::event_info& each) { return each.contract == chain::contract_kind::any && what.event_name == each.name; });
}

} // namespace

void encode(json_writer& to, const chain::tx_receipt& what) {
  const auto text = [](const std::optional<address>& of) { return of ? std::optional{checksummed_text(*of)} : std::nullopt; };
  to.begin_object();
  to.field("transactionHash", hex_text(what.tx_hash));
  to.field("transactionIndex", what.tx_index);
  to.field("blockHash", hex_text(what.block_hash));
  to.field("blockNumber", large(what.block));
  to.field("from", checksummed_text(what.from));
  to.field("to", text(what.to));
  to.field("contractAddress", text(what.contract));
  to.field("cumulativeGasUsed", large(what.cumulative_gas_used));
  to.field("gasUsed", large(what.gas_used));
  to.field("status", what.succeeded ? "success" : "reverted");
  to.field("logsBloom", hex_text(what.bloom));
  to.key("logs");
  to.begin_array();
  for (const auto& each : what.logs)
    log(to, each);
  to.end_array();
  to.end_object();
}

void encode(json_writer& to, const chain::event_record& what) {
  const auto& event = what.what;
  to.begin_object();
  to.field("id", event.id);
  to.field("txHash", hex_text(event.tx_hash));
  to.field("blockNumber", event.block);
  to.field("blockIndex", event.tx_index);
  to.field("contract", chain::name_of(event.contract));
  to.field("logData", event.log_data);
  to.field("processed", event.status != chain::event_status::failed);
  to.field("jobCreated", true);
  to.field("createdAt", what.created_at);
  to.field("updatedAt", what.updated_at);
  to.field("status", chain::name_of(event.status));
  to.field("reason", event.reason);
  to.end_object();
}

void encode(json_writer& to, const chain::chain_status& what, timestamp now) {
  to.begin_object();
  to.field("chainId", what.chain);
  to.field("state", chain::follow_state_names[static_cast<std::size_t>(what.state)]);
  to.field("head", what.head);
  to.field("safe", what.safe);
  to.field("finalized", what.finalized);
  to.key("tip");
  if (what.tip) {
    to.begin_object();
    to.field("number", what.tip->number);
    to.field("hash", hex_text(what.tip->hash));
    to.field("at", timestamp{std::chrono::seconds{what.tip->at.seconds}});
    to.end_object();
  } else
    to.null();
  const auto behind = what.tip && what.head ? std::optional{*what.head - std::min(*what.head, what.tip->number)} : std::nullopt;
  to.field("lagBlocks", behind);
  const auto age = [&] { return std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count() - what.tip->at.seconds; };
  to.field("lagSeconds", what.tip ? std::optional{std::max<std::int64_t>(age(), 0)} : std::nullopt);
  to.field("failedEvents", what.failed);
  to.field("reorganisations", what.reorganisations);
  to.field("endpoints", what.endpoints);
  to.field("endpointsWrong", what.endpoints_wrong);
  to.end_object();
}

const chain::event_record* main_event(const std::vector<chain::event_record>& of) {
  const auto first = std::find_if(of.begin(), of.end(), [](const chain::event_record& each) {
    const auto from = each.what.contract;
    return from != chain::contract_kind::whuffie && from != chain::contract_kind::rewards && !administrative(each.what);
  });
  return first != of.end() ? &*first : of.empty() ? nullptr : &of.front();
}

} // namespace credence::http
