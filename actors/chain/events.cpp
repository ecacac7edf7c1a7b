#include "actors/chain/events.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace credence::chain {

namespace {

using decoder = decoded_log (*)(std::span<const digest32>, std::span<const std::byte>);

template <std::size_t I>
decoded_log decode_as(std::span<const digest32> topics, std::span<const std::byte> data) {
  using E = std::variant_alternative_t<I, event>;
  auto found = decode_event<E>(topics, data);
  if (!found)
    return undecodable{E::is.text, found.why()};
  return decoded_log{std::in_place_index<0>, std::in_place_index<I>, *std::move(found)}; // by number: by type is slow to compile
}

template <class Visit, std::size_t... I>
void for_each_kind(Visit visit, std::index_sequence<I...>) {
  (visit.template operator()<std::variant_alternative_t<I, event>, I>(), ...);
}
using all_kinds = std::make_index_sequence<std::variant_size_v<event>>;

struct entry {
  digest32 topic;
  contract_kind contract;
  decoder decode;
};
bool before(const entry& a, const entry& b) { return std::tie(a.topic, a.contract) < std::tie(b.topic, b.contract); }

/// Sorted, for look-ups.
const std::vector<entry>& table() {
  static const auto sorted = [] {
    std::vector<entry> out;
    for_each_kind([&]<class E, std::size_t I>() { out.push_back({topic_of<E>(), E::is.contract, &decode_as<I>}); }, all_kinds{});
    std::sort(out.begin(), out.end(), before);
    return out;
  }();
  return sorted;
}

decoder decoder_of(contract_kind from, const digest32& topic) {
  const auto& sorted = table();
  const entry wanted{topic, from, nullptr};
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), wanted, before);
  return at != sorted.end() && at->topic == topic && at->contract == from ? at->decode : nullptr;
}

} // namespace

event_fate failed(decode_error why) { return {event_status::failed, std::string{name_of(why)}}; }
event_fate failed_missing(std::string_view kind) { return {event_status::failed, "missing_" + std::string{kind}}; }
event_fate failed_duplicate() { return {event_status::failed, "duplicate"}; }
event_fate failed_refused(std::string_view constraint) { return {event_status::failed, "refused:" + std::string{constraint}}; }

decoded_log decode_log(contract_kind from, std::span<const digest32> topics, std::span<const std::byte> data) {
  if (topics.empty())
    return unknown_topic{};
  auto decode = decoder_of(from, topics.front());
  if (!decode)
    decode = decoder_of(contract_kind::any, topics.front());
  return decode ? decode(topics, data) : unknown_topic{};
}

event_fate fate_of(const decoded_log& log) {
  if (const auto* broken = std::get_if<undecodable>(&log))
    return failed(broken->why);
  if (std::holds_alternative<unknown_topic>(log))
    return {event_status::ignored, "unknown_topic"};
  return {};
}

log_content encode_log(const event& entry) {
  return std::visit([](const auto& each) { return encode_event(each); }, entry);
}

std::string_view name_of(const event& entry) {
  return std::visit([]<class E>(const E&) { return E::is.text; }, entry);
}

std::string log_data(const event& entry) {
  return std::visit([]<class E>(const E& each) { return detail::event_json(E::is.text, detail::event_inputs<E>, &each); }, entry);
}

std::span<const event_info> known_events() {
  static const auto all = [] {
    std::vector<event_info> out;
    for_each_kind([&]<class E, std::size_t>() { out.push_back({E::is.contract, E::is.text, signature_of<E>(), topic_of<E>()}); }, all_kinds{});
    return out;
  }();
  return all;
}

} // namespace credence::chain
