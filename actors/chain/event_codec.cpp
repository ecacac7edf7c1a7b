#include "actors/chain/event_codec.hpp"

#include <algorithm>

namespace credence::chain::detail {

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

} // namespace credence::chain::detail
