#include "actors/domain/hash.hpp"
#include "actors/domain/text.hpp"
#include "config/limits.hpp"
#include "http/outside/chain_rpc.hpp"

#include <simdjson.h>

#include <algorithm>
#include <charconv>

namespace credence::http {

namespace {

namespace dom = simdjson::dom;

constexpr std::size_t message_bytes_max = 1000;
constexpr std::size_t data_bytes_max = 4096; // of an error

/// Thrown within this file only, and told as `rpc_flaw`.
struct nonsense {
  std::string why;
};
[[noreturn]] void flaw(std::string_view name, std::string_view text) {
  throw nonsense{std::string{name} + " is not " + std::string{text}};
}

/// The member; nothing when it is absent or null.
std::optional<dom::element> member(const dom::object& of, std::string_view name) {
  dom::element out;
  if (of[name].get(out) || out.is_null())
    return std::nullopt;
  return out;
}

std::string_view member_text(const dom::element& value, std::string_view name) {
  std::string_view out;
  if (value.get(out))
    flaw(name, "a text");
  return out;
}
std::string_view text_in(const dom::object& of, std::string_view name) {
  const auto found = member(of, name);
  return found ? member_text(*found, name) : std::string_view{};
}

/// The digits of a quantity. Zeros in front, up to a word's 64 digits, are left away, as some nodes tell them.
std::string_view quantity_digits(std::string_view text, std::string_view name, std::size_t most) {
  constexpr std::size_t word_digits = 64;
  auto digits = text.starts_with("0x") ? text.substr(2) : std::string_view{};
  const bool bounded = !digits.empty() && digits.size() <= word_digits;
  if (bounded)
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (!bounded || digits.size() > most)
    flaw(name, "a quantity of at most " + std::to_string(most) + " hexadecimal digits");
  return digits;
}

/// A number of at most 256 bits, the highest byte first.
digest32 read_quantity(std::string_view text, std::string_view name, std::size_t digits_max) {
  const auto digits = quantity_digits(text, name, digits_max);
  digest32 out{};
  const auto even = std::string(digits.size() % 2, '0') + std::string{digits};
  if (!decode_hex(even, std::span{out}.last(even.size() / 2)))
    flaw(name, "hexadecimal");
  return out;
}

std::uint64_t number_of(std::string_view text, std::string_view name, std::uint64_t most = ~std::uint64_t{0}) {
  std::uint64_t out = 0;
  const auto bytes = read_quantity(text, name, 16);
  for (const auto each : std::span{bytes}.last(8))
    out = out << 8 | std::to_integer<std::uint64_t>(each);
  if (out > most)
    flaw(name, "at most " + std::to_string(most));
  return out;
}
std::uint64_t number_in(const dom::object& of, std::string_view name, std::uint64_t most = ~std::uint64_t{0}) {
  return number_of(text_in(of, name), name, most);
}
chain::unix_time time_in(const dom::object& of, std::string_view name) {
  return {static_cast<std::int64_t>(number_in(of, name, limits::unix_seconds_max))};
}
uint256 large_number_of(std::string_view text, std::string_view name) {
  limbs256 limbs{};
  const auto bytes = read_quantity(text, name, 64);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    limbs[3 - i / 8] = limbs[3 - i / 8] << 8 | std::to_integer<std::uint64_t>(bytes[i]);
  return uint256{limbs};
}
uint256 large_number_in(const dom::object& of, std::string_view name) {
  return large_number_of(text_in(of, name), name);
}

void read_bytes(std::string_view text, std::string_view name, std::span<std::byte> to) {
  if (!text.starts_with("0x") || !decode_hex(text.substr(2), to))
    flaw(name, std::to_string(to.size()) + " bytes in hex");
}
digest32 hash_in(const dom::object& of, std::string_view name) {
  digest32 out;
  read_bytes(text_in(of, name), name, out);
  return out;
}
address address_in(const dom::object& of, std::string_view name) {
  address out;
  read_bytes(text_in(of, name), name, out.bytes);
  return out;
}
std::optional<address> address_if_any(const dom::object& of, std::string_view name) {
  return member(of, name) ? std::optional{address_in(of, name)} : std::nullopt;
}
/// A node without blooms sends null or nothing; then all bits are zero.
chain::logs_bloom bloom_in(const dom::object& of) {
  chain::logs_bloom out{};
  if (const auto found = member(of, "logsBloom"))
    read_bytes(member_text(*found, "logsBloom"), "logsBloom", out);
  return out;
}
std::vector<std::byte> bytes_of(std::string_view text, std::string_view name) {
  std::vector<std::byte> out(text.size() >= 2 ? text.size() / 2 - 1 : 0);
  read_bytes(text, name, out);
  return out;
}

dom::object object_of(const dom::element& value, std::string_view name) {
  dom::object out;
  if (value.get(out))
    flaw(name, "an object");
  return out;
}
dom::array array_of(const dom::element& value, std::string_view name) {
  dom::array out;
  if (value.get(out))
    flaw(name, "an array");
  return out;
}
dom::array array_in(const dom::object& of, std::string_view name) {
  const auto found = member(of, name);
  if (!found)
    flaw(name, "an array");
  return array_of(*found, name);
}

// -- values --------------------------------------------------------------------------------------

chain::block_header read_header(const dom::object& from) {
  chain::block_header out;
  out.number = number_in(from, "number");
  out.hash = hash_in(from, "hash");
  out.parent_hash = hash_in(from, "parentHash");
  out.at = time_in(from, "timestamp");
  out.bloom = bloom_in(from);
  return out;
}

chain::chain_log read_log(const dom::object& from) {
  constexpr auto index_max = std::uint64_t{0x7FFF'FFFF};
  chain::chain_log out;
  out.from = address_in(from, "address");
  for (const auto topic : array_in(from, "topics"))
    read_bytes(member_text(topic, "topics"), "topics", out.topics.emplace_back());
  out.data = bytes_of(text_in(from, "data"), "data");
  out.block = number_in(from, "blockNumber");
  out.block_hash = hash_in(from, "blockHash");
  out.tx_hash = hash_in(from, "transactionHash");
  out.tx_index = static_cast<std::uint32_t>(number_in(from, "transactionIndex", index_max));
  out.log_index = static_cast<std::uint32_t>(number_in(from, "logIndex", index_max));
  if (const auto removed = member(from, "removed"); removed && removed->get(out.removed))
    flaw("removed", "true or false");
  // Some nodes write 0 for what they do not know; the block's header tells then.
  if (member(from, "blockTimestamp"))
    if (const auto at = time_in(from, "blockTimestamp"); at != chain::unix_time{})
      out.at = at;
  return out;
}

std::vector<chain::chain_log> read_logs(const dom::array& from) {
  std::vector<chain::chain_log> out;
  for (const auto log : from)
    out.push_back(read_log(object_of(log, "a log")));
  return out;
}

/// Nothing for one that is in no block yet.
std::optional<chain::tx_receipt> read_receipt(const dom::object& from) {
  if (!member(from, "blockHash") || !member(from, "blockNumber"))
    return std::nullopt;
  chain::tx_receipt out;
  out.tx_hash = hash_in(from, "transactionHash");
  out.tx_index = static_cast<std::uint32_t>(number_in(from, "transactionIndex", 0x7FFF'FFFF));
  out.block_hash = hash_in(from, "blockHash");
  out.block = number_in(from, "blockNumber");
  out.from = address_in(from, "from");
  out.to = address_if_any(from, "to");
  out.contract = address_if_any(from, "contractAddress");
  out.cumulative_gas_used = large_number_in(from, "cumulativeGasUsed");
  out.gas_used = large_number_in(from, "gasUsed");
  out.succeeded = number_in(from, "status", 1) == 1;
  out.bloom = bloom_in(from);
  out.logs = read_logs(array_in(from, "logs"));
  for (const auto& log : out.logs)
    if (log.tx_hash != out.tx_hash || log.block_hash != out.block_hash || log.block != out.block
        || log.tx_index != out.tx_index)
      throw nonsense{"a receipt has a log of another transaction"};
  return out;
}

/// Blocks without transactions tell a priority fee of zero, and do not count.
fee_history read_fees(const dom::object& from) {
  fee_history out;
  for (const auto each : array_in(from, "baseFeePerGas")) // the last one is of the next block
    out.base_fee = large_number_of(member_text(each, "baseFeePerGas"), "baseFeePerGas");
  std::vector<wei> rewards;
  if (member(from, "reward"))
    for (const auto block : array_in(from, "reward"))
      for (const auto each : array_of(block, "reward"))
        if (auto fee = large_number_of(member_text(each, "reward"), "reward"); fee > 0)
          rewards.push_back(std::move(fee));
  std::sort(rewards.begin(), rewards.end());
  if (!rewards.empty())
    out.priority = rewards[rewards.size() / 2];
  return out;
}

/// Reads a result as the request wants it.
struct result_reader {
  dom::element result;

  rpc_value operator()(const ask_chain_id&) const {
    return number_of(member_text(result, "the chain's id"), "the chain's id");
  }
  rpc_value operator()(const ask_block& question) const {
    auto out = read_header(object_of(result, "the block"));
    if (const auto* number = std::get_if<chain::block_number>(&question.which); number && *number != out.number)
      throw nonsense{"the block has another number than the one asked for"};
    return out;
  }
  rpc_value operator()(const ask_range_logs&) const { return read_logs(array_of(result, "the list of logs")); }
  rpc_value operator()(const ask_block_logs&) const { return read_logs(array_of(result, "the list of logs")); }
  rpc_value operator()(const ask_receipt& question) const {
    auto out = read_receipt(object_of(result, "the receipt"));
    if (!out)
      return rpc_nothing{};
    if (out->tx_hash != question.tx)
      throw nonsense{"the receipt is of another transaction"};
    return *std::move(out);
  }
  rpc_value operator()(const ask_block_receipts& question) const {
    std::vector<chain::tx_receipt> out;
    for (const auto each : array_of(result, "the list of receipts")) {
      auto receipt = read_receipt(object_of(each, "a receipt"));
      if (!receipt || receipt->block != question.block)
        throw nonsense{"a receipt is of another block"};
      out.push_back(*std::move(receipt));
    }
    return out;
  }
  rpc_value operator()(const ask_block_transactions& of) const {
    const auto block = object_of(result, "the block");
    if (number_in(block, "number") != of.block)
      throw nonsense{"the block has another number than the one asked for"};
    std::vector<digest32> out;
    for (const auto each : array_in(block, "transactions"))
      read_bytes(member_text(each, "a transaction's hash"), "a transaction's hash", out.emplace_back());
    return out;
  }
  rpc_value operator()(const ask_transaction& question) const {
    const auto from = object_of(result, "the transaction");
    if (hash_in(from, "hash") != question.tx)
      throw nonsense{"the transaction is another one"};
    known_transaction out;
    if (member(from, "blockHash") && member(from, "blockNumber"))
      out.block = number_in(from, "blockNumber");
    return out;
  }
  rpc_value operator()(const ask_call&) const { return bytes_of(member_text(result, "the result"), "the result"); }
  rpc_value operator()(const ask_nonce&) const { return number_of(member_text(result, "the count"), "the count"); }
  rpc_value operator()(const ask_balance&) const {
    return large_number_of(member_text(result, "the balance"), "the balance");
  }
  rpc_value operator()(const ask_fee_history&) const { return read_fees(object_of(result, "the history of fees")); }
  rpc_value operator()(const ask_gas&) const { return number_of(member_text(result, "the gas"), "the gas"); }
  rpc_value operator()(const ask_send&) const {
    digest32 out;
    read_bytes(member_text(result, "the hash"), "the hash", out);
    return out;
  }
};

/// `eth_getLogs` and the chain's id are never null.
bool may_be_nothing(const rpc_request& request) {
  return std::holds_alternative<ask_block>(request) || std::holds_alternative<ask_receipt>(request)
         || std::holds_alternative<ask_block_receipts>(request) || std::holds_alternative<ask_transaction>(request)
         || std::holds_alternative<ask_block_transactions>(request);
}

// -- envelopes -----------------------------------------------------------------------------------

/// The bytes that came with an error, where they are some: nodes put them into `data`, or into an object there.
std::string returned_by(const dom::object& error) {
  auto found = member(error, "data");
  if (dom::object inner; found && !found->get(inner))
    found = member(inner, "data");
  std::string_view text;
  if (!found || found->get(text) || !text.starts_with("0x") || text.size() > 2 + 2 * data_bytes_max)
    return {};
  std::string out((text.size() - 2) / 2, '\0');
  return decode_hex(text.substr(2), std::as_writable_bytes(std::span{out})) ? out : std::string{};
}

rpc_error read_error(const dom::element& from) {
  const auto error = object_of(from, "the error");
  rpc_error out;
  const auto code = member(error, "code");
  if (!code || code->get(out.code))
    flaw("the error's code", "an integer");
  auto message = text_in(error, "message");
  if (message.size() > message_bytes_max) {
    message = message.substr(0, message_bytes_max);
    while ((static_cast<unsigned char>(message.back()) & 0xC0) == 0x80)
      message.remove_suffix(1);
    message.remove_suffix(1); // a character that was cut is left out whole
  }
  out.message = message;
  out.data = returned_by(error);
  return out;
}

rpc_answer read_answer(const dom::object& from, const rpc_request& request) try {
  if (const auto error = member(from, "error"))
    return read_error(*error);
  dom::element result;
  if (from["result"].get(result))
    return rpc_flaw{"an answer has neither a result nor an error"};
  if (!result.is_null())
    return std::visit(result_reader{result}, request);
  if (may_be_nothing(request))
    return rpc_value{rpc_nothing{}};
  return rpc_flaw{"the result is null"};
} catch (const nonsense& nonsense) {
  return rpc_flaw{nonsense.why};
}

/// The place of an answer among the requests. Throws `nonsense` for an id that was not asked.
std::size_t place_of(const dom::object& answer, std::uint64_t first_id, std::size_t count) {
  std::uint64_t id = 0;
  if (answer["id"].get(id) || id < first_id || id - first_id >= count)
    throw nonsense{"an answer has an id that was not asked"};
  return static_cast<std::size_t>(id - first_id);
}

rpc_answers read_array(const dom::array& from, std::span<const rpc_request> requests, std::uint64_t first_id) {
  std::vector<rpc_answer> out(requests.size(), rpc_missing{});
  for (const auto each : from) {
    const auto answer = object_of(each, "an answer");
    if (!member(answer, "id") && member(answer, "error"))
      continue; // nobody can tell whose: that request is missing
    const auto at = place_of(answer, first_id, requests.size());
    if (!std::holds_alternative<rpc_missing>(out[at]))
      throw nonsense{"an id is answered twice"};
    out[at] = read_answer(answer, requests[at]);
  }
  return out;
}

rpc_answers read_object(const dom::object& from, std::span<const rpc_request> requests, std::uint64_t first_id) {
  const auto error = member(from, "error");
  if (error && (requests.size() != 1 || !member(from, "id")))
    return requests.size() == 1 ? rpc_answers{std::vector<rpc_answer>{read_error(*error)}}
                                : rpc_answers{read_error(*error)};
  if (requests.size() != 1)
    throw nonsense{"one answer came for several requests"};
  place_of(from, first_id, 1);
  return std::vector<rpc_answer>{read_answer(from, requests.front())};
}

/// The parser of small answers keeps its memory; what a large one took is given back.
constexpr std::size_t kept_bytes_max = 1024 * 1024;

rpc_answers read_with(dom::parser& parser, std::string_view body, std::span<const rpc_request> requests,
                      std::uint64_t first_id) {
  if (parser.max_depth() != static_cast<std::size_t>(limits::json_depth_max)
      && parser.allocate(64 * 1024, static_cast<std::size_t>(limits::json_depth_max)))
    return rpc_flaw{"there is no memory to read an answer"};
  dom::element root;
  if (parser.parse(body.data(), body.size()).get(root))
    return rpc_flaw{"the answer is not JSON"};
  if (dom::array several; !root.get(several))
    return read_array(several, requests, first_id);
  return read_object(object_of(root, "the answer"), requests, first_id);
}

} // namespace

rpc_answers read_rpc(std::string_view body, std::span<const rpc_request> requests, std::uint64_t first_id) try {
  if (body.size() > rpc_body_bytes_max)
    return rpc_flaw{"the answer is longer than " + std::to_string(rpc_body_bytes_max) + " bytes"};
  if (body.size() <= kept_bytes_max) {
    thread_local dom::parser kept{kept_bytes_max};
    return read_with(kept, body, requests, first_id);
  }
  dom::parser large{rpc_body_bytes_max};
  return read_with(large, body, requests, first_id);
} catch (const nonsense& nonsense) {
  return rpc_flaw{nonsense.why};
}

namespace {

/// Parts of what nodes and providers say, in small letters, when a request for logs covers too much.
constexpr std::string_view too_large[]{
  "query returned more than",           // Infura, Erigon, zkSync, Ethermint
  "query exceeds max results",          // reth
  "query exceeds max block range",      // reth
  "query block range exceeds",          // Erigon
  "block range exceeds",                // geth
  "exceed max block range",             // forks of geth
  "exceeds max block range",            //
  "exceed maximum block range",         // BNB Smart Chain
  "exceeds maximum block range",        //
  "exceeded maximum block range",       //
  "exceeds maximum rpc range limit",    // Besu
  "exceeds the range",                  //
  "exceeds the limit",                  //
  "exceeded max limit",                 // jsonrpsee
  "exceeded max range limit",           //
  "exceed max range",                   //
  "exceeds max range",                  //
  "max range:",                         //
  "maximum [from, to] blocks distance", // Ethermint
  "maximum is set to",                  // Avalanche
  "requested too many blocks",          // Avalanche
  "too many blocks",                    //
  "too many logs",                      // Nethermind
  "logs matched by query exceeds",      // Ethermint
  "block range too large",              //
  "block range is too large",           // Polygon
  "block range is too wide",            // Ankr, Frontier
  "block range too wide",               //
  "block range limit",                  // Chainstack
  "block range should",                 // BlockPI
  "block range greater than",           //
  "range is too large",                 // Blast
  "range too large",                    //
  "range too wide",                     //
  "ranges over",                        // dRPC
  "limited to",                         // QuickNode, BlockPI, 1RPC: "is limited to a 10,000 range"
  "limit the query to",                 //
  "narrow your filter",                 // Erigon
  "must be smaller than size",          // Harmony
  "log response size exceeded",         // Alchemy
  "response size",                      // Alchemy, Polygon: "response size should not greater than …"
  "response too large",                 // proxyd, before Base and OP nodes
  "response is too big",                // jsonrpsee
  "response is too large",              //
  "result too large",                   //
  "query timeout exceeded",             // geth
  "query timed out",                    //
  "query timeout",                      // Frontier
  "greater than the limit",             //
};

constexpr std::string_view limited_rate[]{
  "rate limit",
  "rate-limit",
  "ratelimit",
  "too many requests",
  "request rate",
  "requests per second",
  "request count exceeded",
  "compute units",
  "capacity exceeded",
  "exceeded its throughput",
  "call rate",
  "quota",
};

constexpr std::string_view unknown[]{
  "unknown block",        "header not found",          "block not found",   "cannot find block",
  "could not find block", "block does not exist",      "hash is not found", "beyond head",
  "beyond current head",  "after last accepted block", "missing trie node",
};

constexpr std::string_view unsupported[]{"method not found", "does not exist/is not available", "method not supported",
                                         "unsupported method", "not whitelisted"};

bool has_any(std::string_view text, const auto& parts) {
  return std::any_of(std::begin(parts), std::end(parts),
                     [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// In answer to `eth_getLogs` these codes mean "range too large" when the text says nothing else.
bool code_of_too_large(std::int64_t code) { return code == -32005 || code == -32602 || code == -32600 || code == 413; }

bool is_digit_of(char c, int base) {
  return (c >= '0' && c <= '9') || (base == 16 && ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')));
}

/// A number at the beginning of the text, in hex after `0x`; takes it off.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  const int base = text.starts_with("0x") ? 16 : 10;
  const auto digits = text.substr(base == 16 ? 2 : 0);
  std::uint64_t out = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), out, base);
  if (end.ec != std::errc{} || end.ptr == digits.data())
    return std::nullopt;
  text = digits.substr(static_cast<std::size_t>(end.ptr - digits.data()));
  return out;
}

/// Two numbers with `-` or `, ` between them; a comma alone parts thousands, unless hex follows.
std::optional<chain::block_range> take_range(std::string_view text) {
  const auto first = take_number(text);
  if (!first)
    return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with('-') && !text.starts_with(", ") && !text.starts_with(",0x"))
    return std::nullopt;
  text.remove_prefix(std::min(text.find_first_not_of(" ,-"), text.size()));
  const auto last = take_number(text);
  return last ? std::optional{chain::block_range{*first, *last}} : std::nullopt;
}

} // namespace

rpc_trouble trouble_of(const rpc_error& error) {
  const auto text = lower_case(error.message);
  if (error.code == 429 || has_any(text, limited_rate))
    return rpc_trouble::rate_limited;
  if (error.code == -32601 || has_any(text, unsupported))
    return rpc_trouble::not_supported;
  if (error.code == 3 || text.find("revert") != std::string::npos)
    return rpc_trouble::reverted;
  return has_any(text, unknown) ? rpc_trouble::unknown_block : rpc_trouble::other;
}

rpc_trouble trouble_with_logs(const rpc_error& error) {
  const auto trouble = trouble_of(error);
  if (trouble != rpc_trouble::other)
    return trouble;
  return code_of_too_large(error.code) || has_any(lower_case(error.message), too_large) ? rpc_trouble::range_too_large
                                                                                        : rpc_trouble::other;
}

std::optional<chain::block_range> suggested_range(std::string_view message) {
  const auto text = lower_case(message);
  const auto word = text.find("range");
  if (word == std::string::npos)
    return std::nullopt;
  for (auto at = word; at < text.size(); ++at) {
    const bool begins =
      is_digit_of(text[at], 10) && !is_digit_of(text[at - 1], 16) && text[at - 1] != 'x' && text[at - 1] != '.';
    if (!begins)
      continue;
    if (const auto found = take_range(std::string_view{text}.substr(at)))
      return found;
  }
  return std::nullopt;
}

} // namespace credence::http
