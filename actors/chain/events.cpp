#include "actors/chain/events.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <utility>

namespace credence::chain {

namespace {

/// What is done with a value whose type only its event knows. One set of functions for each type, not for each event.
struct type_functions {
  void (*append_type)(std::string& to);
  void (*read)(word_reader& in, void* to);
  void (*add)(detail::tuple_writer& to, const void* data);
  void (*append_topic)(std::string& to, const void* data);
  void (*append_json)(std::string& to, const void* data);
  std::size_t head_bytes;
};
template <class T>
inline constexpr type_functions functions_of{
  &solidity<T>::append_type,
  [](word_reader& in, void* to) { *static_cast<T*>(to) = detail::read_in_place<T>(in); },
  [](detail::tuple_writer& to, const void* data) { to.add(*static_cast<const T*>(data)); },
  [](std::string& to, const void* data) { solidity<T>::append(to, *static_cast<const T*>(data)); },
  [](std::string& to, const void* data) { solidity<T>::append_json(to, *static_cast<const T*>(data)); },
  detail::head_bytes<T>(),
};

/// An input of some event.
struct event_input {
  std::string_view name;
  bool indexed;
  const void* (*in)(const void* event); // where it is in the event
  const type_functions* type;
};
template <class E, class T>
constexpr const type_functions* functions_for(const input<E, T>&) {
  return &functions_of<T>;
}
template <class E, std::size_t I>
constexpr event_input event_input_of() {
  constexpr auto from = E::inputs().template at<I>();
  static_assert(!(from.indexed && detail::dynamic_input(from)),
                "a topic holds one word: of a text its hash, so declare a text_hash");
  return {from.name, from.indexed,
          [](const void* data) -> const void* {
            return &(static_cast<const E*>(data)->*E::inputs().template at<I>().member);
          },
          functions_for(from)};
}
template <class E>
inline constexpr auto event_inputs = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<event_input, sizeof...(I)>{event_input_of<E, I>()...};
}
(std::make_index_sequence<decltype(E::inputs())::size>{});

using event_inputs_view = std::span<const event_input>;

digest32 only_word(const std::string& text) {
  digest32 out{};
  const auto bytes = std::as_bytes(std::span{text});
  std::copy_n(bytes.begin(), std::min(bytes.size(), out.size()), out.begin());
  return out;
}

/// `ProfileCreated(uint256,address)`.
std::string signature_of(std::string_view name, event_inputs_view inputs) {
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
  detail::tuple_writer values{heads};
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

/// `{"eventName":…,"args":{…}}`.
std::string event_json(std::string_view name, event_inputs_view inputs, const void* data) {
  std::string out = "{\"eventName\":";
  detail::append_json_text(out, name);
  out += ",\"args\":";
  char before = '{';
  for (const auto& each : inputs) {
    out += before;
    detail::append_json_text(out, each.name);
    out += ':';
    each.type->append_json(out, each.in(data));
    before = ',';
  }
  return out += "}}";
}

/// What the declaration of an event says, in the order of `event`.
struct declared_event {
  contract_kind contract;
  std::string_view name;
  event_inputs_view inputs;
  event (*empty)(); // one of the kind
};

template <class... E>
constexpr std::array<declared_event, sizeof...(E)> declared(types<E...>) {
  return {declared_event{E::is.contract, E::is.text, event_inputs<E>, [] { return event{E{}}; }}...};
}
constexpr auto declarations = declared(event_kinds{});

/// Places in `declarations`, sorted by topic and contract.
const std::vector<std::size_t>& by_topic() {
  static const auto sorted = [] {
    std::vector<std::size_t> out(declarations.size());
    std::iota(out.begin(), out.end(), std::size_t{0});
    std::sort(out.begin(), out.end(), [all = known_events()](std::size_t a, std::size_t b) {
      return std::tie(all[a].topic, all[a].contract) < std::tie(all[b].topic, all[b].contract);
    });
    return out;
  }();
  return sorted;
}

const declared_event* find_declared(contract_kind from, const digest32& topic) {
  const auto all = known_events();
  const auto& sorted = by_topic();
  const auto at =
    std::lower_bound(sorted.begin(), sorted.end(), std::tie(topic, from), [&](std::size_t each, const auto& wanted) {
      return std::tie(all[each].topic, all[each].contract) < wanted;
    });
  return at != sorted.end() && all[*at].topic == topic && all[*at].contract == from ? &declarations[*at] : nullptr;
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
  const auto* found = find_declared(from, topics.front());
  if (!found)
    found = find_declared(contract_kind::any, topics.front());
  if (!found)
    return unknown_topic{};
  auto out = found->empty();
  if (const auto error = read_event(found->inputs, topics, data, out.held()))
    return undecodable{found->name, *error};
  return out;
}

event_fate fate_of(const decoded_log& log) {
  if (const auto* broken = std::get_if<undecodable>(&log))
    return failed(broken->why);
  if (std::holds_alternative<unknown_topic>(log))
    return {event_status::ignored, "unknown_topic"};
  return {};
}

log_content encode_log(const event& entry) {
  const auto which = entry.index();
  return write_event(declarations[which].inputs, known_events()[which].topic, entry.held());
}

std::string_view name_of(const event& entry) { return declarations[entry.index()].name; }

std::string log_data(const event& entry) {
  const auto& declared = declarations[entry.index()];
  return event_json(declared.name, declared.inputs, entry.held());
}

std::span<const event_info> known_events() {
  static const auto all = [] {
    std::vector<event_info> out;
    for (const auto& each : declarations) {
      auto signature = signature_of(each.name, each.inputs);
      const auto topic = keccak256(signature);
      out.push_back({each.contract, each.name, std::move(signature), topic});
    }
    return out;
  }();
  return all;
}

} // namespace credence::chain
