#include "actors/chain/events.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace credence::chain {

namespace detail {

namespace {

digest32 only_word(const std::string& text) {
  digest32 out{};
  const auto bytes = std::as_bytes(std::span{text});
  std::copy_n(bytes.begin(), std::min(bytes.size(), out.size()), out.begin());
  return out;
}

} // namespace

std::string signature(std::string_view name, event_inputs_view inputs) {
  std::string out{name};
  char before = '(';
  for (const auto& each : inputs) {
    out += before;
    each.type->append_type(out);
    before = ',';
  }
  return out += ')'; // every event has an input
}

std::optional<decode_error> read_event(event_inputs_view inputs, std::span<const digest32> topics,
                                       std::span<const std::byte> data, void* to) {
  const auto indexed = static_cast<std::size_t>(
    std::count_if(inputs.begin(), inputs.end(), [](const event_input& each) { return each.indexed; }));
  if (topics.size() != 1 + indexed)
    return decode_error::bad_topics;
  if (data.size() > log_data_bytes_max)
    return decode_error::too_long;
  decoding shared;
  word_reader values{data, shared};
  std::size_t topic = 1;
  for (const auto& each : inputs) {
    auto* const member = const_cast<void*>(each.in(to));
    if (each.indexed) {
      word_reader one{topics[topic++], shared};
      each.type->read(one, member);
    } else
      each.type->read(values, member);
  }
  return shared.error();
}

log_content write_event(event_inputs_view inputs, const digest32& topic, const void* data) {
  log_content out;
  out.topics.push_back(topic);
  std::size_t heads = 0;
  for (const auto& each : inputs)
    heads += each.indexed ? 0 : each.type->head_bytes;
  tuple_writer values{heads};
  for (const auto& each : inputs) {
    if (!each.indexed) {
      each.type->add(values, each.in(data));
      continue;
    }
    std::string word;
    each.type->append_topic(word, each.in(data));
    out.topics.push_back(only_word(word));
  }
  const auto text = values.bytes();
  const auto bytes = std::as_bytes(std::span{text});
  out.data.assign(bytes.begin(), bytes.end());
  return out;
}

std::string event_json(std::string_view name, event_inputs_view inputs, const void* data) {
  std::string out = "{\"eventName\":";
  append_json_text(out, name);
  out += ",\"args\":";
  char before = '{';
  for (const auto& each : inputs) {
    out += before;
    append_json_text(out, each.name);
    out += ':';
    each.type->append_json(out, each.in(data));
    before = ',';
  }
  return out += "}}";
}

} // namespace detail

namespace {

using decoder = decoded_log (*)(std::span<const digest32>, std::span<const std::byte>);

template <class E>
decoded_log decode_as(std::span<const digest32> topics, std::span<const std::byte> data) {
  auto found = decode_event<E>(topics, data);
  if (!found)
    return undecodable{E::is.text, found.why()};
  return event{*std::move(found)};
}

template <class Visit, class... E>
void for_each_kind(Visit visit, types<E...>) {
  (visit.template operator()<E>(), ...);
}

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
    for_each_kind([&]<class E>() { out.push_back({topic_of<E>(), E::is.contract, &decode_as<E>}); }, event_kinds{});
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
event_fate failed_refused(std::string_view constraint) {
  return {event_status::failed, "refused:" + std::string{constraint}};
}

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
  return visit([](const auto& each) { return encode_event(each); }, entry);
}

std::string_view name_of(const event& entry) {
  return visit([]<class E>(const E&) { return E::is.text; }, entry);
}

std::string log_data(const event& entry) {
  return visit([]<class E>(const E& each) { return detail::event_json(E::is.text, detail::event_inputs<E>, &each); },
               entry);
}

std::span<const event_info> known_events() {
  static const auto all = [] {
    std::vector<event_info> out;
    for_each_kind(
      [&]<class E>() {
        out.push_back({E::is.contract, E::is.text, signature_of<E>(), topic_of<E>()});
      },
      event_kinds{});
    return out;
  }();
  return all;
}

} // namespace credence::chain
