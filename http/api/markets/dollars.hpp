#pragma once

#include "actors/domain/wei.hpp"
#include "http/call/json_writer.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace credence::http {

/// What wei are worth in US dollars, by `http.eth_price_usd`.
class dollars {
public:
  /// `price`: of an ether, as the setting has it; empty: nothing is worth anything.
  explicit dollars(const std::string& price);

  /// Of an ether, as JSON tells it; nothing where the setting is empty.
  std::optional<std::string> price() const;
  /// Writes the member: a JSON number with at most six digits behind the point, the rest cut off; null where there is
  /// no amount or no price.
  void field(json_writer& to, json_name name, const std::optional<wei_change>& amount) const;

private:
  std::optional<std::int64_t> millionths_; // of a dollar, for an ether
};

} // namespace credence::http
