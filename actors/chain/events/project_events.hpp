#pragma once

#include "actors/chain/event_description.hpp"

#include <string>
#include <vector>

/// Events of projects.
namespace credence::chain {

/// An account at a service, which stands for a project.
struct account_details {
  std::string account;
  std::string service;
  static constexpr auto inputs() {
    using self = account_details;
    return field_list{plain("account", &self::account), plain("service", &self::service)};
  }
  friend bool operator==(const account_details&, const account_details&) = default;
};

namespace project_events {

/// A project, the account it stands for, and who manages it.
struct project_created {
  static constexpr event_name is{contract_kind::project, "ProjectCreated"};
  onchain_project id;
  unix_time created_at;
  bool archived = false;
  std::string metadata;
  account_details attestation_details;
  std::vector<onchain_profile> managers;
  static constexpr auto inputs() {
    using self = project_created;
    return field_list{plain("id", &self::id),
                      plain("createdAt", &self::created_at),
                      plain("archived", &self::archived),
                      plain("metadata", &self::metadata),
                      plain("attestationDetails", &self::attestation_details),
                      plain("managerProfileIds", &self::managers)};
  }
  friend bool operator==(const project_created&, const project_created&) = default;
};

/// A project takes votes no longer, or again.
struct project_archived {
  static constexpr event_name is{contract_kind::project, "ProjectArchived"};
  onchain_project id;
  bool archived = false;
  static constexpr auto inputs() {
    using self = project_archived;
    return field_list{plain("id", &self::id), plain("archived", &self::archived)};
  }
  friend bool operator==(const project_archived&, const project_archived&) = default;
};

/// Name, metadata and account of a project changed.
struct project_details_updated {
  static constexpr event_name is{contract_kind::project, "ProjectDetailsUpdated"};
  onchain_project id;
  std::string name;
  std::string metadata;
  account_details attestation_details;
  static constexpr auto inputs() {
    using self = project_details_updated;
    return field_list{plain("id", &self::id), plain("name", &self::name), plain("metadata", &self::metadata),
                      plain("attestationDetails", &self::attestation_details)};
  }
  friend bool operator==(const project_details_updated&, const project_details_updated&) = default;
};

/// Other profiles manage a project.
struct project_manager_profile_ids_updated {
  static constexpr event_name is{contract_kind::project, "ProjectManagerProfileIdsUpdated"};
  onchain_project id;
  std::vector<onchain_profile> managers;
  static constexpr auto inputs() {
    using self = project_manager_profile_ids_updated;
    return field_list{plain("id", &self::id), plain("managerProfileIds", &self::managers)};
  }
  friend bool operator==(const project_manager_profile_ids_updated&,
                         const project_manager_profile_ids_updated&) = default;
};

} // namespace project_events

} // namespace credence::chain
