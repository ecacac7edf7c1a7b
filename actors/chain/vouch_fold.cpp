#include "actors/chain/chain_records.hpp"
#include "actors/chain/events.hpp"
#include "actors/chain/folding.hpp"
#include "actors/domain/hash.hpp"
#include "actors/people/lookup_types.hpp"
#include "actors/score/score_facts.hpp"
#include "config/limits.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <string>

/// What events of both contracts of vouches do with amounts, and how many vouches one event may change.
namespace credence::chain {

inline score::day day_of(unix_time at) {
  return std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds{std::chrono::seconds{at.seconds}});
}

inline constexpr auto vouches_together_max = static_cast<std::size_t>(limits::vouches_each_way_max);
inline event_fate too_many() { return failed_refused("vouches_at_most_" + std::to_string(vouches_together_max)); }
/// Fails where a vouch cannot hold so much.
inline void expect_possible(const wei& amount) {
  if (amount > transfer_wei_max)
    fail(failed_refused("vouch_at_most_10^36_wei"));
}

/// From now on the vouch holds so much. What it gains counts from that day, what it loses goes from the newest part on.
inline void set_balance(vouch_row& row, const wei& balance, unix_time at) {
  if (balance > row.balance)
    score::put(row.parts, {balance - row.balance, day_of(at)});
  else if (balance < row.balance)
    score::take(row.parts, row.balance - balance);
  row.balance = balance;
}

/// What an event says of a vouch in ether that is made, or grows.
struct vouch_told {
  onchain_vouch vouch;
  onchain_profile author, subject_profile;
  address subject_address;
  digest32 attestation_hash{};
  wei staked, deposited;
};

namespace {

constexpr std::uint32_t whole_in_basis_points = 10'000;
constexpr const char* protocol_fee = "entryProtocolFeeBasisPoints";
constexpr const char* donation_fee = "entryDonationFeeBasisPoints";
constexpr const char* pool_fee = "entryVouchersPoolFeeBasisPoints";
constexpr const char* exit_fee = "exitFeeBasisPoints";

template <class E>
vouch_told told_by(const E& made) {
  vouch_told out{made.vouch, made.author_profile, made.subject_profile, {},
                 {},         made.amount_staked,  made.amount_deposited};
  if constexpr (requires { made.attestation_hash; }) {
    out.subject_address = made.subject_address;
    out.attestation_hash = made.attestation_hash;
  }
  return out;
}

/// Fails where amounts that were put in make no sense.
void expect_sound(const vouch_told& told) {
  expect_possible(told.staked);
  if (told.deposited > told.staked)
    fail(failed(decode_error::bad_word));
}

} // namespace

// -- looking up ----------------------------------------------------------------------------------

std::vector<vouch_key> folding::active_vouches(contract_kind contract, const vouch_index& of) const {
  auto out = rows_.vouches.with(of);
  std::erase_if(out, [contract](const vouch_key& each) { return each.contract != contract; });
  return out;
}

const vouch_row& folding::active_vouch(const vouch_key& key) const {
  const auto& found = existing(rows_.vouches, key, "vouch");
  if (found.archived)
    fail(failed_missing("vouch"));
  return found;
}

subject_place folding::subject_of_profile(profile_id whom) {
  const subject_key key{whom};
  const auto* known = profile(whom);
  const auto* reserved = known ? nullptr : rows_.placeholders.find(whom);
  if (!known && !reserved)
    fail(failed_missing("profile"));
  if (reserved && reserved->names)
    return *reserved->names; // what the id stands for
  if (const auto there = rows_.newest(key))
    return *there;
  const subject_place out{key, 0};
  rows_.subjects.put(out, {known ? known->user : new_user(false), std::nullopt, std::nullopt});
  return out;
}

void folding::bind_placeholder(profile_id reserved, const subject_place& subject) {
  if (const auto* found = rows_.placeholders.find(reserved); found && !found->names)
    rows_.placeholders.put(reserved, {subject});
}

bool folding::may_vouch(profile_id author, profile_id pool) const {
  return active_vouches(contract_kind::vouch, voucher{author}).size() < vouches_together_max
         && active_vouches(contract_kind::vouch, pool_of{pool}).size() < vouches_together_max;
}

void folding::count_mismatch() {
  const auto* counted = rows_.parameters.find({where_.contract, "mismatches"});
  set_parameter("mismatches", std::to_string((counted ? std::stoll(*counted) : 0) + 1));
}

// -- vouches in ether ----------------------------------------------------------------------------

std::uint32_t folding::fee(const std::string& name, std::uint32_t at_first) const {
  const auto* told = rows_.parameters.find({contract_kind::vouch, name});
  return told ? static_cast<std::uint32_t>(std::stoul(*told)) : at_first;
}

/// Of the fees of what the author put in, the share of those who vouched before goes to them, by what they hold.
void folding::share_fees(profile_id pool, profile_id author, const wei& fees) {
  const auto& at_first = how_.fees_at_first;
  const auto of_protocol = fee(protocol_fee, at_first.protocol), of_subject = fee(donation_fee, at_first.donation),
             of_pool = fee(pool_fee, at_first.pool);
  if (of_pool == 0 || fees == 0)
    return;
  auto earlier = active_vouches(contract_kind::vouch, pool_of{pool});
  std::erase_if(earlier, [&](const vouch_key& each) { return rows_.vouches.find(each)->author == author; });
  wei held;
  for (const auto& each : earlier)
    held += rows_.vouches.find(each)->balance;
  if (held == 0)
    return;
  const auto all = of_protocol + of_subject + of_pool;
  const wei share = fees - fees * of_protocol / all - fees * of_subject / all;
  for (const auto& each : earlier) {
    auto row = *rows_.vouches.find(each);
    const wei gain = std::min<wei>(share * row.balance / held, row.balance);
    if (gain == 0)
      continue;
    set_balance(row, row.balance + gain, where_.at);
    rows_.vouches.put(each, std::move(row));
  }
}

void folding::make_vouch(const vouch_told& told) {
  const auto number = ours(told.vouch);
  const auto author = ours(told.author), pool = ours(told.subject_profile);
  expect_sound(told);
  existing_profile(author);
  const vouch_key key{contract_kind::vouch, number};
  expect_none(rows_.vouches, key);
  if (!may_vouch(author, pool)) // bounds how many vouches one event may change
    fail(too_many());
  const auto subject = told.attestation_hash != digest32{} ? subject_of(told.attestation_hash)
                       : told.subject_address != address{} ? subject_of(told.subject_address)
                                                           : subject_of_profile(pool);
  for (const auto& each : active_vouches(contract_kind::vouch, voucher{author}))
    if (const auto* other = rows_.vouches.find(each); other->subject == subject || other->subject_profile == pool)
      fail(failed_duplicate());
  share_fees(pool, author, told.staked - told.deposited);
  vouch_row row;
  row.author = author;
  row.subject = subject;
  row.subject_profile = pool;
  row.staked = told.staked;
  row.deposited = told.deposited;
  row.vouched_at = where_.at;
  set_balance(row, told.deposited, where_.at);
  rows_.vouches.put(key, std::move(row));
  bind_placeholder(pool, subject);
}

void folding::on(const vouch_events::vouched& made) { make_vouch(told_by(made)); }
void folding::on(const vouch_events::early_vouched& made) { make_vouch(told_by(made)); }

void folding::increase_vouch(const vouch_told& told) {
  const auto number = ours(told.vouch);
  const auto pool = ours(told.subject_profile);
  expect_sound(told);
  const vouch_key key{contract_kind::vouch, number};
  share_fees(pool, active_vouch(key).author, told.staked - told.deposited);
  auto row = *rows_.vouches.find(key);
  row.staked += told.staked;
  row.deposited += told.deposited;
  set_balance(row, row.balance + told.deposited, where_.at);
  rows_.vouches.put(key, std::move(row));
}

void folding::on(const vouch_events::vouch_increased& more) { increase_vouch(told_by(more)); }
void folding::on(const vouch_events::early_vouch_increased& more) { increase_vouch(told_by(more)); }

void folding::end_vouch(const vouch_key& key, vouch_row row, const wei& paid_out) {
  row.withdrawn += paid_out;
  row.balance = 0;
  row.parts.clear();
  row.archived = true;
  row.unvouched_at = where_.at;
  rows_.vouches.put(key, std::move(row));
}

void folding::on(const vouch_events::unvouched& ended) {
  const auto number = ours(ended.vouch);
  expect_possible(ended.amount_withdrawn);
  const vouch_key key{contract_kind::vouch, number};
  const auto& found = existing(rows_.vouches, key, "vouch");
  if (!found.archived)
    end_vouch(key, found, ended.amount_withdrawn);
}
void folding::on(const vouch_events::marked_unhealthy& marked) { mark_unhealthy(contract_kind::vouch, marked.vouch); }

void folding::mark_unhealthy(contract_kind contract, const onchain_vouch& which) {
  const auto number = ours(which);
  const vouch_key key{contract, number};
  const auto& found = existing(rows_.vouches, key, "vouch");
  if (!found.archived)
    fail(failed_missing("unvouch"));
  if (found.unhealthy_at)
    return;
  auto row = found;
  row.unhealthy_at = where_.at;
  rows_.vouches.put(key, std::move(row));
}

void folding::on(const vouch_events::slashed& cut) {
  const auto author = ours(cut.author_profile);
  if (cut.slash_basis_points > whole_in_basis_points)
    fail(failed(decode_error::bad_word));
  wei total;
  for (const auto& each : active_vouches(contract_kind::vouch, voucher{author})) {
    auto row = *rows_.vouches.find(each);
    const wei loss = row.balance * cut.slash_basis_points / whole_in_basis_points;
    if (loss == 0)
      continue;
    total += loss;
    row.slashed += loss;
    set_balance(row, row.balance - loss, where_.at);
    rows_.vouches.put(each, std::move(row));
  }
  if (total != cut.total_slashed)
    count_mismatch();
}

void folding::freeze_vouches(contract_kind contract, const vouch_index& of, bool frozen) {
  for (const auto& each : active_vouches(contract, of)) {
    auto row = *rows_.vouches.find(each);
    if (row.frozen == frozen)
      continue;
    row.frozen = frozen;
    rows_.vouches.put(each, std::move(row));
  }
}

void folding::on(const vouch_events::frozen& change) {
  const auto author = ours(change.author_profile);
  freeze_vouches(contract_kind::vouch, voucher{author}, change.is_frozen);
}

void folding::on(const vouch_events::attestation_vouch_mapping_updated& moved) {
  const auto whom = ours(moved.new_profile);
  const auto place = rows_.newest(moved.attestation_hash);
  if (!place)
    return; // nobody has vouched for the account
  auto moving = active_vouches(contract_kind::vouch, *place);
  std::erase_if(moving, [&](const vouch_key& each) { return rows_.vouches.find(each)->subject_profile == whom; });
  if (moving.size() + active_vouches(contract_kind::vouch, pool_of{whom}).size() > vouches_together_max)
    fail(too_many());
  for (const auto& each : moving) {
    auto row = *rows_.vouches.find(each);
    row.subject_profile = whom;
    rows_.vouches.put(each, std::move(row));
  }
  if (const auto* known = profile(whom))
    move_subject(moved.attestation_hash, known->user);
  else
    bind_placeholder(whom, *place);
}

// -- rewards and fees ----------------------------------------------------------------------------

void folding::on(const vouch_events::deposited_to_rewards& paid) {
  const auto whose = ours(paid.recipient_profile);
  expect_possible(paid.amount);
  auto row = row_in(rows_.vouch_rewards, whose);
  row.balance += paid.amount;
  row.deposited += paid.amount;
  rows_.vouch_rewards.put(whose, std::move(row));
}

void folding::on(const vouch_events::withdrawn_from_rewards& taken) {
  const auto whose = ours(taken.account_profile);
  expect_possible(taken.amount);
  auto row = row_in(rows_.vouch_rewards, whose);
  if (taken.amount > row.balance)
    count_mismatch(); // rewards of the wallet come out with those of the profile
  row.balance -= std::min<wei>(row.balance, taken.amount);
  row.withdrawn += taken.amount;
  rows_.vouch_rewards.put(whose, std::move(row));
}

void folding::set_fee(const std::string& name, const uint256& basis_points) {
  if (basis_points > whole_in_basis_points)
    fail(failed(decode_error::bad_word));
  set_parameter(name, decimal(basis_points));
}
void folding::on(const vouch_events::protocol_fee_address_updated& told) {
  set_parameter("protocolFeeAddress", lower_text(told.new_fee_protocol_address));
}
void folding::on(const vouch_events::entry_protocol_fee_basis_points_updated& told) { set_fee(protocol_fee, told.bps); }
void folding::on(const vouch_events::entry_donation_fee_basis_points_updated& told) { set_fee(donation_fee, told.bps); }
void folding::on(const vouch_events::entry_vouchers_pool_fee_basis_points_updated& told) {
  set_fee(pool_fee, told.bps);
}
void folding::on(const vouch_events::exit_fee_basis_points_updated& told) { set_fee(exit_fee, told.bps); }

// -- vouches in WHUF --------------------------------------------------------------------------------

void folding::on(const vouch_v2_events::vouched& made) {
  const auto number = ours(made.vouch);
  expect_possible(made.balance);
  expect_possible(made.fee);
  const auto author = owner_of(made.author);
  if (!author)
    fail(failed_missing("profile"));
  const vouch_key key{contract_kind::vouch_v2, number};
  expect_none(rows_.vouches, key);
  const auto target = vouch_target_of(made.target, made.target_hash, how_.id_offset);
  const auto* whom = std::get_if<profile_id>(&target.key);
  const auto subject = whom ? subject_of_profile(*whom) : subject_of(target.key);
  if (auto named = rows_.subjects.at(subject); target.service && !named.service) {
    named.service = target.service;
    named.account = target.account;
    rows_.subjects.put(subject, std::move(named));
  }
  const auto others = active_vouches(contract_kind::vouch_v2, made.author);
  if (others.size() >= vouches_together_max) // bounds how many rows one event may change: it freezes them
    fail(too_many());
  for (const auto& each : others)
    if (rows_.vouches.find(each)->subject == subject)
      fail(failed_duplicate());
  vouch_row row;
  row.author = *author;
  row.wallet = made.author;
  row.subject = subject;
  row.staked = made.balance + made.fee;
  row.deposited = made.balance;
  row.metadata = made.metadata;
  row.vouched_at = where_.at;
  set_balance(row, made.balance, where_.at);
  rows_.vouches.put(key, std::move(row));
}

template <class Change>
void folding::move_balance(const onchain_vouch& which, const wei& new_balance, Change change) {
  const auto number = ours(which);
  expect_possible(new_balance);
  const vouch_key key{contract_kind::vouch_v2, number};
  auto row = active_vouch(key);
  change(row);
  set_balance(row, new_balance, where_.at);
  rows_.vouches.put(key, std::move(row));
}

void folding::on(const vouch_v2_events::vouch_increased& more) {
  expect_possible(more.fee);
  move_balance(more.vouch, more.new_balance, [&](vouch_row& row) {
    if (more.new_balance > row.balance) {
      const wei added = more.new_balance - row.balance;
      row.staked += added + more.fee;
      row.deposited += added;
    } else
      count_mismatch();
  });
}

void folding::on(const vouch_v2_events::vouch_decreased& less) {
  move_balance(less.vouch, less.new_balance, [&](vouch_row& row) {
    const wei out = row.balance > less.new_balance ? row.balance - less.new_balance : wei{};
    if (out == 0)
      count_mismatch();
    row.withdrawn += out > less.fee ? out - less.fee : wei{};
  });
}

void folding::on(const vouch_v2_events::vouch_slashed& cut) {
  move_balance(cut.vouch, cut.new_balance, [&](vouch_row& row) {
    if (cut.prev_balance != row.balance)
      count_mismatch();
    if (row.balance > cut.new_balance)
      row.slashed += row.balance - cut.new_balance;
  });
}

void folding::on(const vouch_v2_events::unvouched& ended) {
  const auto number = ours(ended.vouch);
  expect_possible(ended.payout);
  const vouch_key key{contract_kind::vouch_v2, number};
  const auto& found = existing(rows_.vouches, key, "vouch");
  if (found.archived)
    return;
  if (found.balance != ended.prev_balance)
    count_mismatch();
  end_vouch(key, found, ended.payout);
}
void folding::on(const vouch_v2_events::marked_unhealthy& marked) {
  mark_unhealthy(contract_kind::vouch_v2, marked.vouch);
}
void folding::on(const vouch_v2_events::account_slashed&) {} // each cut comes as `vouch_slashed`

void folding::on(const vouch_v2_events::vouch_metadata_updated& told) {
  const auto number = ours(told.vouch);
  const vouch_key key{contract_kind::vouch_v2, number};
  auto row = existing(rows_.vouches, key, "vouch");
  row.metadata = told.metadata;
  rows_.vouches.put(key, std::move(row));
}

void folding::on(const vouch_v2_events::frozen& change) {
  freeze_vouches(contract_kind::vouch_v2, change.account, change.is_frozen);
}

// -- targets of vouches in WHUF ---------------------------------------------------------------------

namespace {

constexpr std::string_view of_profile = "profileId:", of_address = "address:", of_service = "service:";

/// Our id for the profile that the contract knows by that number.
std::optional<profile_id> profile_in(std::string_view digits, std::int32_t id_offset) {
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 1 || digits.front() == '0')
    return std::nullopt;
  const auto ours = std::int64_t{number} + id_offset;
  return ours <= limits::id_max ? std::optional{profile_id{static_cast<std::int32_t>(ours)}} : std::nullopt;
}

bool is_account(people::account_service service, std::string_view account) {
  const bool letters = service == people::account_service::github;
  return !account.empty() && account.size() <= static_cast<std::size_t>(limits::account_id_length_max)
         && std::all_of(account.begin(), account.end(), [letters](char c) {
              return (c >= '0' && c <= '9')
                     || (letters && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-'));
            });
}

std::optional<vouch_target> account_in(std::string_view text) {
  const auto colon = text.find(':');
  const auto& names = people::service_names;
  const auto service = std::find(names.begin(), names.end(), text.substr(0, colon));
  if (colon == std::string_view::npos || service == names.end())
    return std::nullopt;
  const auto account = text.substr(colon + 1);
  if (!is_account(static_cast<people::account_service>(service - names.begin()), account))
    return std::nullopt;
  return vouch_target{attestation_hash(*service, account), std::string{*service}, std::string{account}};
}

} // namespace

vouch_target vouch_target_of(std::string_view userkey, const digest32& hash, std::int32_t id_offset) {
  const vouch_target unknown{hash, std::nullopt, std::nullopt};
  if (keccak256(userkey) != hash)
    return unknown;
  if (userkey.starts_with(of_profile)) {
    const auto which = profile_in(userkey.substr(of_profile.size()), id_offset);
    return which ? vouch_target{*which, std::nullopt, std::nullopt} : unknown;
  }
  if (userkey.starts_with(of_address)) {
    const auto which = parse_address(userkey.substr(of_address.size()));
    return which ? vouch_target{*which, std::nullopt, std::nullopt} : unknown;
  }
  if (userkey.starts_with(of_service))
    return account_in(userkey.substr(of_service.size())).value_or(unknown);
  return unknown;
}

} // namespace credence::chain
