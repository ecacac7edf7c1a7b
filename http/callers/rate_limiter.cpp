#include "http/callers/rate_limiter.hpp"

#include "actors/domain/hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace credence::http {

namespace {

using std::chrono::nanoseconds;

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::size_t client_length_max = 128; // of what tells callers apart

std::int64_t seconds_up(std::int64_t ns) { return (ns + second_ns - 1) / second_ns; }

rate_policy policy_of(bucket which, const settings::rate& rate) {
  rate_policy out;
  out.which = which;
  const std::string_view name = bucket_names[static_cast<std::size_t>(which)];
  if (rate.count == 0)
    return out;
  out.interval_ns = std::max<std::int64_t>(1, nanoseconds{rate.per}.count() / rate.count);
  out.window_ns = out.interval_ns * rate.burst;
  out.head.append("RateLimit-Policy: \"").append(name).append("\";q=").append(std::to_string(rate.burst));
  out.head.append(";w=").append(std::to_string(seconds_up(out.window_ns)));
  out.head.append("\r\nRateLimit: \"").append(name).append("\";r=");
  return out;
}

/// What a request of that weight comes to in the bucket that is full at `full_at`.
status standing_at(std::int64_t full_at, const rate_policy& policy, std::int64_t now, charge_weight weight) noexcept {
  const auto owed = std::max<std::int64_t>(full_at - now, 0);
  const auto next = owed + std::min(weight.requests * policy.interval_ns, policy.window_ns);
  if (next > policy.window_ns)
    return {&policy, false, (policy.window_ns - std::min(owed, policy.window_ns)) / policy.interval_ns,
            seconds_up(owed), std::max<std::int64_t>(1, seconds_up(next - policy.window_ns))};
  return {&policy, true, (policy.window_ns - next) / policy.interval_ns, seconds_up(next), 0};
}

/// Takes a request from the bucket that is full at `full_at`, if enough is left; where it is owed, what is left.
status take(std::atomic<std::int64_t>& full_at, const rate_policy& policy, std::int64_t now,
            charge_weight weight) noexcept {
  auto seen = full_at.load(std::memory_order_relaxed);
  for (;;) {
    const auto out = standing_at(seen, policy, now, weight);
    const auto next = std::min(std::max(seen, now) + std::min(weight.requests * policy.interval_ns, policy.window_ns),
                               std::max(seen, now + policy.window_ns));
    if (!out.admitted && !weight.owed)
      return out;
    if (full_at.compare_exchange_weak(seen, next, std::memory_order_relaxed))
      return weight.owed ? standing_at(next, policy, now, 0) : out;
  }
}

} // namespace

bucket bucket_of(const route& route) noexcept {
  switch (route.quota) {
    case quota_class::read: return bucket::read;
    case quota_class::write: return bucket::write;
    case quota_class::wallet: return bucket::wallet;
    case quota_class::admin: return bucket::admin;
    case quota_class::derived: break;
  }
  if (route.who == access::admin)
    return bucket::admin;
  return route.verb == method::get ? bucket::read : bucket::write;
}

rate_limiter::rate_limiter(const settings::http& with, std::size_t entries) {
  const std::array<settings::rate, bucket_names.size()> rates{
    with.rate_read,      with.rate_write,       with.rate_wallet, with.rate_admin,
    with.rate_anonymous, with.rate_credentials, with.rate_address};
  for (std::size_t i = 0; i < rates.size(); ++i)
    policies_[i] = policy_of(static_cast<bucket>(i), with.rate_limits ? rates[i] : settings::rate{});
  const auto count = std::bit_ceil(std::max(entries, ways) / ways);
  mask_ = count - 1;
  sets_ = std::make_unique<set[]>(count);
}

std::uint64_t rate_limiter::tag_of(bucket which, std::string_view client, const client_address& from) const noexcept {
  std::array<char, client_length_max> text;
  const auto address = from.of_one_client(); // of one of two lengths, told apart by the first byte
  auto* end = text.data();
  *end++ = static_cast<char>(static_cast<unsigned>(which) * 2 + from.is_v4());
  end += address.copy(end, address.size());
  end += client.copy(end, static_cast<std::size_t>(text.data() + text.size() - end));
  return keyed_hash_of({text.data(), static_cast<std::size_t>(end - text.data())}) | 1; // 0 is nobody's
}

status rate_limiter::charge(bucket which, const principal& caller, std::int64_t now, charge_weight weight) noexcept {
  if (policy(which).interval_ns == 0)
    return {};
  std::array<char, 2 + sizeof caller.profile.value> text;
  text[0] = static_cast<char>(0x80 | static_cast<unsigned>(which)); // no address begins so
  text[1] = static_cast<char>(caller.by);
  std::memcpy(text.data() + 2, &caller.profile.value, sizeof caller.profile.value);
  return charge(which, keyed_hash_of({text.data(), text.size()}) | 1, now, weight);
}

status rate_limiter::charge(bucket which, std::string_view client, const client_address& from, std::int64_t now,
                            charge_weight weight) noexcept {
  return policy(which).interval_ns == 0 ? status{} : charge(which, tag_of(which, client, from), now, weight);
}

/// The address is looked at first: past its bound no name of it needs an entry in the table.
status rate_limiter::charge_named(bucket which, std::string_view client, const client_address& from, std::int64_t now,
                                  charge_weight weight) noexcept {
  if (const auto before = look(bucket::address, from, now, weight); !before.admitted && !weight.owed)
    return before;
  const auto own = charge(which, client, from, now, weight);
  if (!own.admitted && !weight.owed)
    return own;
  const auto all = charge(bucket::address, {}, from, now, weight);
  const bool tighter = all.of && (!all.admitted || !own.of || all.left < own.left);
  return tighter ? all : own;
}

status rate_limiter::charge_anonymous(const client_address& from, std::int64_t now, charge_weight weight) noexcept {
  if (const auto before = look(bucket::address, from, now, weight); !before.admitted)
    return before;
  const auto& shared = policy(bucket::anonymous);
  return shared.interval_ns == 0 ? status{} : take(anonymous_full_at_, shared, now, weight);
}

status rate_limiter::charge_refused(const client_address& from, std::int64_t now) noexcept {
  const auto out = charge(bucket::credentials, std::string_view{}, from, now);
  if (out.of) {
    const auto until = now + out.of->window_ns;
    auto seen = refusals_until_.load(std::memory_order_relaxed);
    while (seen < until && !refusals_until_.compare_exchange_weak(seen, until, std::memory_order_relaxed)) {
    }
  }
  return out;
}

bool rate_limiter::may_try_credentials(const client_address& from, std::int64_t now) const noexcept {
  return refusals_until_.load(std::memory_order_relaxed) <= now || look(bucket::credentials, from, now, 1).admitted;
}

status rate_limiter::look(bucket which, const client_address& from, std::int64_t now,
                          charge_weight weight) const noexcept {
  const auto& rule = policy(which);
  if (rule.interval_ns == 0)
    return {};
  const auto tag = tag_of(which, {}, from);
  const auto& here = sets_[tag >> 1 & mask_];
  for (std::size_t i = 0; i < ways; ++i)
    if (here.tags[i].load(std::memory_order_acquire) == tag)
      return standing_at(here.full_at[i].load(std::memory_order_relaxed), rule, now, weight);
  return standing_at(now, rule, now, weight);
}

status rate_limiter::charge(bucket which, std::uint64_t tag, std::int64_t now, charge_weight weight) noexcept {
  return take(entry_of(tag, now), policy(which), now, weight);
}

/// The caller's entry, or one that becomes its own. Threads that look for the same new
/// caller choose the same entry, so that one of them makes it and the others find it. Who
/// loses an entry between finding and charging it charges its successor by one request.
std::atomic<std::int64_t>& rate_limiter::entry_of(std::uint64_t tag, std::int64_t now) noexcept {
  auto& here = sets_[tag >> 1 & mask_];
  for (;;) {
    for (std::size_t i = 0; i < ways; ++i)
      if (here.tags[i].load(std::memory_order_acquire) == tag)
        return here.full_at[i];
    std::size_t chosen = 0;
    auto earliest = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < ways && earliest > now; ++i)
      if (const auto at = here.full_at[i].load(std::memory_order_relaxed); at < earliest) {
        chosen = i;
        earliest = at;
      }
    auto owner = here.tags[chosen].load(std::memory_order_acquire);
    if (owner == tag)
      return here.full_at[chosen];
    // Emptied first: its new owner must not find the debts of the old one.
    if (earliest > now && !here.full_at[chosen].compare_exchange_strong(earliest, now, std::memory_order_relaxed))
      continue;
    if (here.tags[chosen].compare_exchange_strong(owner, tag, std::memory_order_acq_rel))
      return here.full_at[chosen];
  }
}

} // namespace credence::http
