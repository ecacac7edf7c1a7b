#include "http/call/json_writer.hpp"
#include "http/outside/chain_rpc.hpp"

#include "actors/domain/hex.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace credence::http {

namespace {

constexpr std::array<std::string_view, 4> tag_names{"latest", "safe", "finalized", "pending"};
std::string_view name_of(block_tag tag) { return tag_names[static_cast<std::size_t>(tag)]; }

/// A number as the protocol wants it: hex without zeros in front.
std::string quantity(std::uint64_t number) {
  char digits[16];
  const auto end = std::to_chars(digits, digits + sizeof digits, number, 16).ptr;
  return "0x" + std::string{digits, end};
}

std::string quantity(const wei& number) {
  const auto limbs = number.limbs();
  std::string out;
  for (auto limb = limbs.rbegin(); limb != limbs.rend(); ++limb) {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(*limb));
    out += digits;
  }
  return "0x" + out.substr(std::min(out.find_first_not_of('0'), out.size() - 1));
}

std::string hex_bytes(std::span<const std::byte> bytes) {
  std::string out = "0x";
  append_hex(out, bytes);
  return out;
}

/// Writes `method` and `params` of a request.
class call_writer {
public:
  explicit call_writer(json_writer& to) : to_(&to) {}

  void operator()(const ask_chain_id&) { begin("eth_chainId"), end(); }
  void operator()(const ask_block& request) {
    begin("eth_getBlockByNumber");
    block(request.which);
    to_->value(false);
    end();
  }
  void operator()(const ask_range_logs& request) {
    begin("eth_getLogs");
    to_->begin_object();
    to_->field("fromBlock", quantity(request.blocks.first));
    to_->field("toBlock", quantity(request.blocks.last));
    addresses(request.contracts);
    to_->end_object();
    end();
  }
  void operator()(const ask_block_logs& logs) {
    begin("eth_getLogs");
    to_->begin_object();
    to_->field("blockHash", hex_bytes(logs.block));
    addresses(logs.contracts);
    to_->end_object();
    end();
  }
  void operator()(const ask_receipt& receipt) {
    begin("eth_getTransactionReceipt"), to_->value(hex_bytes(receipt.tx)), end();
  }
  void operator()(const ask_block_receipts& receipts) {
    begin("eth_getBlockReceipts"), to_->value(quantity(receipts.block)), end();
  }
  void operator()(const ask_block_transactions& of) {
    begin("eth_getBlockByNumber"), to_->value(quantity(of.block)), to_->value(false), end();
  }
  void operator()(const ask_transaction& transaction) {
    begin("eth_getTransactionByHash"), to_->value(hex_bytes(transaction.tx)), end();
  }
  void operator()(const ask_call& request) {
    begin("eth_call");
    to_->begin_object();
    to_->field("to", lower_text(request.contract));
    to_->field("data", hex_bytes(std::as_bytes(std::span{request.data})));
    to_->end_object();
    block(request.at);
    end();
  }

  void operator()(const ask_nonce& request) {
    begin("eth_getTransactionCount");
    to_->value(lower_text(request.of));
    to_->value(name_of(request.at));
    end();
  }
  void operator()(const ask_balance& request) {
    begin("eth_getBalance"), to_->value(lower_text(request.of)), to_->value("latest"), end();
  }
  void operator()(const ask_fee_history&) {
    begin("eth_feeHistory");
    to_->value("0x5");
    to_->value("latest");
    to_->begin_array();
    to_->value(std::int64_t{50});
    to_->end_array();
    end();
  }
  void operator()(const ask_gas& request) {
    begin("eth_estimateGas");
    to_->begin_object();
    to_->field("from", lower_text(request.from));
    to_->field("to", lower_text(request.to));
    to_->field("value", quantity(request.value));
    to_->field("data", hex_bytes(std::as_bytes(std::span{request.data})));
    to_->end_object();
    to_->value("latest"); // without it some nodes run all transactions that wait before this call
    end();
  }
  void operator()(const ask_send& request) {
    begin("eth_sendRawTransaction");
    to_->value(hex_bytes(std::as_bytes(std::span{request.signed_bytes})));
    end();
  }

private:
  void begin(std::string_view method) {
    to_->field("method", method);
    to_->key("params");
    to_->begin_array();
  }
  void end() { to_->end_array(); }
  void block(const std::variant<chain::block_number, block_tag>& which) {
    if (const auto* number = std::get_if<chain::block_number>(&which))
      to_->value(quantity(*number));
    else
      to_->value(name_of(std::get<block_tag>(which)));
  }
  void addresses(const std::vector<address>& of) {
    to_->key("address");
    to_->begin_array();
    for (const auto& each : of)
      to_->value(lower_text(each));
    to_->end_array();
  }

  json_writer* to_;
};

void write(json_writer& to, const rpc_request& request, std::uint64_t id) {
  to.begin_object();
  to.field("jsonrpc", "2.0");
  to.field("id", id);
  std::visit(call_writer{to}, request);
  to.end_object();
}

} // namespace

std::string rpc_body(std::span<const rpc_request> requests, std::uint64_t first_id) {
  std::string out;
  json_writer to{out};
  if (requests.size() == 1) {
    write(to, requests.front(), first_id);
    return out;
  }
  to.begin_array();
  for (const auto& each : requests)
    write(to, each, first_id++);
  to.end_array();
  return out;
}

} // namespace credence::http
