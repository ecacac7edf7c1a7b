#include "actors/chain/chain_records.hpp"
#include "actors/chain/folding.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

namespace credence::chain {

// -- reviews -------------------------------------------------------------------------------------

subject_place folding::subject_of(const subject_key& key) {
  if (const auto there = rows_.newest(key))
    return *there;
  const subject_place out{key, 0};
  const auto* which = std::get_if<address>(&key);
  const auto* known = which ? rows_.addresses.find(*which) : nullptr;
  const auto user = known ? known->user : new_user(false);
  if (which && !known)
    rows_.addresses.put(*which, {user, false, where_.at, std::nullopt});
  rows_.subjects.put(out, {user, std::nullopt, std::nullopt});
  return out;
}

void folding::on(const review_events::review_created& entry) {
  const auto number = ours(entry.review);
  const auto whose = ours(entry.profile);
  const bool of_account = entry.attestation_hash != digest32{}, of_address = entry.subject != address{};
  if (of_account == of_address)
    fail(failed(decode_error::bad_word));
  expect_none(rows_.reviews, number);
  review_row row;
  row.subject = subject_of(of_account ? subject_key{entry.attestation_hash} : subject_key{entry.subject});
  row.author_profile = owner_of(entry.author);
  row.author_address = entry.author;
  row.score = static_cast<std::uint8_t>(entry.score);
  row.created_at = row.updated_at = where_.at;
  rows_.reviews.put(number, row);
  if (const auto* reserved = rows_.placeholders.find(whose); reserved && !reserved->names)
    rows_.placeholders.put(whose, {row.subject});
  effects_.texts.insert({text_kind::review, number.value});
}

void folding::on(const review_events::review_edited& entry) {
  const auto number = ours(entry.review);
  auto row = existing(rows_.reviews, number, "review");
  ++row.edits;
  row.updated_at = where_.at;
  rows_.reviews.put(number, row);
  effects_.texts.insert({text_kind::review, number.value});
}
void folding::on(const review_events::review_archived& entry) { archive_review(entry.review, true); }
void folding::on(const review_events::review_restored& entry) { archive_review(entry.review, false); }
void folding::on(const review_events::review_fee_burned&) {}

void folding::archive_review(const onchain_review& which, bool archived) {
  const auto number = ours(which);
  const auto& found = existing(rows_.reviews, number, "review");
  if (found.archived == archived)
    return;
  auto row = found;
  row.archived = archived;
  row.updated_at = where_.at;
  rows_.reviews.put(number, row);
}

// -- votes and replies ---------------------------------------------------------------------------

contract_kind folding::kind_of(const address& contract) const {
  const auto at = how_.contracts.find(contract);
  if (at == how_.contracts.end())
    fail(failed_missing("target"));
  return at->second;
}

target_place folding::target_of(const address& contract, const onchain_target& which) const {
  const auto number = ours_of(which.value);
  return {kind_of(contract), number};
}

void folding::on(const vote_events::voted& entry) {
  const auto number = ours(entry.vote);
  const auto voter = ours(entry.voter);
  const auto target = target_of(entry.target_contract, entry.target);
  existing_profile(voter);
  expect_none(rows_.votes, {target, voter});
  rows_.votes.put({target, voter}, {number, entry.is_upvote, false, where_.at, where_.at});
}

void folding::on(const vote_events::vote_changed& entry) {
  const auto number = ours(entry.vote);
  const auto voter = ours(entry.voter);
  const auto target = target_of(entry.target_contract, entry.target);
  existing_profile(voter);
  // `is_unvote` tells the direction only: a vote that is given again in its old direction says it, too.
  const auto* old = rows_.votes.find({target, voter});
  const bool withdrawn = old ? !old->archived && old->upvote == entry.is_upvote : entry.is_unvote;
  rows_.votes.put({target, voter}, {old ? old->number : number, entry.is_upvote, withdrawn,
                                    old ? old->created_at : where_.at, where_.at});
}

void folding::on(const discussion_events::reply_added& entry) {
  const auto number = ours(entry.reply);
  const auto author = ours(entry.author);
  const auto kind = kind_of(entry.target_contract);
  existing_profile(author);
  expect_none(rows_.replies, number);
  rows_.replies.put(number, {author, kind, where_.at, where_.at, 0});
  effects_.texts.insert({text_kind::reply, number.value});
}

void folding::on(const discussion_events::reply_edited& entry) {
  const auto number = ours(entry.reply);
  auto row = existing(rows_.replies, number, "reply");
  ++row.edits;
  row.updated_at = where_.at;
  rows_.replies.put(number, row);
  effects_.texts.insert({text_kind::reply, number.value});
}

// -- bonds ------------------------------------------------------------------------------------------

void folding::on(const bond_events::bond_created& made) {
  const auto number = ours(made.bond);
  const auto author = ours(made.author_profile);
  existing_profile(author);
  expect_none(rows_.bonds, number);
  bond_row row;
  row.author = author;
  row.type = made.bond_type;
  row.amount = made.amount;
  row.amount_type = made.amount_type;
  row.created_at = row.updated_at = where_.at;
  rows_.bonds.put(number, std::move(row));
}

void folding::on(const bond_events::bond_archived& ended) {
  const auto number = ours(ended.bond);
  const auto& found = existing(rows_.bonds, number, "bond");
  if (found.archived_at)
    return;
  auto row = found;
  row.archived_at = row.updated_at = where_.at;
  row.archived_by = ended.archived_by;
  row.archive_reason = ended.archive_reason;
  rows_.bonds.put(number, std::move(row));
}

void folding::on(const bond_events::bond_expiration_updated& change) {
  const auto number = ours(change.bond);
  auto row = existing(rows_.bonds, number, "bond");
  row.expiration = change.expiration;
  if (const auto at = expiration_in(change.expiration))
    row.expires_at = at;
  row.updated_at = where_.at;
  rows_.bonds.put(number, std::move(row));
}

namespace {

constexpr std::int64_t seconds_in_day = 86'400;

/// Whether `text` is like a pattern, in which `0` stands for any digit.
bool looks_like(std::string_view text, std::string_view pattern) {
  return text.size() == pattern.size()
         && std::equal(text.begin(), text.end(), pattern.begin(),
                       [](char c, char wanted) { return wanted == '0' ? c >= '0' && c <= '9' : c == wanted; });
}

std::optional<std::int64_t> number_in(std::string_view digits) {
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  return error == std::errc{} && end == digits.data() + digits.size() && out >= 0 ? std::optional{out} : std::nullopt;
}
std::int64_t part(std::string_view text, std::size_t from, std::size_t length) {
  return number_in(text.substr(from, length)).value_or(0);
}

std::optional<std::int64_t> day_in(std::string_view text) {
  const std::chrono::year_month_day day{std::chrono::year{static_cast<int>(part(text, 0, 4))},
                                        std::chrono::month{static_cast<unsigned>(part(text, 5, 2))},
                                        std::chrono::day{static_cast<unsigned>(part(text, 8, 2))}};
  return day.ok() ? std::optional{std::int64_t{std::chrono::sys_days{day}.time_since_epoch().count()} * seconds_in_day}
                  : std::nullopt;
}

/// What to take off for `Z` or `+02:00`.
std::optional<std::int64_t> offset_in(std::string_view text) {
  if (text == "Z")
    return 0;
  if (!looks_like(text, "+00:00") && !looks_like(text, "-00:00"))
    return std::nullopt;
  const auto seconds = part(text, 1, 2) * 3600 + part(text, 4, 2) * 60;
  return text[0] == '+' ? seconds : -seconds;
}

std::optional<std::int64_t> iso_seconds(std::string_view text) {
  constexpr std::string_view date = "0000-00-00", time = "0000-00-00T00:00:00";
  if (looks_like(text, date)) {
    const auto day = day_in(text);
    return day ? std::optional{*day + seconds_in_day - 1} : std::nullopt;
  }
  if (!looks_like(text.substr(0, time.size()), time))
    return std::nullopt;
  const auto hour = part(text, 11, 2), minute = part(text, 14, 2), second = part(text, 17, 2);
  auto rest = text.substr(time.size());
  if (rest.starts_with('.')) {
    const auto behind = std::min(rest.find_first_not_of("0123456789", 1), rest.size());
    if (behind == 1)
      return std::nullopt;
    rest.remove_prefix(behind);
  }
  const auto day = day_in(text);
  const auto offset = offset_in(rest);
  if (!day || !offset || hour > 23 || minute > 59 || second > 59)
    return std::nullopt;
  return *day + hour * 3600 + minute * 60 + second - *offset;
}

} // namespace

std::optional<unix_time> expiration_in(std::string_view text) {
  constexpr std::int64_t first_of_milliseconds = 100'000'000'000; // as seconds, in the year 5138
  auto seconds = number_in(text);
  if (seconds && *seconds >= first_of_milliseconds)
    seconds = *seconds / 1000;
  if (!seconds)
    seconds = iso_seconds(text);
  return seconds && *seconds >= 0 && *seconds <= limits::unix_seconds_max ? std::optional{unix_time{*seconds}}
                                                                          : std::nullopt;
}

// -- the broker -------------------------------------------------------------------------------------

// Posts of the broker, their fees, and credit.

void folding::on(const broker_events::post_created& post) {
  const auto number = ours(post.id);
  const auto author = ours(post.author_profile);
  expect_none(rows_.posts, number);
  existing_profile(author);
  rows_.posts.put(number, {author, post.level, post.title, post.description, post.price, post.metadata, post.created_at,
                           post.created_at});
}

void folding::on(const broker_events::post_updated& post) {
  const auto number = ours(post.id);
  auto row = existing(rows_.posts, number, "post");
  row.title = post.title;
  row.description = post.description;
  row.price = post.price;
  row.metadata = post.metadata;
  row.updated_at = std::max(row.created_at, post.updated_at);
  rows_.posts.put(number, std::move(row));
}

void folding::on(const broker_events::premium_post_fee_paid& paid) {
  const auto number = ours(paid.post);
  rows_.post_fees.put(number, {paid.token, paid.fee, paid.recipient});
}

void folding::on(const broker_events::credit_balance_updated& credit) {
  set_credit(credit.profile, credit.token, credit.new_balance);
}

void folding::on(const broker_events::credit_used& credit) {
  set_credit(credit.profile, credit.token, credit.remaining_balance);
}

/// The contract tells what is left, so nothing is added up here.
void folding::set_credit(const onchain_profile& of, const address& token, const uint256& balance) {
  const auto holder = ours(of);
  existing_profile(holder);
  rows_.credits.put({holder, token}, {balance});
}

// -- projects ---------------------------------------------------------------------------------------

// Projects: whose they are, who manages them.

namespace {

std::string userkey_of(const account_details& account) { return "service:" + account.service + ":" + account.account; }

std::optional<std::string> name_in(const std::string& told) {
  return told.find_first_not_of(" \t\r\n") == std::string::npos ? std::nullopt : std::optional{told};
}

/// Fails where a project cannot be of that account.
void expect_sound(const account_details& account) {
  if (std::find(people::service_names.begin(), people::service_names.end(), account.service)
      == people::service_names.end())
    fail(failed(decode_error::unknown_service));
  if (account.account.empty())
    fail(failed_missing("account"));
  if (account.account.size() > project_account_bytes_max)
    fail(failed(decode_error::too_long));
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

std::vector<profile_id> folding::managers_of(const std::vector<onchain_profile>& told) const {
  std::vector<profile_id> out;
  for (const auto& each : told)
    out.push_back(ours(each));
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

void folding::on(const project_events::project_created& made) {
  const auto number = ours(made.id);
  auto managers = managers_of(made.manager_profile_ids);
  expect_none(rows_.projects, number);
  expect_sound(made.attestation_details);
  const auto user = user_of_account(made.attestation_details);
  if (has_project(user))
    fail(failed_duplicate());
  project_row row;
  row.user = user;
  row.userkey = userkey_of(made.attestation_details);
  row.archived = made.archived;
  row.metadata = made.metadata;
  row.managers = std::move(managers);
  row.created_at = made.created_at;
  rows_.projects.put(number, std::move(row));
  effects_.projects.insert(number);
}

void folding::on(const project_events::project_archived& change) {
  change_project(change.id, [&](project_row& row) { row.archived = change.archived; });
}

void folding::on(const project_events::project_details_updated& details) {
  const auto& account = details.attestation_details;
  change_project(details.id, [&](project_row& row) {
    expect_sound(account);
    row.name = name_in(details.name);
    row.metadata = details.metadata;
    if (auto userkey = userkey_of(account); userkey != row.userkey) {
      const auto user = user_of_account(account);
      if (user != row.user && has_project(user))
        fail(failed_duplicate());
      row.user = user;
      row.userkey = std::move(userkey);
    }
  });
}

void folding::on(const project_events::project_manager_profile_ids_updated& team) {
  change_project(team.id, [&](project_row& row) { row.managers = managers_of(team.manager_profile_ids); });
}

template <class Change>
void folding::change_project(const onchain_project& which, Change change) {
  const auto number = ours(which);
  auto row = existing(rows_.projects, number, "project");
  change(row);
  rows_.projects.put(number, std::move(row));
  effects_.projects.insert(number);
}

// -- the token --------------------------------------------------------------------------------------

// Balances of the token, and rewards.

namespace {

const uint256& greatest() {
  static const auto out = std::numeric_limits<uint256>::max();
  return out;
}

} // namespace

address token_of(const fold_settings& how) {
  const auto found = std::find_if(how.contracts.begin(), how.contracts.end(),
                                  [](const auto& contract) { return contract.second == contract_kind::whuffie; });
  return found == how.contracts.end() ? address{} : found->first;
}

void folding::note_holder(const address& holder) {
  if (const auto owner = owner_of(holder))
    effects_.profiles.insert(*owner);
}

void folding::on(const whuffie_events::transfer& moved) {
  const auto where = token_of(how_);
  if (moved.from == moved.to || moved.value == 0)
    return;
  if (moved.from != address{}) { // else it is minted
    auto row = row_in(rows_.balances, {moved.from, where});
    if (row.balance < moved.value) {
      const uint256 lacking = moved.value - row.balance;
      if (lacking > greatest() - row.missing)
        fail(failed_refused("balance_at_most_2^256"));
      row.missing += lacking;
      row.balance = 0;
    } else
      row.balance -= moved.value;
    rows_.balances.put({moved.from, where}, row);
    note_holder(moved.from);
  }
  if (moved.to != address{}) { // else it is burned
    auto row = row_in(rows_.balances, {moved.to, where});
    if (moved.value > greatest() - row.balance)
      fail(failed_refused("balance_at_most_2^256"));
    row.balance += moved.value;
    rows_.balances.put({moved.to, where}, row);
    note_holder(moved.to);
  }
}

void folding::on(const whuffie_events::transfers_unlocked& unlocked) {
  set_parameter("transfersUnlockedAt", std::to_string(unlocked.timestamp.seconds));
}

void folding::on(const rewards_events::credited& reward) {
  rows_.rewards.put({reward.user, reward.accruing_contract}, {reward.new_committed_balance});
}

void folding::on(const rewards_events::debited& reward) {
  rows_.rewards.put({reward.user, reward.accruing_contract}, {reward.new_committed_balance});
}
void folding::on(const rewards_events::reward_claimed&) {}

} // namespace credence::chain
