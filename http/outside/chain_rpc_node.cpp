#include "http/outside/chain_rpc_node.hpp"

#include "actors/domain/hash.hpp"
#include "config/setting_checks.hpp"
#include "http/call/json_writer.hpp"
#include "http/outside/chain_rpc.hpp"
#include "http/outside/outside_url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <set>
#include <string_view>
#include <utility>

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
    to_->field("blockHash", hex_text(logs.block));
    addresses(logs.contracts);
    to_->end_object();
    end();
  }
  void operator()(const ask_receipt& receipt) {
    begin("eth_getTransactionReceipt"), to_->value(hex_text(receipt.tx)), end();
  }
  void operator()(const ask_block_receipts& receipts) {
    begin("eth_getBlockReceipts"), to_->value(quantity(receipts.block)), end();
  }
  void operator()(const ask_block_transactions& of) {
    begin("eth_getBlockByNumber"), to_->value(quantity(of.block)), to_->value(false), end();
  }
  void operator()(const ask_transaction& transaction) {
    begin("eth_getTransactionByHash"), to_->value(hex_text(transaction.tx)), end();
  }
  void operator()(const ask_call& request) {
    begin("eth_call");
    to_->begin_object();
    to_->field("to", lower_text(request.contract));
    to_->field("data", hex_text(std::as_bytes(std::span{request.data})));
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
    to_->field("data", hex_text(std::as_bytes(std::span{request.data})));
    to_->end_object();
    to_->value("latest"); // without it some nodes run all transactions that wait before this call
    end();
  }
  void operator()(const ask_send& request) {
    begin("eth_sendRawTransaction");
    to_->value(hex_text(std::as_bytes(std::span{request.signed_bytes})));
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
  to.array(requests, [&](const auto& each) { write(to, each, first_id++); });
  return out;
}

namespace {

using chain::node_error;

/// How long it is remembered that a node takes no more requests at once: a gateway may have been at fault.
constexpr std::chrono::minutes batch_max_kept{10};

/// A contract refuses a call.
class call_reverted : public node_error {
public:
  using node_error::node_error;
};
/// The node answers more than is read.
class body_too_large : public node_error {
public:
  using node_error::node_error;
};

bool is_of_logs(const rpc_request& request) {
  return std::holds_alternative<ask_range_logs>(request) || std::holds_alternative<ask_block_logs>(request);
}

/// Throws what an error means.
[[noreturn]] void raise(const rpc_error& error, const rpc_request& request) {
  const auto text = "the node answered error " + std::to_string(error.code) + ": " + error.message;
  switch (is_of_logs(request) ? trouble_with_logs(error) : trouble_of(error)) {
    case rpc_trouble::range_too_large: throw chain::range_too_large{text, suggested_range(error.message)};
    case rpc_trouble::rate_limited: throw chain::node_busy{text, std::chrono::seconds{0}};
    case rpc_trouble::reverted: throw call_reverted{text};
    case rpc_trouble::unknown_block:
    case rpc_trouble::not_supported:
    case rpc_trouble::other: break;
  }
  throw node_error{text};
}

/// Blocks with names that a node does not know are errors or null: either way there is none.
std::optional<chain::block_header> header_in(const rpc_value& value) {
  const auto* found = std::get_if<chain::block_header>(&value);
  return found ? std::optional{*found} : std::nullopt;
}

/// `name=0x…`; nothing where it is another text.
std::optional<std::pair<address, chain::contract_kind>> contract_of(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos)
    return std::nullopt;
  const auto kind = chain::contract_named(text.substr(0, equals));
  const auto where = credence::parse_address(text.substr(equals + 1));
  if (!kind || !where)
    return std::nullopt;
  return std::pair{*where, *kind};
}

} // namespace

chain_rpc_node::chain_rpc_node(std::string url, std::chrono::milliseconds timeout, const std::atomic<bool>& given_up)
  : url_(std::move(url)), asking_({.timeout = timeout,
                                   .body_bytes_max = rpc_body_bytes_max,
                                   .by_proxy = is_secure_url(url_),
                                   .given_up = &given_up}) {}

// -- asking ----------------------------------------------------------------------------------

std::vector<rpc_value> chain_rpc_node::ask(std::span<const rpc_request> requests, std::size_t firm) {
  std::vector<rpc_value> out;
  ask_once(requests, firm, out);
  return out;
}

void chain_rpc_node::ask_halves(std::span<const rpc_request> requests, std::size_t firm, std::vector<rpc_value>& to) {
  const auto half = requests.size() / 2;
  ask_once(requests.first(half), firm, to);
  ask_once(requests.subspan(half), firm - std::min(firm, half), to);
}

/// They were refused together, and are taken in halves: so are the next ones for a while.
void chain_rpc_node::ask_refused(std::span<const rpc_request> requests, std::size_t firm, std::vector<rpc_value>& to) {
  ask_halves(requests, firm, to);
  batch_max_ = std::min(batch_max(), (requests.size() + 1) / 2);
  batch_max_until_ = steady_clock::now() + batch_max_kept;
}

/// Whether the chain has the number that was told before: a gateway that failed once may have turned to another node.
bool chain_rpc_node::same_chain_now() {
  const auto before = chain_;
  return !before || chain_id() == *before;
}

/// Requests that the node takes at once, as far as is known.
std::size_t chain_rpc_node::batch_max() const {
  return steady_clock::now() < batch_max_until_ ? batch_max_ : all_of_them;
}

void chain_rpc_node::ask_once(std::span<const rpc_request> requests, std::size_t firm, std::vector<rpc_value>& to) {
  const bool several = requests.size() > 1;
  if (several && requests.size() > batch_max())
    return ask_halves(requests, firm, to);
  const auto first_id = last_id_ + 1;
  last_id_ += requests.size();
  client_answer answer;
  try {
    answer = asking_.post(url_, rpc_body(requests, first_id));
  } catch (const body_too_long& error) {
    if (std::any_of(requests.begin(), requests.end(), is_of_logs))
      throw chain::range_too_large{error.what(), std::nullopt};
    throw body_too_large{error.what()};
  } catch (const client_error& error) {
    throw node_error{error.what()};
  }
  if (answer.status == 429)
    throw chain::node_busy{"the node answered 429", answer.retry_after};
  if (answer.status == 413 && !several && is_of_logs(requests.front()))
    throw chain::range_too_large{"the node answered 413", std::nullopt};
  auto read = read_rpc(answer.body, requests, first_id);
  if (const auto* flaw = std::get_if<rpc_flaw>(&read)) {
    const node_error refused{"the node answered " + std::to_string(answer.status) + ", and " + flaw->why};
    if (!several || !same_chain_now())
      throw refused;
    return ask_refused(requests, firm, to); // perhaps it takes no batches, or none so large
  }
  if (const auto* error = std::get_if<rpc_error>(&read)) {
    if (trouble_of(*error) == rpc_trouble::rate_limited || !several)
      raise(*error, requests.front());
    return ask_refused(requests, firm, to);
  }
  auto& answers = std::get<std::vector<rpc_answer>>(read);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (auto* value = std::get_if<rpc_value>(&answers[i]))
      to.push_back(std::move(*value));
    else if (const auto* error = std::get_if<rpc_error>(&answers[i])) {
      if (i < firm || trouble_of(*error) == rpc_trouble::rate_limited)
        raise(*error, requests[i]);
      to.push_back(rpc_nothing{});
    } else if (const auto* flaw = std::get_if<rpc_flaw>(&answers[i])) {
      if (i < firm || !std::holds_alternative<ask_call>(requests[i]))
        throw node_error{flaw->why};
      to.push_back(rpc_nothing{});
    } else if (answers.size() > 1)
      ask_once(requests.subspan(i, 1), firm - std::min(firm, i), to); // it was left out
    else
      throw node_error{"the node left a request out"};
  }
}

// -- what is asked -----------------------------------------------------------------------------

std::uint64_t chain_rpc_node::chain_id() {
  const rpc_request request = ask_chain_id{};
  chain_ = std::get<std::uint64_t>(ask(std::span{&request, 1}).front());
  return *chain_;
}

chain::chain_heads chain_rpc_node::heads(chain::block_number number) {
  const rpc_request all[]{ask_block{block_tag::latest}, ask_block{number}, ask_block{block_tag::safe},
                          ask_block{block_tag::finalized}};
  const auto found = ask(all, 2); // a chain may have no safe and no final block yet, which some nodes tell by an error
  const auto latest = header_in(found[0]);
  if (!latest)
    throw node_error{"the node has no newest block"};
  return {*latest, header_in(found[2]), header_in(found[3]), header_in(found[1])};
}

std::vector<chain::block_header> chain_rpc_node::headers(std::span<const chain::block_number> of) {
  std::vector<rpc_request> requests;
  for (const auto number : of)
    requests.push_back(ask_block{number});
  std::vector<chain::block_header> out;
  for (const auto& each : ask(requests)) {
    const auto header = header_in(each);
    if (!header)
      break;
    out.push_back(*header);
  }
  return out;
}

chain::range_logs chain_rpc_node::logs_in(const chain::block_range& blocks, std::span<const address> contracts) {
  const rpc_request both[]{ask_block{blocks.last}, ask_range_logs{blocks, {contracts.begin(), contracts.end()}}};
  auto found = ask(both);
  return {header_in(found[0]), std::get<std::vector<chain::chain_log>>(std::move(found[1]))};
}

std::vector<chain::chain_log> chain_rpc_node::logs_of(const digest32& block, std::span<const address> contracts) {
  const rpc_request request = ask_block_logs{block, {contracts.begin(), contracts.end()}};
  return std::get<std::vector<chain::chain_log>>(std::move(ask(std::span{&request, 1}).front()));
}

std::vector<chain::tx_receipt> chain_rpc_node::receipts_of(chain::block_number block) {
  std::vector<chain::tx_receipt> out;
  try {
    const rpc_request all = ask_block_receipts{block};
    auto found = ask(std::span{&all, 1});
    if (auto* receipts = std::get_if<std::vector<chain::tx_receipt>>(&found.front()))
      return std::move(*receipts);
    return out;
  } catch (const chain::node_busy&) {
    throw;
  } catch (const node_error&) { // too much at once, or a method that the node does not know
  }
  const rpc_request list = ask_block_transactions{block};
  const auto found = ask(std::span{&list, 1});
  const auto* hashes = std::get_if<std::vector<digest32>>(&found.front());
  for (const auto& each : hashes ? *hashes : std::vector<digest32>{}) {
    const rpc_request one = ask_receipt{each};
    auto receipt = ask(std::span{&one, 1});
    if (!std::holds_alternative<chain::tx_receipt>(receipt.front()))
      throw node_error{"block " + std::to_string(block) + " has a transaction without a receipt"};
    out.push_back(std::get<chain::tx_receipt>(std::move(receipt.front())));
  }
  return out;
}

chain::range_logs chain_rpc_node::logs_by_receipts(chain::block_number block, std::span<const address> contracts) {
  const rpc_request header = ask_block{block};
  chain::range_logs out;
  out.last = header_in(ask(std::span{&header, 1}).front());
  if (!out.last)
    return out;
  for (auto& receipt : receipts_of(block))
    for (auto& log : receipt.logs)
      if (std::find(contracts.begin(), contracts.end(), log.from) != contracts.end()) {
        log.at = out.last->at;
        out.logs.push_back(std::move(log));
      }
  return out;
}

chain::node_transaction chain_rpc_node::transaction(const digest32& tx) {
  const rpc_request both[]{ask_transaction{tx}, ask_receipt{tx}};
  auto found = ask(both);
  chain::node_transaction out;
  out.known = std::holds_alternative<known_transaction>(found[0]);
  if (auto* receipt = std::get_if<chain::tx_receipt>(&found[1])) {
    out.receipt = std::move(*receipt);
    out.known = true;
  }
  return out;
}

chain::call_answer chain_rpc_node::run_alone(const ask_call& call) {
  using ending = chain::call_answer::ending;
  const rpc_request request = call;
  try {
    auto found = ask(std::span{&request, 1});
    if (auto* data = std::get_if<std::vector<std::byte>>(&found.front()))
      return {ending::returned, std::move(*data)};
  } catch (const chain::node_busy&) {
    throw;
  } catch (const call_reverted&) {
    return {ending::reverted, {}};
  } catch (const body_too_large&) {
    return {ending::too_large, {}};
  } catch (const node_error&) { // the others of the batch were answered
  }
  return {ending::unanswered, {}};
}

chain::calls_answered chain_rpc_node::run_calls(chain::block_number block, bool there,
                                                std::span<const chain::contract_call> calls) {
  std::vector<rpc_request> requests{ask_block{block}};
  for (const auto& each : calls) {
    ask_call request{each.contract, each.data, block_tag::latest};
    if (there)
      request.at = block;
    requests.push_back(std::move(request));
  }
  std::vector<rpc_value> found;
  try {
    found = ask(requests, 1);
  } catch (const body_too_large&) { // each by itself
    found = ask(std::span{requests}.first(1));
    found.resize(requests.size(), rpc_nothing{});
  }
  chain::calls_answered out{header_in(found.front()), {}};
  for (std::size_t i = 1; out.block && i < found.size(); ++i)
    if (auto* data = std::get_if<std::vector<std::byte>>(&found[i]))
      out.answers.push_back({chain::call_answer::ending::returned, std::move(*data)});
    else
      out.answers.push_back(run_alone(std::get<ask_call>(requests[i])));
  return out;
}

// -- settings ----------------------------------------------------------------------------------

std::vector<std::string> endpoint_urls(const settings::chain& with) {
  std::vector<std::string> out;
  const auto& all = with.endpoints.reveal();
  for (std::size_t begin = 0; begin <= all.size();) {
    const auto end = std::min(all.find(',', begin), all.size());
    auto one = all.substr(begin, end - begin);
    std::erase(one, ' ');
    if (!one.empty())
      out.push_back(std::move(one));
    begin = end + 1;
  }
  return out;
}

std::map<address, chain::contract_kind> contracts_of(const settings::chain& with) {
  std::map<address, chain::contract_kind> out;
  for (const auto& each : with.contracts)
    if (const auto contract = contract_of(each))
      out.insert(*contract);
  return out;
}

chain::follow_settings follow_settings_of(const settings::chain& with) {
  chain::follow_settings out;
  out.chain = static_cast<chain::chain_number>(with.id);
  out.start_block = with.start_block;
  out.contracts = contracts_of(with);
  for (const auto& each : with.kinds)
    if (const auto kind = chain::record_kind_named(each))
      out.kinds.add(*kind);
  out.id_offset = static_cast<std::int32_t>(with.id_offset);
  if (const auto fees = settings::parse_fees(with.vouch_fees))
    out.fees_at_first = {(*fees)[0], (*fees)[1], (*fees)[2], (*fees)[3]};
  if (auto bonds = chain::bond_getter(with.bond_getter))
    out.bonds = *std::move(bonds);
  if (auto invites = chain::invite_getter(with.invite_getter))
    out.invites = *std::move(invites);
  out.confirmations = with.confirmations;
  out.range_max = with.range_max;
  out.authority = chain::authority_named(with.authority).value_or(chain::authority_rule{});
  out.poll = with.poll;
  out.unavailable_after = with.unavailable_after;
  return out;
}

chain::node_list chain_nodes(const settings::chain& with, const std::atomic<bool>& given_up) {
  chain::node_list out;
  for (auto& each : endpoint_urls(with))
    out.push_back(std::make_shared<chain_rpc_node>(std::move(each), with.timeout, given_up));
  return out;
}

namespace {

/// All kinds that may be followed, to be told.
std::string known_kinds() {
  std::string out;
  for (const auto each : chain::record_kind_names)
    out.append(out.empty() ? "" : each == chain::record_kind_names.back() ? " and " : ", ").append(each);
  return out;
}

void add_mistakes_in_kinds(const std::vector<std::string>& kinds, std::vector<std::string>& to) {
  const bool of_people = std::find(kinds.begin(), kinds.end(), "identity") != kinds.end();
  for (const auto& each : kinds) {
    if (!chain::record_kind_named(each))
      to.push_back("chain.kinds holds '" + each + "', but may hold " + known_kinds());
    else if (each != "identity" && !of_people)
      to.push_back("chain.kinds holds '" + each + "' without identity, but its records are of profiles: add identity");
  }
}

void add_mistake_in_getter(const char* name, const std::string& given, const outcome<chain::getter, std::string>& read,
                           std::vector<std::string>& to) {
  if (!given.empty() && !read)
    to.push_back(std::string{name} + " is '" + given
                 + "', but must be a function such as bonds(uint256) returns (uint256 subjectProfileId, string "
                   "statement): "
                 + read.why());
}

} // namespace

std::vector<std::string> chain_mistakes(const settings::chain& with) {
  if (!with.on())
    return with.contracts.empty()
             ? std::vector<std::string>{}
             : std::vector<std::string>{"chain.endpoints is empty, but chain.contracts is given: both, or neither"};
  std::vector<std::string> out;
  const auto urls = endpoint_urls(with);
  for (std::size_t i = 0; i < urls.size(); ++i)
    if (const auto wanted = mistake_in_url(urls[i], plain_http::private_networks))
      out.push_back("number " + std::to_string(i + 1) + " of chain.endpoints is ***, but must be " + *wanted);
  if (urls.empty())
    out.push_back("chain.endpoints holds no URL");
  if (with.contracts.empty())
    out.push_back("chain.contracts is empty, but names the contracts whose events are stored");
  std::set<address> where;
  std::set<chain::contract_kind> kinds;
  for (const auto& each : with.contracts) {
    const auto contract = contract_of(each);
    if (!contract)
      out.push_back(
        "chain.contracts holds '" + each
        + "', but must hold name=0x… with the name of a contract in event records, such as review, and its address");
    else if (!where.insert(contract->first).second || !kinds.insert(contract->second).second)
      out.push_back("chain.contracts holds '" + each + "', whose name or address is there twice");
  }
  if (with.start_block < 1)
    out.push_back("chain.start_block is 0, but must be the first block whose events count, 1 or later");
  if (!chain::authority_named(with.authority))
    out.push_back("chain.authority is '" + with.authority
                  + "', but must be safe, finalized or a number of blocks up to "
                  + std::to_string(chain::authority_depth_max));
  add_mistakes_in_kinds(with.kinds, out);
  add_mistake_in_getter("chain.reads.bond", with.bond_getter, chain::bond_getter(with.bond_getter), out);
  add_mistake_in_getter("chain.reads.invite", with.invite_getter, chain::invite_getter(with.invite_getter), out);
  return out;
}

} // namespace credence::http
