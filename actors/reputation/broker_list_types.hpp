#pragma once

#include "actors/domain/wei.hpp"
#include "actors/reputation/record_words.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

/// Posts of the broker as they are read. They are made of a chain's events (actors/chain/chain_records.hpp).
namespace credence::reputation {

using broker_post_id = id<struct broker_post_tag>;

enum class broker_post_level : std::uint8_t { basic, premium };
inline constexpr std::array<std::string_view, 2> broker_post_level_names{"BASIC", "PREMIUM"};

/// What was paid for a premium post.
struct broker_fee {
  address token;
  wei amount;
  address recipient;
};

struct broker_post {
  broker_post_id id;
  profile_id author;
  broker_post_level level{};
  std::string title, description, price, metadata; // as their author wrote them; the price is a text
  std::optional<broker_fee> fee;
  timestamp created_at{};
  timestamp updated_at{};
};

} // namespace credence::reputation
