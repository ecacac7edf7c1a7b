#include "http/outside/chain_rpc_errors.hpp"

#include "actors/domain/lower_case.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace credence::http {

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
