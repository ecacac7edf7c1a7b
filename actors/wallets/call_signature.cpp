#include "actors/wallets/call_signature.hpp"

#include "actors/chain/abi_types.hpp"
#include "actors/chain/calls.hpp"
#include "actors/wallets/harmless_text.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace credence::wallets {

namespace {

constexpr std::size_t declaration_bytes_max = 2048;
constexpr std::size_t parameters_max = 32;
constexpr int depth_max = 4;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}
bool is_name(std::string_view text) {
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9')
         && std::all_of(text.begin(), text.end(), is_name_character);
}

/// The bits of `uint…`; 0 for every other type.
unsigned bits_of(std::string_view type) {
  if (type == "uint")
    return 256;
  if (!type.starts_with("uint"))
    return 0;
  const auto digits = type.substr(4);
  unsigned bits = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool good = error == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0';
  return good && bits <= 256 && bits % 8 == 0 ? bits : 0;
}

const named_value* find(std::span<const named_value> values, std::string_view name) {
  const auto found =
    std::find_if(values.begin(), values.end(), [=](const named_value& each) { return each.name == name; });
  return found == values.end() ? nullptr : &*found;
}

} // namespace

// -- reading -----------------------------------------------------------------------------

/// Reads from left to right; throws std::invalid_argument with what is wrong.
struct call_signature::parser {
  std::string_view rest;
  std::size_t parameters = 0;

  void skip_blanks() { rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size())); }
  bool take(char wanted) {
    skip_blanks();
    if (rest.empty() || rest.front() != wanted)
      return false;
    rest.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    skip_blanks();
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_character) - rest.begin();
    const auto out = rest.substr(0, static_cast<std::size_t>(end));
    rest.remove_prefix(out.size());
    return out;
  }

  /// Behind a type: its name, perhaps after where the value lies.
  std::string name() {
    auto out = word();
    if (out == "memory" || out == "calldata")
      out = word();
    if (!out.empty() && !is_name(out))
      throw std::invalid_argument("'" + std::string{out} + "' is no name of a parameter");
    return std::string{out};
  }

  std::vector<parameter> list(int depth) {
    if (!take('('))
      throw std::invalid_argument("a parenthesis is missing");
    if (depth > depth_max)
      throw std::invalid_argument("there are tuples within tuples within tuples");
    std::vector<parameter> out;
    if (take(')'))
      return out;
    do
      out.push_back(one(depth));
    while (take(','));
    if (!take(')'))
      throw std::invalid_argument("behind a parameter there must be a comma or a parenthesis");
    return out;
  }

  parameter one(int depth) {
    if (++parameters > parameters_max)
      throw std::invalid_argument("there are too many parameters");
    parameter out;
    skip_blanks();
    if (rest.starts_with('(')) {
      out.kind = type::tuple;
      out.members = list(depth + 1);
      if (out.members.empty())
        throw std::invalid_argument("a tuple is empty");
    } else {
      const auto spelled = word();
      out.bits = bits_of(spelled);
      out.kind = out.bits != 0          ? type::number
                 : spelled == "bool"    ? type::flag
                 : spelled == "address" ? type::account
                 : spelled == "string"  ? type::text
                 : spelled == "bytes"   ? type::bytes
                 : spelled == "bytes32"
                   ? type::word
                   : throw std::invalid_argument("'" + std::string{spelled} + "' is no type that is known");
    }
    out.name = name();
    return out;
  }
};

outcome<call_signature, std::string> call_signature::parse(std::string_view declaration) {
  if (declaration.size() > declaration_bytes_max)
    return std::string{"it is too long"};
  parser in{declaration};
  call_signature out;
  out.name_ = in.word();
  if (!is_name(out.name_))
    return std::string{"it must begin with the name of a function"};
  try {
    out.parameters_ = in.list(0);
  } catch (const std::invalid_argument& why) {
    return std::string{why.what()};
  }
  in.skip_blanks();
  if (!in.rest.empty())
    return "'" + harmless(in.rest, 40) + "' is behind its parameters";
  out.canonical_ = out.name_ + list_of(out.parameters_);
  return out;
}

std::string call_signature::list_of(const std::vector<parameter>& parameters) {
  std::string out{"("};
  for (const auto& each : parameters)
    out.append(out.size() > 1 ? "," : "").append(each.canonical());
  return out + ")";
}

std::string call_signature::parameter::canonical() const {
  switch (kind) {
    case type::number: return "uint" + std::to_string(bits);
    case type::flag: return "bool";
    case type::account: return "address";
    case type::text: return "string";
    case type::bytes: return "bytes";
    case type::word: return "bytes32";
    case type::tuple: return list_of(members);
  }
  return {};
}

bool call_signature::parameter::dynamic() const {
  return kind == type::text || kind == type::bytes
         || std::any_of(members.begin(), members.end(), [](const parameter& each) { return each.dynamic(); });
}

std::size_t call_signature::parameter::head_bytes() const {
  if (dynamic() || kind != type::tuple)
    return 32;
  std::size_t sum = 0;
  for (const auto& each : members)
    sum += each.head_bytes();
  return sum;
}

std::string call_signature::selector() const { return chain::selector_of(canonical_); }

// -- calling -----------------------------------------------------------------------------

bool call_signature::fits(const parameter& wanted, const call_value& value) {
  switch (wanted.kind) {
    case type::number: return std::holds_alternative<uint256>(value);
    case type::flag: return std::holds_alternative<bool>(value);
    case type::account: return std::holds_alternative<address>(value);
    case type::text: return std::holds_alternative<call_text>(value);
    case type::bytes: return std::holds_alternative<call_bytes>(value);
    case type::word:
    case type::tuple: return false;
  }
  return false;
}

std::optional<std::string> call_signature::mismatch_in(const std::vector<parameter>& parameters,
                                                       std::span<const named_value> values) {
  for (const auto& each : parameters) {
    if (each.kind == type::tuple) {
      if (auto wrong = mismatch_in(each.members, values))
        return wrong;
      continue;
    }
    const auto* value = find(values, each.name);
    if (value && fits(each, value->value))
      continue;
    if (value)
      return "the parameter '" + each.name + "' cannot be of the type " + each.canonical();
    std::string known;
    for (const auto& named : values)
      known.append(known.empty() ? "" : ", ").append(named.name);
    return (each.name.empty() ? "a parameter of the type " + each.canonical() + " has no name"
                              : "there is no value called '" + each.name + "'")
           + "; values are: " + known;
  }
  return std::nullopt;
}

std::optional<std::string> call_signature::mismatch(std::span<const named_value> values) const {
  return mismatch_in(parameters_, values);
}

std::string call_signature::tuple_of(const std::vector<parameter>& parameters, std::span<const named_value> values) {
  std::size_t heads = 0;
  for (const auto& each : parameters)
    heads += each.head_bytes();
  std::string head, tail;
  for (const auto& each : parameters)
    if (each.dynamic()) {
      chain::detail::append_word(head, chain::word_of_small(heads + tail.size()));
      append(tail, each, values);
    } else
      append(head, each, values);
  return head + tail;
}

void call_signature::append(std::string& to, const parameter& wanted, std::span<const named_value> values) {
  if (wanted.kind == type::tuple) {
    to += tuple_of(wanted.members, values);
    return;
  }
  const auto& value = find(values, wanted.name)->value;
  switch (wanted.kind) {
    case type::number: {
      const auto& number = std::get<uint256>(value);
      if (wanted.bits < 256 && (number >> wanted.bits) != 0)
        throw std::range_error("the value of '" + wanted.name + "' does not fit into " + wanted.canonical());
      return chain::solidity<uint256>::append(to, number);
    }
    case type::flag: return chain::solidity<bool>::append(to, std::get<bool>(value));
    case type::account: return chain::solidity<address>::append(to, std::get<address>(value));
    case type::text: return chain::solidity<std::string>::append(to, std::get<call_text>(value).value);
    default: break;
  }
  const auto& bytes = std::get<call_bytes>(value).value;
  chain::detail::append_word(to, chain::word_of_small(bytes.size()));
  chain::detail::append_padded(to, std::as_bytes(std::span{bytes}));
}

std::string call_signature::call_with(std::span<const named_value> values) const {
  if (const auto wrong = mismatch(values))
    throw std::invalid_argument(canonical_ + ": " + *wrong);
  return selector() + tuple_of(parameters_, values);
}

// -- showing -----------------------------------------------------------------------------

std::string call_signature::show(std::span<const std::byte> data) const {
  constexpr std::size_t text_most = 100;
  chain::decoding shared;
  chain::word_reader in{data, shared};
  std::string out = name_ + "(";
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    out += i > 0 ? ", " : "";
    const auto kind = parameters_[i].kind;
    if (kind == type::number)
      out += decimal(chain::unsigned_of(in.next()));
    else if (kind == type::flag)
      out += chain::solidity<bool>::read(in) ? "true" : "false";
    else if (kind == type::account)
      out += checksummed_text(chain::solidity<address>::read(in));
    else if (kind == type::word) {
      out += "0x";
      append_hex(out, in.next());
    } else if (kind == type::text) {
      auto there = in.follow();
      const auto bytes = there.next_bytes(there.next_length(chain::text_bytes_max));
      out += "'" + harmless({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, text_most) + "'";
    } else
      return canonical_;
  }
  return in.good() ? out + ")" : canonical_;
}

} // namespace credence::wallets
