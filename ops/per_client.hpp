#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace credence::ops {

/// Figures per client, by the name that clients give themselves. The names are anybody's, so only the first `Most` have
/// figures of their own. No lock: a name comes once and stays.
template <class Figures, std::size_t Most>
class per_client {
public:
  static constexpr std::size_t clients_max = Most;

  per_client() = default;
  ~per_client() {
    for (auto& each : clients_)
      delete each.load();
  }
  per_client(const per_client&) = delete;
  per_client& operator=(const per_client&) = delete;

  /// Those of a client; `client` as X-Service-Client has it: the name counts, up to an `@`. Empty: those of `none`.
  Figures& of(std::string_view client) {
    const auto name = client.substr(0, client.find('@'));
    if (name.empty())
      return none_;
    for (auto& each : clients_) {
      auto* known = each.load(std::memory_order_acquire);
      if (!known) {
        auto fresh = std::make_unique<named>();
        fresh->name = name;
        if (each.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
          return fresh.release()->figures;
      }
      if (known->name == name)
        return known->figures;
    }
    return other_;
  }

  /// `take(name, figures)` for every client, then for `none` and `other`.
  template <class Take>
  void each(Take take) const {
    for (const auto& each : clients_)
      if (const auto* known = each.load(std::memory_order_acquire))
        take(std::string_view{known->name}, known->figures);
    take(std::string_view{"none"}, none_);
    take(std::string_view{"other"}, other_);
  }

private:
  struct named {
    std::string name;
    Figures figures;
  };

  std::array<std::atomic<named*>, Most> clients_{};
  Figures none_;
  Figures other_;
};

} // namespace credence::ops
