#pragma once

#include "actors/domain/time.hpp"
#include "auth/provider_token.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace credence::http {

/// When the keys of a provider are read: now and then; soon after a failure; and at once when
/// a token names a key that is not there, though strangers who make up names bring that
/// about only so often.
class key_schedule {
public:
  static constexpr std::chrono::minutes regularly{10};
  static constexpr std::chrono::seconds after_failure{30};
  static constexpr std::chrono::seconds between_asked{30};

  /// When to read next; `on_demand`: somebody needs a key that is not there.
  steady_time due(bool on_demand) const noexcept;
  /// A reading begins.
  void begin(steady_time now, bool on_demand) noexcept;
  /// It has ended.
  void end(steady_time now, bool good) noexcept;

private:
  steady_time due_ = steady_time::min();
  steady_time asked_due_ = steady_time::min();
};

/// The keys of an identity provider, read by a thread of its own. Everybody else takes the set
/// that was read last, which never changes; when a reading fails it stays.
class provider_keys {
public:
  /// Brings the set as text, or throws. It must come back soon after `given_up` is true.
  using reader = std::function<std::string(const std::atomic<bool>& given_up)>;

  /// Begins to read at once.
  explicit provider_keys(reader read);
  provider_keys(const provider_keys&) = delete;
  provider_keys& operator=(const provider_keys&) = delete;
  ~provider_keys();

  /// The keys; an empty set until some were read.
  std::shared_ptr<const auth::jwk_set> current() const { return current_.load(std::memory_order_acquire); }
  /// Whether the first reading has ended, well or not.
  bool tried() const noexcept { return tried_.load(std::memory_order_acquire); }
  /// A token names a key that is not there. From any thread; does not wait.
  void refresh();

private:
  void run();
  bool wait_until_due();
  void read_once();
  void publish(const std::string& text);

  reader read_;
  key_schedule schedule_;           // of the thread
  std::optional<std::string> text_; // that was read last; of the thread
  std::atomic<std::shared_ptr<const auth::jwk_set>> current_;
  std::atomic<bool> tried_{false};
  std::atomic<bool> asked_{false};
  std::atomic<bool> stopping_{false};
  std::mutex guard_; // of the waiting alone
  std::condition_variable changed_;
  std::thread thread_;
};

/// How to read what `auth.provider.jwks` names: a file, or what a server answers to one GET (5 s,
/// `jwk_set::bytes_max` bytes, status 200, no redirects).
provider_keys::reader reader_of(const std::string& jwks);

} // namespace credence::http
