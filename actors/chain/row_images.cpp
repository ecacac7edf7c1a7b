#include "actors/chain/row_images.hpp"

#include "actors/chain/row_object.hpp"
#include "actors/domain/hex.hpp"
#include "actors/domain/keccak.hpp"

#include <algorithm>
#include <type_traits>

namespace credence::chain {

namespace {

/// Of users and invitations the greatest id that is there is the last one.
bool is_counted_by_rows(const std::string& name) { return name == "user" || name == "invitation"; }
template <class Key>
bool is_counted_by_rows(const Key&) {
  return false;
}

std::string shortened(const std::string& hex) { return hex.substr(0, 6) + "…" + hex.substr(hex.size() - 4); }

} // namespace

std::vector<std::byte> bytes_of(const subject_key& key) {
  if (const auto* who = std::get_if<profile_id>(&key)) {
    const auto number = static_cast<std::uint32_t>(who->value);
    return {static_cast<std::byte>(number >> 24), static_cast<std::byte>(number >> 16),
            static_cast<std::byte>(number >> 8), static_cast<std::byte>(number)};
  }
  if (const auto* which = std::get_if<address>(&key))
    return {which->bytes.begin(), which->bytes.end()};
  const auto& hash = std::get<digest32>(key);
  return {hash.begin(), hash.end()};
}

// -- what changed --------------------------------------------------------------------------------

template <class Key, class Row, class Index>
void row_images::note_table(const row_table<Key, Row, Index>& table, std::size_t mark, touched<Key>& to,
                            const origin& by) {
  for (const auto& [key, before] : table.before(mark)) {
    if constexpr (std::is_same_v<Row, user_row>)
      if (!before)
        fresh_.insert(key);
    to.insert_or_assign(key, by);
  }
}

/// Which address is the primary one is told by the addresses.
void row_images::note_primaries(const origin& by) {
  auto& addresses = touched_.addresses;
  const auto touch = [&](const std::optional<address>& which) {
    if (which && rows_.addresses.find(*which))
      addresses.insert_or_assign(*which, by);
  };
  for (const auto& [key, before] : rows_.profiles.before(mark_[1])) {
    const auto* now = rows_.profiles.find(key);
    const auto was = before ? before->primary : std::nullopt;
    const auto is = now ? now->primary : std::nullopt;
    if (was == is)
      continue;
    touch(was);
    touch(is);
  }
}

void row_images::note(std::int64_t event_id, std::int64_t block, unix_time at) {
  const origin by{event_id, block, at};
  std::size_t i = 0;
#define CREDENCE_TABLE(name, ...) note_table(rows_.name, mark_[i++], touched_.name, by);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  note_primaries(by);
  mark_ = rows_.mark();
}

void row_images::write(std::vector<row_image>& to, std::int64_t undo_block) {
  first_subjects_.clear();
  if (!fresh_.empty())
    for (const auto& [place, row] : rows_.subjects.all())
      if (fresh_.contains(row.user))
        first_subjects_.emplace(row.user, place);
  const auto put = [&](const std::string& relation, const auto& table, auto& keys) {
    for (const auto& [key, by] : keys)
      if (const auto* row = table.find(key); row && !is_counted_by_rows(key))
        to.push_back({undo_block, by.event, relation, columns(key, *row, by), piece_});
    keys.clear();
  };
#define CREDENCE_TABLE(name, relation, ...) put(relation, rows_.name, touched_.name);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  fresh_.clear();
  ++piece_;
}

// -- columns -------------------------------------------------------------------------------------

bool row_images::is_primary(const address& which, user_id whose) const {
  const auto* user = rows_.users.find(whose);
  const auto* profile = user && user->profile ? rows_.profiles.find(*user->profile) : nullptr;
  return !profile || profile->primary == which;
}

/// Who has no name is called by the wallet, the account or the hash of the account.
std::string row_images::name_of(user_id of) const {
  if (const auto held = rows_.addresses.with(of); !held.empty())
    return shortened(lower_text(held.front()));
  if (const auto subject = first_subjects_.find(of); subject != first_subjects_.end()) {
    const auto& row = *rows_.subjects.find(subject->second);
    if (row.service && row.account)
      return *row.service + "/" + *row.account;
    std::string hex = "0x";
    append_hex(hex, bytes_of(subject->second.key));
    return shortened(hex);
  }
  return "user " + std::to_string(of.value);
}

std::string row_images::columns(user_id key, const user_row& row, const origin& by) const {
  row_object out;
  out.number("id", key)
    .text("status", row.merged_into ? "MERGED"
                    : row.active    ? "ACTIVE"
                                    : "INACTIVE")
    .number("merged_into", row.merged_into);
  if (fresh_.contains(key))
    out.text("display_name", name_of(key)).text("avatar_url", avatar_).time("first_seen_at", by.at);
  return out.close();
}

std::string row_images::columns(profile_id key, const profile_row& row, const origin& by) const {
  return row_object{}
    .number("id", key)
    .number("user_id", row.user)
    .flag("archived", row.archived)
    .flag("orphaned", row.orphaned)
    .time("created_at", row.created_at)
    .time("updated_at", std::max(row.created_at, by.at))
    .number("invites_available", row.invites_available)
    .number("told_inviter", row.inviter)
    .of(by);
}

std::string row_images::columns(const address& key, const address_row& row, const origin& by) const {
  return row_object{}
    .bytes("address", key.bytes)
    .number("user_id", row.user)
    .text("kind", is_primary(key, row.user) ? "primary" : "linked")
    .flag("compromised", row.compromised)
    .time("unlinked_at", row.unlinked_at)
    .time("first_seen_at", row.first_seen_at)
    .time("added_at", by.at)
    .of(by);
}

std::string row_images::columns(attestation_id key, const attestation_row& row, const origin& by) const {
  row_object out;
  out.number("id", key).bytes("hash", attestation_hash(row.service, row.account));
  const auto* profile = rows_.profiles.find(row.profile);
  if (profile)
    out.number("user_id", profile->user);
  out.number("profile_id", row.profile).text("service", row.service).text("account", row.account);
  if (row.evidence.empty())
    out.null("evidence");
  else
    out.text("evidence", row.evidence);
  return out.flag("archived", row.archived)
    .time("created_at", row.created_at)
    .time("updated_at", std::max(row.created_at, by.at))
    .of(by);
}

std::string row_images::columns(const subject_place& key, const subject_row& row, const origin& by) const {
  return row_object{}
    .bytes("key", bytes_of(key.key))
    .number("generation", key.generation)
    .number("user_id", row.user)
    .text_or_null("service", row.service)
    .text_or_null("account", row.account)
    .of(by);
}

std::string row_images::columns(profile_id key, const placeholder_row& row, const origin& by) const {
  row_object out;
  out.number("mock_id", key);
  if (row.names)
    out.bytes("key", bytes_of(row.names->key)).number("generation", row.names->generation);
  else
    out.null("key").null("generation");
  return out.of(by);
}

std::string row_images::columns(invitation_id key, const invitation_row& row, const origin& by) const {
  return row_object{}
    .number("id", key)
    .number("sender", row.sender)
    .bytes("recipient", row.recipient.bytes)
    .text("status", invitation_status_words[static_cast<std::size_t>(row.status)])
    .time("invited_at", row.invited_at)
    .time("accepted_at", row.accepted_at)
    .number("profile", row.profile)
    .of(by);
}

std::string row_images::columns(review_id key, const review_row& row, const origin& by) const {
  return row_object{}
    .number("id", key)
    .number("author_profile", row.author_profile)
    .bytes("author_address", row.author_address.bytes)
    .bytes("subject_key", bytes_of(row.subject.key))
    .number("subject_generation", row.subject.generation)
    .number("score", row.score)
    .text("comment", "")
    .text("metadata", "")
    .flag("archived", row.archived)
    .time("created_at", row.created_at)
    .time("updated_at", row.updated_at)
    .number("edits", row.edits)
    .of(by);
}

std::string row_images::columns(const activity_vote_key& key, const activity_vote_row& row, const origin& by) const {
  return row_object{}
    .text("kind", chain::name_of(key.target.kind))
    .number("target_id", key.target.id)
    .number("voter", key.voter)
    .number("number", row.number)
    .flag("upvote", row.upvote)
    .flag("archived", row.archived)
    .time("created_at", row.created_at)
    .time("updated_at", row.updated_at)
    .of(by);
}

std::string row_images::columns(reply_id key, const reply_row& row, const origin& by) const {
  return row_object{}
    .number("id", key)
    .number("author_profile", row.author)
    .text("target_kind", chain::name_of(row.target_kind))
    .text("content", "")
    .text("metadata", "")
    .time("created_at", row.created_at)
    .time("updated_at", row.updated_at)
    .number("edits", row.edits)
    .of(by);
}

std::string row_images::columns(const parameter_key& key, const std::string& value, const origin&) const {
  return row_object{}
    .text("contract", chain::name_of(key.contract))
    .text("name", key.name)
    .text("value", value)
    .close();
}

std::string row_images::columns(const std::string& key, std::int64_t last, const origin&) const {
  return row_object{}.text("name", key).number("last", last).close();
}

} // namespace credence::chain
