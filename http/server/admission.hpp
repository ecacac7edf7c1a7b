#pragma once

#include "actors/kernel/write_context.hpp"
#include "http/call/identity.hpp"
#include "http/call/request_head.hpp"
#include "http/callers/rate_limiter.hpp"
#include "http/callers/token_authenticator.hpp"
#include "http/server/bounds.hpp"
#include "http/server/request.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace credence::http {

/// What requests are let in by, besides themselves.
struct admission_rules {
  rate_limiter& limits;                    // of all threads
  const address_ranges& trusted_proxies;   // may say for whom they speak
  std::string_view access_cookie;          // the name of a session's
  authenticator* who;                      // of the thread; null: no credential is good
  line_bound& refusals_logged;             // of the thread
  const partner_rules* partners = nullptr; // null: there are none
};

/// Who asks one thing after the other uses 250 requests a second by it at most: that is hardly ever refused.
inline constexpr std::chrono::milliseconds database_time_per_request{4};
/// As large as a page of rows that counts as one request hardly ever is.
inline constexpr std::int64_t answer_bytes_per_request = 64 * 1024;

/// Says of the requests of one connection, one after the other, who calls and whether that is
/// within their limits. Every request is counted first (`count`); when it leads to a route, `admit`
/// decides. What it cannot tell by itself is a question to an actor: whoever puts it passes the
/// answer on, and hears the decision then. It waits for nobody and answers nobody.
class admission {
public:
  /// The handler may run.
  struct admitted {};
  struct refused {
    refusal why;
    std::string_view challenge; // a header field that goes with it, if any
  };
  /// There have been too many requests: 429.
  struct too_many {
    std::string message;
    std::uint32_t retry_after_s = 0;
  };
  using verdict = std::variant<admitted, refused, too_many, profile::check_credential, people::find_people>;

  /// `head` is that of the request which is looked at; both outlive this object.
  admission(const admission_rules& rules, const request_head& head, const client_address& peer)
    : rules_(rules), head_(head), peer_(peer) {}

  /// Forgets the last request. `at` is when this one was there as a whole.
  void begin(steady_time at, std::string_view request_id);

  /// Sets the route before the credential is read, where it is open to pages of partners: which credentials count
  /// depends on it. `page_allowed`: the request is from a page of an allowed origin.
  void leads_to(const route& to, bool page_allowed) noexcept {
    to_ = &to;
    page_allowed_ = page_allowed;
  }

  /// Looks at the credential that came along and takes the request from a bucket of its caller's,
  /// or of `which` as nobody's in particular. Set when there have been too many.
  std::optional<too_many> count(bucket which);
  /// Takes the request from the bucket `which` of a person by name, wherever they are. Set when there have been too
  /// many.
  std::optional<too_many> count_person(bucket which, std::string_view name);
  /// Counts an invalid console session against the limit of its address. Other credentials from there are still looked
  /// at. Set when there have been too many.
  std::optional<too_many> count_refused_session();
  /// Takes as much more from the same bucket.
  std::optional<too_many> count_more(std::int64_t weight);

  /// Whether the route's handler may run. `page_allowed`: a page of an allowed origin asks.
  verdict admit(const route& to, bool page_allowed);
  /// The owner of the credential has said that it holds.
  verdict owner_said(std::shared_ptr<profile::credential_slot> slot);
  /// The signature was ours, the credential is not good any more.
  verdict owner_denied(const refusal& why);
  /// Whom a provider's token names has been looked up.
  verdict profile_found(const people::found_person& found);
  /// Why the caller, who is known, may not do this; nothing when they may.
  std::optional<refusal> forbidden() const;

  /// Takes from the caller's bucket, or from that of the address, as many more requests as the work for this one stands
  /// for: one for each `database_time_per_request` that the database took, and one for each `answer_bytes_per_request`
  /// of the answer, unless those were paid for by what was asked for (`count_more`). It cannot be refused any more, so
  /// the bucket is emptied at most.
  void charge_work(std::chrono::nanoseconds database_took, std::size_t answer_bytes);
  /// Whose share of what is served in turn the request takes: of its caller, or of the address it comes from.
  asker asks_as() const;

  /// Who calls, as far as it is known by now.
  const std::optional<principal>& caller() const noexcept { return caller_; }
  /// Whether a credential came along, good or not.
  bool credential_came() const noexcept { return credential_came_; }
  /// The id of the key that was shown, when this is its first use in a minute: to be noted, once.
  std::optional<std::string> take_used_key() { return std::exchange(used_key_, std::nullopt); }
  /// The client's address: by the header of a trusted proxy, else the peer's.
  client_address client() const;
  /// The same for the audit.
  std::shared_ptr<const request_origin> origin() const;
  /// Appends how the caller's bucket stands, as a header field.
  void append_standing(std::string& head) const;

private:
  struct credential {
    credential_kind by{};
    std::string_view text; // empty: malformed
  };
  std::optional<credential> credential_shown() const;
  std::optional<credential> partner_shown() const;
  bool for_partners() const noexcept { return to_ && to_->partners == partner_use::act; }
  /// The origin of the partner whose page asks; empty where none does.
  std::string_view partner_page() const noexcept;
  std::optional<refused> denied_to_page() const;
  void identify();
  bool may_show(const principal& who) const;
  void count_refused(const credential& shown, const refusal& why);
  std::optional<too_many> charge(std::int64_t weight);
  std::optional<too_many> told(std::int64_t weight) const;
  status take_from_bucket(std::int64_t now, charge_weight weight);
  std::optional<refused> denied() const;
  verdict decided() const;

  const admission_rules rules_;
  const request_head& head_;
  const client_address peer_;
  std::string_view request_id_;
  steady_time at_{};
  bucket which_ = bucket::read;
  const route* to_ = nullptr;
  bool page_allowed_ = false;
  std::optional<principal> caller_;
  std::optional<refusal> credential_refused_;         // of the one that came along
  std::optional<profile::check_credential> to_check_; // the credential's owner has not been asked yet
  std::optional<outsider> unknown_;                   // a provider's token came along, without a profile so far
  std::optional<std::string> used_key_;
  status standing_;
  std::int64_t paid_more_ = 0; // requests besides the first, for what is asked for
  bool credential_came_ = false;
  bool unchecked_ = false;    // nobody has said yet whether the credential still holds
  bool session_over_ = false; // a cookie came along that does not hold
};

} // namespace credence::http
