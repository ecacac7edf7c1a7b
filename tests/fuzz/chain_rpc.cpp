// Answers of a node to one request or several: whatever it sends is a value, an error or a flaw.
#include "http/outside/chain_rpc.hpp"
#include "actors/chain/log_checks.hpp"
#include "config/limits.hpp"
#include "tests/fuzz/claim.hpp"

namespace {

using credence::fuzz::claim;
using namespace credence;
using namespace credence::http;

void check_logs(const std::vector<chain::chain_log>& logs) {
  const std::vector<address> ours{address{}};
  if (!chain::flaw_in_range(logs, 0, ~std::uint64_t{0}, ours)) {
    chain::logs_bloom bloom{};
    for (const auto& log : logs) {
      claim(log.topics.size() <= 4 && !log.removed && log.from == address{}, "logs that are believed can be true");
      chain::bloom_bits{log.from}.add_to(bloom);
      for (const auto& topic : log.topics)
        chain::bloom_bits{std::span{topic}}.add_to(bloom);
    }
    claim(chain::holds_all(bloom, logs), "a bloom holds what was put into it");
  }
  for (const auto& log : logs)
    claim(!log.at || (log.at->seconds >= 0 && log.at->seconds <= limits::unix_seconds_max), "a time is one");
}

struct value_check {
  void operator()(const chain::block_header& header) const {
    claim(header.at.seconds >= 0 && header.at.seconds <= limits::unix_seconds_max, "a block's time is one");
  }
  void operator()(const std::vector<chain::chain_log>& logs) const { check_logs(logs); }
  void operator()(const chain::tx_receipt& receipt) const {
    for (const auto& log : receipt.logs)
      claim(log.tx_hash == receipt.tx_hash, "a receipt's logs are of its transaction");
  }
  void operator()(const std::vector<chain::tx_receipt>& receipts) const {
    for (const auto& each : receipts)
      (*this)(each);
  }
  void operator()(const auto&) const {}
};

void check_error(const rpc_error& error) {
  claim(error.message.size() <= 1000 && fuzz::is_utf8(error.message), "an error's text is bounded and can be told");
  trouble_with_logs(error);
  if (const auto range = suggested_range(error.message))
    chain::width_of(*range);
}

struct answer_check {
  void operator()(const rpc_value& value) const { std::visit(value_check{}, value); }
  void operator()(const rpc_error& error) const { check_error(error); }
  void operator()(const rpc_missing&) const {}
  void operator()(const rpc_flaw& flaw) const {
    claim(!flaw.why.empty() && fuzz::is_utf8(flaw.why), "a flaw can be told");
  }
};

void check_answers(std::string_view body, const std::vector<rpc_request>& requests) {
  const auto out = read_rpc(body, requests, 1);
  if (const auto* answers = std::get_if<std::vector<rpc_answer>>(&out)) {
    claim(answers->size() == requests.size(), "every request has an answer, if only that it is missing");
    for (const auto& each : *answers)
      std::visit(answer_check{}, each);
  } else if (const auto* error = std::get_if<rpc_error>(&out))
    check_error(*error);
  else
    answer_check{}(std::get<rpc_flaw>(out));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const std::vector<rpc_request> all{ask_block{block_tag::latest}, ask_range_logs{},  ask_receipt{}, ask_chain_id{},
                                     ask_block_receipts{},         ask_transaction{}, ask_call{},    ask_block_logs{},
                                     ask_block_transactions{}};
  check_answers(text, all);
  for (const auto& alone : all)
    check_answers(text, {alone});
  if (const auto range = suggested_range(text))
    chain::width_of(*range);
  return 0;
}
