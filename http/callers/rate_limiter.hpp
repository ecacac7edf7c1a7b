#pragma once

#include "config/settings.hpp"
#include "http/call/principal.hpp"
#include "http/call/route.hpp"
#include "http/callers/client_address.hpp"
#include "ops/metrics.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace credence::http {

/// What requests are counted against. The first four are classes of routes, of which
/// every caller has its own bucket; the last is of an address.
enum class bucket : std::uint8_t { read, write, wallet, admin, anonymous, credentials, address };
inline constexpr auto bucket_names = ops::rate_bucket_names;

/// The class of a route: as the table says, else by who may call and by its verb.
bucket bucket_of(const route& route) noexcept;

/// One kind of bucket: the Generic Cell Rate Algorithm (ITU-T I.371, annex A). A request
/// takes `interval`; a caller may be ahead of the clock by `window` at most.
struct rate_policy {
  bucket which{};
  std::int64_t interval_ns = 0; // 0: no bound
  std::int64_t window_ns = 0;   // interval times burst
  /// Beginning of the fields that tell callers, up to the number of requests left
  /// (draft-ietf-httpapi-ratelimit-headers-10).
  std::string head;
};

/// What a request has come to.
struct status {
  const rate_policy* of = nullptr; // null where there is no bound
  bool admitted = true;
  std::int64_t left = 0;     // requests that would be admitted now
  std::int64_t full_in = 0;  // seconds until all are left again
  std::int64_t retry_in = 0; // seconds until one is admitted, when this one is not; 1 at least
};

/// How many requests one counts for, no more than the bucket holds.
struct charge_weight {
  constexpr charge_weight(std::int64_t count = 1, bool done = false) noexcept : requests(count), owed(done) {}
  std::int64_t requests;
  bool owed; // it has been served: what is left is taken where that is not enough
};

/// Bounds how often each caller may ask. For all threads at once, without a lock: a table
/// of a fixed size holds for each caller the time at which its bucket is full again, an
/// entry where that is past is as good as empty and goes to whoever needs one. With every
/// entry of a set in use, the one that would be full first starts afresh as another's.
///
/// `now` is nanoseconds of a clock that is steady.
class rate_limiter {
public:
  static constexpr std::size_t entries_default = 1u << 16; // 1 MiB

  /// `entries` is rounded up to a power of two.
  explicit rate_limiter(const settings::http& with, std::size_t entries = entries_default);

  /// A caller whose credential was good.
  status charge(bucket which, const principal& caller, std::int64_t now, charge_weight weight = {}) noexcept;
  /// One that is known by a name, and by its address. Either may be empty.
  status charge(bucket which, std::string_view client, const client_address& from, std::int64_t now,
                charge_weight weight = {}) noexcept;
  /// One that gives itself a name: besides, all names of its address together are bounded, as names
  /// cost nothing. Tells of the bucket that has less left.
  status charge_named(bucket which, std::string_view client, const client_address& from, std::int64_t now,
                      charge_weight weight = {}) noexcept;
  /// Everybody else shares one bucket, while that of their address is not empty.
  status charge_anonymous(const client_address& from, std::int64_t now, charge_weight weight = {}) noexcept;
  /// A request whose credential was refused.
  status charge_refused(const client_address& from, std::int64_t now) noexcept;

  /// False when so many credentials from there were refused lately that no more are to be
  /// looked at; then `charge_refused` says how long. Costs next to nothing while nobody's are.
  bool may_try_credentials(const client_address& from, std::int64_t now) const noexcept;

private:
  static constexpr std::size_t ways = 4; // a set is one cache line
  struct alignas(64) set {
    std::array<std::atomic<std::uint64_t>, ways> tags{};
    std::array<std::atomic<std::int64_t>, ways> full_at{};
  };

  /// How the address stands, without taking anything from its bucket.
  status look(bucket which, const client_address& from, std::int64_t now, charge_weight weight) const noexcept;
  const rate_policy& policy(bucket which) const noexcept { return policies_[static_cast<std::size_t>(which)]; }
  std::uint64_t tag_of(bucket which, std::string_view client, const client_address& from) const noexcept;
  std::atomic<std::int64_t>& entry_of(std::uint64_t tag, std::int64_t now) noexcept;
  status charge(bucket which, std::uint64_t tag, std::int64_t now, charge_weight weight) noexcept;

  std::array<rate_policy, bucket_names.size()> policies_;
  std::size_t mask_;
  std::unique_ptr<set[]> sets_;
  alignas(64) std::atomic<std::int64_t> anonymous_full_at_{0};
  alignas(64) std::atomic<std::int64_t> refusals_until_{0}; // later than of any address
};

} // namespace credence::http
