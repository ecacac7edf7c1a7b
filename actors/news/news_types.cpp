#include "actors/news/news_types.hpp"

#include "actors/domain/text.hpp"

#include <algorithm>

namespace credence::news {

namespace {

constexpr std::size_t id_digits_max = 20;   // of 64 bits
constexpr std::size_t name_length_max = 50; // x.com gives out 15; old ones may be longer

bool is_id(std::string_view text) {
  return !text.empty() && text.size() <= id_digits_max && std::all_of(text.begin(), text.end(), is_digit);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= name_length_max && std::all_of(text.begin(), text.end(), [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
}

} // namespace

std::string account::key() const {
  if (!id.empty())
    return id;
  std::string out = "@" + name;
  for (auto& c : out)
    if (c >= 'A' && c <= 'Z')
      c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::optional<account> account_of(std::string_view id, std::string_view name) {
  if (name.starts_with('@'))
    name.remove_prefix(1);
  account out;
  if (is_id(id))
    out.id = id;
  if (is_name(name))
    out.name = name;
  else if (out.id.empty() && is_name(id))
    out.name = id;
  return out.id.empty() && out.name.empty() ? std::nullopt : std::optional{std::move(out)};
}

} // namespace credence::news
