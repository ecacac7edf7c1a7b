#include "http/api/wallets/sent_action.hpp"

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

} // namespace credence::http
