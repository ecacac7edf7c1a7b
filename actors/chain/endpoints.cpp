#include "actors/chain/endpoints.hpp"

#include "actors/chain/log_checks.hpp"

#include <algorithm>
#include <vector>

namespace credence::chain {

canary canary_of(chain_node& node, const follow_settings& how) {
  std::vector<address> ours;
  for (const auto& [where, kind] : how.contracts)
    ours.push_back(where);
  try {
    const auto found = node.logs_in({how.start_block, how.start_block}, ours);
    if (!found.last)
      return canary::absent;
    const auto& bloom = found.last->bloom;
    const bool has_logs = std::any_of(bloom.begin(), bloom.end(), [](std::byte each) { return each != std::byte{}; });
    const bool has_ours = std::any_of(found.logs.begin(), found.logs.end(),
                                      [&](const chain_log& each) { return how.contracts.contains(each.from); });
    return !has_ours && has_logs && !bloom_watch{ours}.rules_out(bloom) ? canary::silent : canary::answers;
  } catch (const range_too_large&) {
    return canary::answers; // so many that they do not fit
  }
}

namespace {

using namespace std::chrono_literals;

constexpr std::chrono::milliseconds first_pause = 125ms;
constexpr int endpoints_doublings_max = 6; // 8 s
constexpr std::chrono::seconds pause_max = 15min;

} // namespace

endpoints::endpoints(const node_list& nodes, std::uint64_t range_max) {
  for (const auto& each : nodes) {
    all_.emplace_back(range_max);
    all_.back().node = each;
  }
}

std::optional<std::size_t> endpoints::next(steady_time now, std::size_t from) const {
  for (auto i = from; i < all_.size(); ++i)
    if (!all_[i].wrong && all_[i].not_before <= now)
      return i;
  return std::nullopt;
}

std::size_t endpoints::wrong() const noexcept {
  return static_cast<std::size_t>(
    std::count_if(all_.begin(), all_.end(), [](const endpoint& each) { return each.wrong; }));
}

std::size_t endpoints::without_past() const noexcept {
  return static_cast<std::size_t>(
    std::count_if(all_.begin(), all_.end(), [](const endpoint& each) { return each.past == false; }));
}

std::optional<std::chrono::milliseconds> endpoints::pause(steady_time now) const {
  std::optional<std::chrono::milliseconds> out;
  for (const auto& each : all_)
    if (!each.wrong) {
      const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(std::max(each.not_before - now, steady_clock::duration::zero()));
      out = out ? std::min(*out, left) : left;
    }
  return out;
}

void endpoints::succeeded(std::size_t which) {
  all_[which].failures = 0;
  all_[which].not_before = {};
}

void endpoints::failed(std::size_t which, steady_time now) {
  auto& one = all_[which];
  one.not_before = now + first_pause * (1 << std::min(one.failures, endpoints_doublings_max));
  ++one.failures;
}

void endpoints::told_to_pause(std::size_t which, std::chrono::seconds length, steady_time now) {
  ++all_[which].failures;
  all_[which].not_before = now + (length > 0s ? std::min(length, pause_max) : 1s);
}

} // namespace credence::chain
