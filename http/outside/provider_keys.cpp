#include "http/outside/provider_keys.hpp"

#include "http/outside/client.hpp"
#include "http/outside/outside_url.hpp"
#include "ops/log.hpp"
#include "ops/metrics.hpp"

#include <algorithm>
#include <ctime>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace credence::http {

namespace {

constexpr std::chrono::seconds answer_timeout{5};

std::string read_file(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  std::string text(auth::jwk_set::bytes_max + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (!in.eof() && in.fail()))
    throw std::runtime_error(path + " cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string read_url(const std::string& url, const std::atomic<bool>& given_up) {
  client asking{{.timeout = answer_timeout,
                 .body_bytes_max = auth::jwk_set::bytes_max,
                 .by_proxy = url.starts_with("https://"),
                 .given_up = &given_up}};
  auto answer = asking.get(url);
  if (answer.status != 200)
    throw std::runtime_error(url + " answered " + std::to_string(answer.status) + ", not 200");
  return std::move(answer.body);
}

} // namespace

// -- when ----------------------------------------------------------------------------------

steady_time key_schedule::due(bool on_demand) const noexcept { return on_demand ? std::min(due_, asked_due_) : due_; }

void key_schedule::begin(steady_time now, bool on_demand) noexcept {
  if (on_demand)
    asked_due_ = now + between_asked;
}

void key_schedule::end(steady_time now, bool good) noexcept {
  due_ = now + (good ? std::chrono::seconds{regularly} : after_failure);
}

// -- the keys ------------------------------------------------------------------------------

provider_keys::provider_keys(reader read)
  : read_(std::move(read)), current_(std::make_shared<const auth::jwk_set>()), thread_([this] { run(); }) {}

provider_keys::~provider_keys() {
  {
    const std::lock_guard lock{guard_};
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void provider_keys::refresh() {
  ops::the_metrics().provider.unknown_keys.add();
  if (asked_.load(std::memory_order_relaxed) || asked_.exchange(true))
    return;                           // the thread knows
  const std::lock_guard lock{guard_}; // it looks, or waits
  changed_.notify_one();
}

void provider_keys::run() {
  while (wait_until_due())
    read_once();
}

/// False when it is time to end.
bool provider_keys::wait_until_due() {
  std::unique_lock lock{guard_};
  for (;;) {
    if (stopping_)
      return false;
    const auto due = schedule_.due(asked_);
    if (due <= steady_clock::now())
      return true;
    changed_.wait_until(lock, due);
  }
}

void provider_keys::read_once() {
  auto& metrics = ops::the_metrics().provider;
  schedule_.begin(steady_clock::now(), asked_.exchange(false));
  bool good = true;
  try {
    publish(read_(stopping_));
    metrics.read_at.set(std::time(nullptr));
  } catch (const std::exception& error) {
    good = false;
    metrics.failures.add();
    if (!stopping_)
      ops::log(ops::level::warn, "provider_keys_not_read", {{"error", error.what()}, {"keys_kept", current()->size()}});
  }
  metrics.reads.add();
  schedule_.end(steady_clock::now(), good);
  tried_.store(true, std::memory_order_release);
}

void provider_keys::publish(const std::string& text) {
  if (text == text_)
    return;
  auto fresh = std::make_shared<const auth::jwk_set>(text);
  ops::the_metrics().provider.keys.set(static_cast<std::int64_t>(fresh->size()));
  ops::log(fresh->size() > 0 ? ops::level::info : ops::level::warn, "provider_keys",
           {{"keys", fresh->size()}, {"left_out", fresh->skipped()}});
  current_.store(std::move(fresh), std::memory_order_release);
  text_ = text;
}

provider_keys::reader reader_of(const std::string& jwks) {
  if (is_url(jwks))
    return [jwks](const std::atomic<bool>& given_up) { return read_url(jwks, given_up); };
  return [jwks](const std::atomic<bool>&) { return read_file(jwks); };
}

} // namespace credence::http
