#pragma once

#include "actors/chain/event_description.hpp"

/// Events of contracts themselves.
namespace credence::chain {

namespace contract_address_manager_events {

/// A contract lies at another address; of its name the event tells the hash only.
struct contract_address_updated {
  static constexpr event_name is{contract_kind::contract_address_manager, "ContractAddressUpdated"};
  text_hash name;
  address contract_address;
  static constexpr auto inputs() {
    using self = contract_address_updated;
    return field_list{indexed("name", &self::name), indexed("contractAddress", &self::contract_address)};
  }
  friend bool operator==(const contract_address_updated&, const contract_address_updated&) = default;
};

} // namespace contract_address_manager_events

namespace any_contract_events {

/// The contract takes no changes.
struct paused {
  static constexpr event_name is{contract_kind::any, "Paused"};
  address account;
  static constexpr auto inputs() {
    using self = paused;
    return field_list{plain("account", &self::account)};
  }
  friend bool operator==(const paused&, const paused&) = default;
};

/// The contract takes changes again.
struct unpaused {
  static constexpr event_name is{contract_kind::any, "Unpaused"};
  address account;
  static constexpr auto inputs() {
    using self = unpaused;
    return field_list{plain("account", &self::account)};
  }
  friend bool operator==(const unpaused&, const unpaused&) = default;
};

/// The contract runs other code from now on: layouts and events may have changed.
struct upgraded {
  static constexpr event_name is{contract_kind::any, "Upgraded"};
  address implementation;
  static constexpr auto inputs() {
    using self = upgraded;
    return field_list{indexed("implementation", &self::implementation)};
  }
  friend bool operator==(const upgraded&, const upgraded&) = default;
};

/// The contract was set up, for a version of its code.
struct initialized {
  static constexpr event_name is{contract_kind::any, "Initialized"};
  std::uint64_t version = 0;
  static constexpr auto inputs() {
    using self = initialized;
    return field_list{plain("version", &self::version)};
  }
  friend bool operator==(const initialized&, const initialized&) = default;
};

/// An account has a role at the contract; it gives no rights here.
struct role_granted {
  static constexpr event_name is{contract_kind::any, "RoleGranted"};
  digest32 role{};
  address account;
  address sender;
  static constexpr auto inputs() {
    using self = role_granted;
    return field_list{indexed("role", &self::role), indexed("account", &self::account),
                      indexed("sender", &self::sender)};
  }
  friend bool operator==(const role_granted&, const role_granted&) = default;
};

/// An account has a role at the contract no longer.
struct role_revoked {
  static constexpr event_name is{contract_kind::any, "RoleRevoked"};
  digest32 role{};
  address account;
  address sender;
  static constexpr auto inputs() {
    using self = role_revoked;
    return field_list{indexed("role", &self::role), indexed("account", &self::account),
                      indexed("sender", &self::sender)};
  }
  friend bool operator==(const role_revoked&, const role_revoked&) = default;
};

/// Who may grant a role at the contract changed.
struct role_admin_changed {
  static constexpr event_name is{contract_kind::any, "RoleAdminChanged"};
  digest32 role{};
  digest32 previous_admin_role{};
  digest32 new_admin_role{};
  static constexpr auto inputs() {
    using self = role_admin_changed;
    return field_list{indexed("role", &self::role), indexed("previousAdminRole", &self::previous_admin_role),
                      indexed("newAdminRole", &self::new_admin_role)};
  }
  friend bool operator==(const role_admin_changed&, const role_admin_changed&) = default;
};

} // namespace any_contract_events

} // namespace credence::chain
