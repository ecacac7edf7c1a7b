#pragma once

#include "actors/domain/ids.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "actors/domain/words.hpp"
#include "actors/kernel/fact.hpp"
#include "actors/kernel/load.hpp"

#include <cstdint>
#include <string>

/// Money that lies here: a balance in wei for every profile, used to trade on markets.
namespace credence::funds {

enum class flow : std::uint8_t { deposit, withdrawal };
CREDENCE_WORDS(flow, flow_names, "DEPOSIT", "WITHDRAWAL");

// -- changes ------------------------------------------------------------------

/// Money that came in from outside, or left. Its global number is the transfer's id.
struct funds_moved {
  profile_id profile;
  flow way{};
  wei amount;
  std::string reference; // the admin's own word for it
  timestamp at{};
  wei balance_before = {}; // committed when it was decided
};

// -- questions ----------------------------------------------------------------

struct transfer_receipt {
  std::int64_t id = 0;
  wei balance;
};

/// Refused with `insufficient_funds`.
struct move_funds {
  using answer_type = transfer_receipt;
  profile_id profile;
  flow way{};
  wei amount; // more than 0
  std::string reference;
  bool dry_run = false; // only decided: the receipt has no id
};

/// A transfer that was made before, with the balance of now. Refused with `not_found`.
struct get_transfer {
  using answer_type = transfer_receipt;
  profile_id profile;
  std::int64_t transfer = 0;
};

struct funds_view {
  wei balance;   // committed
  wei available; // of that, not set aside for trades under way
};

struct get_funds {
  using answer_type = funds_view;
  profile_id profile;
};

// -- loading ------------------------------------------------------------------

/// A balance as of a global number; zero for who never had one.
struct stored_funds {
  wei balance;
  global_seq as_of = 0;
};
struct load_funds {
  profile_id profile;
};
struct load_transfer {
  profile_id profile;
  std::int64_t transfer = 0;
};
struct stored_transfer {
  bool found = false;
};

} // namespace credence::funds

namespace credence::market {
struct load_trade;
struct stored_trade;
} // namespace credence::market

/// What funds actors write and read.
namespace credence {

CREDENCE_FACT(told_its_number, funds::funds_moved, at, (profile_id, profile), (kind, way), amount, reference);

namespace funds {
/// What is written and what is asked.
struct storage {
  using facts = types<funds_moved>;
  using loads = types<load<load_funds, stored_funds>, load<load_transfer, stored_transfer>>;
  using loads_of_others = types<load<market::load_trade, market::stored_trade>>;
};
} // namespace funds

} // namespace credence
