#include "ops/client_counts.hpp"

#include <deque>
#include <memory>
#include <mutex>

namespace credence::ops {

namespace {

/// Added at start and never gone; a deque keeps references valid.
struct deprecated_routes {
  std::mutex guard;
  std::deque<deprecated_route> all;
};
deprecated_routes& the_deprecated_routes() {
  static deprecated_routes list;
  return list;
}

} // namespace

client_counts::~client_counts() {
  for (auto& each : clients_)
    delete each.load();
}

void client_counts::add(std::string_view client) {
  const auto name = client.substr(0, client.find('@'));
  (name.empty() ? none_ : of(name)).add();
}

counter& client_counts::of(std::string_view name) {
  for (auto& each : clients_) {
    auto* known = each.load(std::memory_order_acquire);
    if (!known) {
      auto fresh = std::make_unique<named>();
      fresh->name = name;
      if (each.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
        return fresh.release()->count;
    }
    if (known->name == name)
      return known->count;
  }
  return other_;
}

void client_counts::each(const std::function<void(const std::string& client, std::int64_t count)>& take) const {
  for (const auto& each : clients_)
    if (const auto* known = each.load(std::memory_order_acquire))
      take(known->name, known->count.value());
  for (const auto& [name, count] : {std::pair{"none", &none_}, std::pair{"other", &other_}})
    if (const auto value = count->value(); value > 0)
      take(name, value);
}

deprecated_route& add_deprecated_route(std::string_view route) {
  auto& list = the_deprecated_routes();
  const std::lock_guard lock{list.guard};
  for (auto& each : list.all)
    if (each.route == route)
      return each;
  auto& fresh = list.all.emplace_back();
  fresh.route = route;
  return fresh;
}

void each_deprecated_route(const std::function<void(const deprecated_route&)>& take) {
  auto& list = the_deprecated_routes();
  const std::lock_guard lock{list.guard};
  for (const auto& each : list.all)
    take(each);
}

} // namespace credence::ops
