#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/words.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// What a listing is filed under, and its links. Apart from the listing, so that who needs these alone does not depend
/// on votes.
namespace credence::listing {

using category_id = id<struct category_tag>;
using chain_id = id<struct chain_tag>;

struct category {
  std::int32_t id = 0;
  std::string name;
  std::string slug;
  std::optional<std::string> description;
};
struct chain {
  std::int32_t id = 0;
  std::string name;
  std::optional<std::string> url;
  std::optional<std::string> icon_url;
};
enum class link_type : std::uint8_t { website, twitter, telegram, discord };
CREDENCE_WORDS(link_type, link_type_names, "WEBSITE", "TWITTER", "TELEGRAM", "DISCORD");
struct link {
  link_type type{};
  std::string url;
  friend bool operator==(const link&, const link&) = default;
};

} // namespace credence::listing
