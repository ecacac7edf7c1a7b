#include "actors/chain/calls.hpp"

#include "actors/chain/abi.hpp"
#include "actors/domain/hash.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace credence::chain {

std::string selector_of(std::string_view signature) {
  const auto hash = keccak256(signature);
  return {reinterpret_cast<const char*>(hash.data()), 4};
}

namespace {

/// More than any contract returns.
constexpr std::size_t values_max = 64;
constexpr std::size_t declaration_bytes_max = 4096;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// What is between the first parenthesis of a text, where it begins with it, and the last, where it ends with it.
std::optional<std::string_view> inside(std::string_view text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')')
    return std::nullopt;
  return trimmed(text.substr(1, text.size() - 2));
}

bool is_name(std::string_view text) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  return !text.empty() && !(text.front() >= '0' && text.front() <= '9') && std::all_of(text.begin(), text.end(), good);
}

/// Whether a type is called `prefix` and a number from `step` to `most` that `step` divides.
bool is_sized(std::string_view type, std::string_view prefix, int step, int most) {
  if (!type.starts_with(prefix))
    return false;
  const auto digits = type.substr(prefix.size());
  int size = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size);
  return error == std::errc{} && end == digits.data() + digits.size() && digits.front() != '0' && size >= step
         && size <= most && size % step == 0;
}

constexpr std::array<std::string_view, 2> subject_names{"subjectProfileId", "subject"}, bond_names{"bondId", "id"},
  expiration_names{"expiration", "expiresAt"};
constexpr std::array<std::string_view, 1> statement_names{"statement"};
constexpr std::array<std::string_view, 3> inviter_names{"invitedBy", "inviterId", "inviter"};

const uint256& number_in(const values_by_name& values, std::string_view name) {
  return std::get<uint256>(values.find(name)->second);
}
const std::string& text_in(const values_by_name& values, std::string_view name) {
  return std::get<std::string>(values.find(name)->second);
}

} // namespace

std::variant<getter::value, std::string> getter::parse_value(std::string_view declaration) {
  const auto blank = declaration.find_last_of(" \t");
  const auto type = trimmed(declaration.substr(0, declaration.find_first_of(" \t")));
  const auto name = blank == declaration.npos ? std::string_view{} : trimmed(declaration.substr(blank));
  if (!name.empty() && !is_name(name))
    return "'" + std::string{name} + "' is no name of a value";
  const bool list = type.ends_with("[]");
  const auto item = list ? type.substr(0, type.size() - 2) : type;
  const bool number = item == "uint" || is_sized(item, "uint", 8, 256);
  const bool text = item == "string";
  const bool one_word = item == "int" || is_sized(item, "int", 8, 256) || item == "bool" || item == "address"
                        || is_sized(item, "bytes", 1, 32);
  if (!number && !text && !one_word && item != "bytes")
    return "'" + std::string{type} + "' is no type that is known";
  const auto kind = list || item == "bytes" ? value_kind::somewhere
                    : number                ? value_kind::number
                    : text                  ? value_kind::text
                                            : value_kind::in_place;
  return value{std::string{name}, kind};
}

outcome<getter, std::string> getter::parse(std::string_view declaration) {
  constexpr std::string_view returns = "returns";
  if (declaration.size() > declaration_bytes_max)
    return std::string{"it is too long"};
  const auto at = declaration.find(')');
  if (at == declaration.npos)
    return std::string{"it has no (uint256) behind the name"};
  const auto call = trimmed(declaration.substr(0, at + 1));
  auto behind = trimmed(declaration.substr(at + 1));
  const auto open = call.find('(');
  if (open == call.npos || !is_name(call.substr(0, open)) || call.substr(open) != "(uint256)")
    return std::string{"it must begin with a name and (uint256)"};
  if (!behind.starts_with(returns))
    return std::string{"it does not say what it returns"};
  auto list = inside(trimmed(behind.substr(returns.size())));
  if (!list)
    return std::string{"what it returns must be in parentheses"};
  getter out;
  out.signature_ = call;
  if (const auto members = inside(*list)) {
    out.is_struct_ = true;
    list = members;
  }
  for (auto rest = *list;;) {
    const auto comma = rest.find(',');
    auto next = parse_value(trimmed(rest.substr(0, comma)));
    if (auto* mistake = std::get_if<std::string>(&next))
      return std::move(*mistake);
    out.values_.push_back(std::get<value>(std::move(next)));
    if (out.values_.size() > values_max)
      return std::string{"it returns too many values"};
    if (comma == rest.npos)
      return out;
    rest = rest.substr(comma + 1);
  }
}

std::string getter::call_for(std::int32_t id) const { return call_data(signature_, uint256{id}); }

std::string_view getter::called(std::span<const std::string_view> names, value_kind kind) const {
  for (const auto name : names)
    for (const auto& each : values_)
      if (each.name == name && each.kind == kind)
        return each.name;
  return {};
}

bool getter::behind_offset() const {
  return is_struct_ && std::any_of(values_.begin(), values_.end(), [](const value& each) {
           return each.kind == value_kind::text || each.kind == value_kind::somewhere;
         });
}

outcome<values_by_name, decode_error> getter::read(std::span<const std::byte> data) const {
  decoding shared;
  word_reader whole{data, shared};
  auto in = behind_offset() ? whole.follow() : whole;
  values_by_name out;
  for (const auto& each : values_)
    switch (each.kind) {
      case value_kind::number: out.insert_or_assign(each.name, unsigned_of(in.next())); break;
      case value_kind::text: {
        auto there = in.follow();
        out.insert_or_assign(each.name, solidity<std::string>::read(there));
        break;
      }
      default: in.next();
    }
  if (shared.error())
    return *shared.error();
  return out;
}

outcome<getter, std::string> bond_getter(std::string_view declaration) {
  auto out = getter::parse(declaration);
  if (out && out->number_called(subject_names).empty())
    return std::string{"it returns no number called subjectProfileId or subject, whom the bond is about"};
  return out;
}

outcome<getter, std::string> invite_getter(std::string_view declaration) {
  auto out = getter::parse(declaration);
  if (out && out->number_called(inviter_names).empty())
    return std::string{"it returns no number called invitedBy, inviterId or inviter"};
  return out;
}

outcome<returned_bond, std::string> bond_in(const getter& declared, std::int32_t onchain,
                                            std::span<const std::byte> data) {
  const auto found = declared.read(data);
  if (!found)
    return std::string{name_of(found.why())};
  if (const auto id = declared.number_called(bond_names); !id.empty() && number_in(*found, id) != onchain)
    return std::string{"other_record"};
  returned_bond out;
  out.subject = number_in(*found, declared.number_called(subject_names));
  if (out.subject == 0) // a mapping is all zeros where there is no such record
    return std::string{"other_record"};
  if (const auto statement = declared.text_called(statement_names); !statement.empty())
    out.statement = text_in(*found, statement);
  if (const auto as_text = declared.text_called(expiration_names); !as_text.empty())
    out.expiration = text_in(*found, as_text);
  else if (const auto as_number = declared.number_called(expiration_names);
           !as_number.empty() && number_in(*found, as_number) != 0)
    out.expiration = decimal(number_in(*found, as_number));
  return out;
}

outcome<uint256, std::string> inviter_in(const getter& declared, std::span<const std::byte> data) {
  const auto found = declared.read(data);
  if (!found)
    return std::string{name_of(found.why())};
  return number_in(*found, declared.number_called(inviter_names));
}

} // namespace credence::chain
