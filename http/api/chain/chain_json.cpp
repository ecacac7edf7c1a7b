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

void log(json_writer& to, const chain::chain_log& log) {
  to.begin_object();
  to.field("address", checksummed_text(log.from));
  to.key("topics");
  to.begin_array();
  for (const auto& each : log.topics)
    to.value(hex_text(each));
  to.end_array();
  to.field("data", hex_text(log.data));
  to.field("blockNumber", large(log.block));
  to.field("blockHash", hex_text(log.block_hash));
  to.field("transactionHash", hex_text(log.tx_hash));
  to.field("transactionIndex", log.tx_index);
  to.field("logIndex", log.log_index);
  to.field("removed", log.removed);
  to.end_object();
}

/// Events that say how a contract is run, whatever contract it is.
bool administrative(const chain::stored_event& event) {
  const auto all = chain::known_events();
  return std::any_of(all.begin(), all.end(), [&](const chain::event_info& each) {
    return each.contract == chain::contract_kind::any && event.event_name == each.name;
  });
}

} // namespace

void encode(json_writer& to, const chain::tx_receipt& receipt) {
  const auto text = [](const std::optional<address>& of) {
    return of ? std::optional{checksummed_text(*of)} : std::nullopt;
  };
  to.begin_object();
  to.field("transactionHash", hex_text(receipt.tx_hash));
  to.field("transactionIndex", receipt.tx_index);
  to.field("blockHash", hex_text(receipt.block_hash));
  to.field("blockNumber", large(receipt.block));
  to.field("from", checksummed_text(receipt.from));
  to.field("to", text(receipt.to));
  to.field("contractAddress", text(receipt.contract));
  to.field("cumulativeGasUsed", large(receipt.cumulative_gas_used));
  to.field("gasUsed", large(receipt.gas_used));
  to.field("status", receipt.succeeded ? "success" : "reverted");
  to.field("logsBloom", hex_text(receipt.bloom));
  to.key("logs");
  to.begin_array();
  for (const auto& each : receipt.logs)
    log(to, each);
  to.end_array();
  to.end_object();
}

void encode(json_writer& to, const chain::event_record& record) {
  const auto& event = record.event;
  to.begin_object();
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
  to.end_object();
}

void encode(json_writer& to, const chain::chain_status& status, timestamp now) {
  to.begin_object();
  to.field("chainId", status.chain);
  to.field("state", chain::follow_state_names[static_cast<std::size_t>(status.state)]);
  to.field("head", status.head);
  to.field("safe", status.safe);
  to.field("finalized", status.finalized);
  to.field("authority", status.authority);
  to.key("tip");
  if (status.tip) {
    to.begin_object();
    to.field("number", status.tip->number);
    to.field("hash", hex_text(status.tip->hash));
    to.field("at", timestamp{std::chrono::seconds{status.tip->at.seconds}});
    to.end_object();
  } else
    to.null();
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
  to.key("missing");
  to.begin_array();
  for (const auto& each : status.missing) {
    to.begin_object();
    to.field("of", each.of);
    to.field("first", each.first);
    to.field("last", each.last);
    to.end_object();
  }
  to.end_array();
  to.end_object();
}

const chain::event_record* main_event(const std::vector<chain::event_record>& of) {
  const auto first = std::find_if(of.begin(), of.end(), [](const chain::event_record& each) {
    const auto from = each.event.contract;
    return from != chain::contract_kind::whuffie && from != chain::contract_kind::rewards
           && !administrative(each.event);
  });
  return first != of.end() ? &*first : of.empty() ? nullptr : &of.front();
}

} // namespace credence::http
