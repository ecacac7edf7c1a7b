#include "actors/chain/folding.hpp"

#include <algorithm>

/// Projects: whose they are, who manages them.
namespace credence::chain {

namespace {

std::string userkey_of(const account_details& account) { return "service:" + account.service + ":" + account.account; }

std::optional<std::string> name_in(const std::string& told) {
  return told.find_first_not_of(" \t\r\n") == std::string::npos ? std::nullopt : std::optional{told};
}

/// Why a project cannot be of that account, if so.
std::optional<event_fate> mistake_in(const account_details& account) {
  if (std::find(people::service_names.begin(), people::service_names.end(), account.service)
      == people::service_names.end())
    return failed(decode_error::unknown_service);
  if (account.account.empty())
    return failed_missing("account");
  if (account.account.size() > project_account_bytes_max)
    return failed(decode_error::too_long);
  return std::nullopt;
}

} // namespace

user_id folding::user_of_account(const account_details& account) {
  const subject_key key = attestation_hash(account.service, account.account);
  const auto place = subject_of(key);
  auto subject = *rows_.subjects.find(place);
  if (!subject.service) {
    subject.service = account.service;
    subject.account = account.account;
    rows_.subjects.put(place, subject);
  }
  return subject.user;
}

std::optional<std::vector<profile_id>> folding::managers_of(const std::vector<onchain_profile>& told) const {
  std::vector<profile_id> out;
  for (const auto& each : told) {
    const auto number = ours(each);
    if (!number)
      return std::nullopt;
    out.push_back(*number);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void folding::take_project(const subject_row& subject, user_id to) {
  if (!subject.service || has_project(to))
    return;
  const auto userkey = userkey_of({*subject.account, *subject.service});
  for (const auto number : rows_.projects.with(subject.user)) {
    auto row = *rows_.projects.find(number);
    if (row.userkey != userkey)
      continue;
    row.user = to;
    rows_.projects.put(number, std::move(row));
    effects_.projects.insert(number);
  }
}

event_fate folding::on(const project_events::project_created& made) {
  const auto number = ours(made.id);
  auto managers = managers_of(made.manager_profile_ids);
  if (!number || !managers)
    return out_of_range();
  if (rows_.projects.find(*number))
    return failed_duplicate();
  if (auto why = mistake_in(made.attestation_details))
    return *std::move(why);
  const auto user = user_of_account(made.attestation_details);
  if (has_project(user))
    return failed_duplicate();
  project_row row;
  row.user = user;
  row.userkey = userkey_of(made.attestation_details);
  row.archived = made.archived;
  row.metadata = made.metadata;
  row.managers = *std::move(managers);
  row.created_at = made.created_at;
  rows_.projects.put(*number, std::move(row));
  effects_.projects.insert(*number);
  return {};
}

event_fate folding::on(const project_events::project_archived& change) {
  return change_project(change.id, [&](project_row& row) {
    row.archived = change.archived;
    return event_fate{};
  });
}

event_fate folding::on(const project_events::project_details_updated& details) {
  const auto& account = details.attestation_details;
  return change_project(details.id, [&](project_row& row) {
    if (auto why = mistake_in(account))
      return *std::move(why);
    row.name = name_in(details.name);
    row.metadata = details.metadata;
    if (auto userkey = userkey_of(account); userkey != row.userkey) {
      const auto user = user_of_account(account);
      if (user != row.user && has_project(user))
        return failed_duplicate();
      row.user = user;
      row.userkey = std::move(userkey);
    }
    return event_fate{};
  });
}

event_fate folding::on(const project_events::project_manager_profile_ids_updated& team) {
  return change_project(team.id, [&](project_row& row) {
    auto managers = managers_of(team.manager_profile_ids);
    if (!managers)
      return out_of_range();
    row.managers = *std::move(managers);
    return event_fate{};
  });
}

template <class Change>
event_fate folding::change_project(const onchain_project& which, Change change) {
  const auto number = ours(which);
  if (!number)
    return out_of_range();
  const auto* found = rows_.projects.find(*number);
  if (!found)
    return failed_missing("project");
  auto row = *found;
  if (auto fate = change(row); fate.status != event_status::applied)
    return fate;
  rows_.projects.put(*number, std::move(row));
  effects_.projects.insert(*number);
  return {};
}

} // namespace credence::chain
