#pragma once

#include "actors/domain/ids.hpp"
#include "actors/market/terms.hpp"
#include "ops/progress.hpp"
#include "persistence/postgres/connection.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Data to try the service with: invented people, listings and a history of votes,
/// the same for the same sizes and moment.
namespace credence::persistence {

struct demo_size {
  std::int32_t profiles = 500;
  std::int32_t projects = 40;
  std::int64_t votes = 24000; // over six closed periods and the open one
  std::int32_t markets = 16;  // at most; none and no money with fewer than 60 profiles
  std::int32_t writers = 200; // people who write records, at most; without any, nobody was invited either
};

/// One of the ten profiles that own the well-known development wallets of Hardhat and
/// Anvil. Their keys are public: worth nothing anywhere else.
struct demo_account {
  profile_id profile;
  std::string name;
  std::string username;
  std::string address;         // EIP-55 checksummed
  std::string private_key;     // 0x and 64 hex digits
  std::string embedded_wallet; // address
  std::vector<std::string> userkeys;
  std::int64_t xp = 0;
  bool admin = false;
  bool api_access = false;
};

/// The accounts among the first `profiles` profiles, at most ten.
std::vector<demo_account> demo_accounts(std::int32_t profiles);

struct demo_report {
  std::int32_t profiles = 0;
  std::int32_t projects = 0;
  std::int64_t votes = 0;
  std::int32_t periods = 0;
};

/// keccak256(abi.encode(service, account)): the identity of an attestation.
using attestation_hasher = std::function<std::array<std::byte, 32>(std::string_view service, std::string_view account)>;

/// True when the database holds users already.
bool has_data(connection& on, steady_time deadline);
/// The profiles that vouch for each other and vote as one, as far as the demo in the database has such.
std::vector<profile_id> stored_demo_ring(connection& on, steady_time deadline);
/// True when somebody in the database has one of the wallets of `demo_accounts`: everybody knows its key.
bool holds_demo_wallets(connection& on, steady_time deadline);

/// Fills an empty database in one transaction, through COPY; `now` is the moment the
/// history leads up to, `trading` the terms of its markets, `told` hears how far it is. Throws `database_error`, and
/// std::invalid_argument for sizes that do not fit each other.
demo_report load_demo(connection& on, const demo_size& size, const market::terms& trading, timestamp now,
                      const attestation_hasher& hash, steady_time deadline, ops::progress& told = ops::untold());

} // namespace credence::persistence
