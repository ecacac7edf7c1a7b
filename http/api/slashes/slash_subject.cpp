#include "http/api/slashes/slash_subject.hpp"

#include "actors/domain/lower_case.hpp"

#include <algorithm>

namespace credence::http {

namespace {

using form = people::lookup_key::form;

/// The account of a person that the key means: the one with that id, the latest one with that handle, or the first of
/// all.
std::optional<slash::account> account_of(const people::user_bundle& who, const people::lookup_key& key) {
  std::optional<slash::account> out;
  for (const auto& each : who.attestations) {
    if (each.archived)
      continue;
    const bool of_x = key.how == form::x_handle || key.how == form::x_account_or_handle;
    if (of_x && each.service != people::account_service::x)
      continue;
    if (key.how == form::x_account_or_handle && each.account == key.text)
      return slash::account{each.service, each.account};
    if (of_x ? lower_case(each.username.value_or("")) == lower_case(key.text) : !out)
      out = slash::account{each.service, each.account};
  }
  return out;
}

} // namespace

slash::subject named_by(const people::lookup_key& key) {
  slash::subject out;
  if (key.how == form::address) {
    out.wallet.emplace();
    std::transform(key.text.begin(), key.text.end(), out.wallet->bytes.begin(),
                   [](char c) { return static_cast<std::byte>(c); });
  }
  if (key.how == form::account)
    out.account = slash::account{key.service, key.text};
  return out;
}

outcome<slash::subject> subject_of(const people::lookup_key& key, const people::user_bundle* who) {
  auto out = named_by(key);
  const bool named = out.wallet || out.account;
  if (!who && !named)
    return refusal{refusal_code::not_found, "no user matches subject"};
  if (!who)
    return out;
  out.user = who->user->id;
  if (who->profile)
    out.profile = who->profile->id;
  if (named)
    return out;
  if (key.how == form::profile && !who->addresses.empty())
    out.wallet = who->addresses.front().address; // the primary one
  else
    out.account = account_of(*who, key);
  if (!out.wallet && !out.account)
    return refusal{refusal_code::not_found,
                   "subject has neither an address nor an account that is proved; name it by address:<0x address> or"
                   " service:<service>:<id>"};
  return out;
}

} // namespace credence::http
