#include "http/api/wallets/sent_action.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace credence::http {

namespace {

constexpr std::uint32_t ask_again_after_s = 5;

} // namespace

bool has_wallets(call& c) {
  if (c.to().wallets)
    return true;
  c.refuse({refusal_code::embedded_wallet_not_found,
            "this service keeps no wallets for its users: it has no wallets.master_key"});
  return false;
}

void refuse_transaction(call& c, const refusal& why) {
  if (why.code == refusal_code::nonce_conflict)
    c.retry_after(1);
  if (why.code == refusal_code::rate_limited || why.code == refusal_code::blockchain_unavailable)
    c.retry_after(ask_again_after_s);
  c.refuse(why);
}

std::optional<chain::event> read_event(const chain::stored_event& stored) {
  std::vector<digest32> topics(stored.topics.size() / sizeof(digest32));
  for (std::size_t i = 0; i < topics.size(); ++i)
    std::memcpy(topics[i].data(), stored.topics.data() + i * sizeof(digest32), sizeof(digest32));
  auto read = chain::decode_log(stored.contract, topics, stored.data);
  if (auto* known = std::get_if<chain::event>(&read))
    return std::move(*known);
  return std::nullopt;
}

} // namespace credence::http
