#include "actors/chain/row_images.hpp"

#include "actors/chain/chain_storage.hpp"
#include "actors/domain/hash.hpp"
#include "actors/kernel/fact_json.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace credence::chain {

/// A JSON object of columns.
class row_object {
public:
  template <class T>
  row_object& put(std::string_view name, const T& value) {
    out_ += out_.size() > 1 ? ",\"" : "\"";
    out_ += name;
    out_ += "\":";
    append(value);
    return *this;
  }
  row_object& null(std::string_view name) { return put(name, std::optional<bool>{}); }
  std::string close() { return std::move(out_) + "}"; }

private:
  void append(std::string_view text) { credence::detail::append_json_text(out_, text); }
  void append(const char* text) { append(std::string_view{text}); }
  void append(const std::string& text) { append(std::string_view{text}); }
  void append(bool flag) { out_ += flag ? "true" : "false"; }
  template <std::integral T>
  void append(T number) {
    out_ += std::to_string(number);
  }
  template <class Tag>
  void append(id<Tag> number) {
    out_ += std::to_string(number.value);
  }
  template <class E>
  requires std::is_enum_v<E>
  void append(E word) { append(name_of(word)); }
  void append(const uint256& amount) { append(decimal(amount)); }
  void append(unix_time at) { append(iso_text(time_of(at))); }
  void append(std::span<const std::byte> bytes) {
    std::string hex = "\\x";
    append_hex(hex, bytes);
    append(hex);
  }
  void append(const address& which) { append(std::span<const std::byte>{which.bytes}); }
  void append(const digest32& hash) { append(std::span<const std::byte>{hash}); }
  void append(const subject_key& key) { append(std::span<const std::byte>{bytes_of(key)}); }
  void append(const std::vector<profile_id>& all) { // an array as PostgreSQL writes it
    std::string text = "{";
    for (const auto each : all)
      text.append(text.size() > 1 ? "," : "").append(std::to_string(each.value));
    append(text + "}");
  }
  template <class T>
  void append(const std::optional<T>& value) {
    value ? append(*value) : void(out_ += "null");
  }

  std::string out_ = "{";
};

namespace {

/// Of users and invitations the greatest id that is there is the last one.
bool is_counted_by_rows(const std::string& name) { return name == "user" || name == "invitation"; }
template <class Key>
bool is_counted_by_rows(const Key&) {
  return false;
}

std::string shortened(const std::string& hex) { return hex.substr(0, 6) + "…" + hex.substr(hex.size() - 4); }

/// The columns of a key: its own, or the one that the row names. That of an event is written with where the row is
/// from.
template <class Row, class Key>
void put_key(row_object& to, const Key& key) {
  if constexpr (with_columns<Key>)
    for_each_column(key, [&](std::string_view name, const auto& value) { to.put(name, value); });
  else if constexpr (std::same_as<Key, std::string>)
    to.put("name", key);
  else if constexpr (!std::same_as<Key, std::int64_t>) {
    if constexpr (requires { Row::key_column; })
      to.put(Row::key_column, key);
    else
      to.put("id", key);
  }
}

/// `[[20000,"5"]]`: days since 1970, and what was put in on each and is still there.
std::string text_of(const std::vector<score::vouch_part>& parts) {
  std::string out = "[";
  for (const auto& each : parts)
    out.append(out.size() > 1 ? ",[" : "[")
      .append(std::to_string(each.day.time_since_epoch().count()))
      .append(",\"")
      .append(decimal(each.amount))
      .append("\"]");
  return out + "]";
}

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

// What is written besides `Row::columns()`.

void row_images::add(row_object& to, user_id key, const user_row& row, const origin& by) const {
  to.put("status", row.merged_into ? "MERGED" : row.active ? "ACTIVE" : "INACTIVE");
  if (fresh_.contains(key))
    to.put("display_name", name_of(key)).put("avatar_url", avatar_).put("first_seen_at", by.at);
}
void row_images::add(row_object& to, profile_id, const profile_row& row, const origin& by) const {
  to.put("updated_at", std::max(row.created_at, by.at)).put("told_inviter", row.inviter);
}
void row_images::add(row_object& to, const address& key, const address_row& row, const origin& by) const {
  to.put("kind", is_primary(key, row.user) ? "primary" : "linked").put("added_at", by.at);
}
void row_images::add(row_object& to, attestation_id, const attestation_row& row, const origin& by) const {
  to.put("hash", attestation_hash(row.service, row.account));
  if (const auto* profile = rows_.profiles.find(row.profile))
    to.put("user_id", profile->user);
  to.put("evidence", row.evidence.empty() ? std::nullopt : std::optional{row.evidence})
    .put("updated_at", std::max(row.created_at, by.at));
}
void row_images::add(row_object& to, profile_id, const placeholder_row& row, const origin&) const {
  if (row.names)
    put_key<placeholder_row>(to, *row.names);
  else
    to.null("key").null("generation");
}
void row_images::add(row_object& to, review_id, const review_row&, const origin&) const {
  to.put("comment", "").put("metadata", "");
}
void row_images::add(row_object& to, reply_id, const reply_row&, const origin&) const {
  to.put("content", "").put("metadata", "");
}
void row_images::add(row_object& to, const vouch_key& key, const vouch_row& row, const origin&) const {
  if (row.wallet)
    to.put("author_address", *row.wallet);
  to.put("token", key.contract == contract_kind::vouch ? "eth" : "whuf")
    .put("told_parts", text_of(row.parts))
    .put("comment", "")
    .put("metadata", "")
    .put("unhealthy", row.unhealthy_at.has_value());
}
void row_images::add(row_object& to, bond_id, const bond_row& row, const origin&) const {
  to.put("statement", "").put("comment", "").put("archived", row.archived_at.has_value());
  if (row.archived_at)
    to.put("archive_reason", row.archive_reason);
  if (row.archived_by)
    to.put("archived_by_wallet", *row.archived_by);
}
void row_images::add(row_object& to, project_id, const project_row& row, const origin& by) const {
  to.put("updated_at", std::max(row.created_at, by.at));
}
/// The outcome is told where the contract or whoever cancelled it said so; else votes decide, where the row is written.
void row_images::add(row_object& to, slash_id, const slash_row& row, const origin&) const {
  const bool of_address = std::holds_alternative<address>(row.subject);
  to.put(of_address ? "subject_address" : "subject_hash", row.subject)
    .null(of_address ? "subject_hash" : "subject_address")
    .put("subject_user_id", row.user ? std::optional{row.user} : std::nullopt)
    .put("ends_at", row.ends_at())
    .put("outcome", row.ended_by == slash_end::cancelled  ? std::optional{slash_resolution::cancelled}
                    : row.ended_by == slash_end::resolved ? row.resolution
                                                          : std::nullopt);
}
void row_images::add(row_object& to, const market_key&, const market_row& row, const origin&) const {
  const token_market_terms nothing;
  if (row.in_tokens)
    for_each_column(*row.in_tokens, [&](std::string_view name, const auto& value) { to.put(name, value); });
  else
    for_each_column(std::as_const(nothing), [&](std::string_view name, const auto&) { to.null(name); });
}

template <class Key, class Row>
std::string row_images::image_of(const Key& key, const Row& row, const origin& by) const {
  row_object out;
  put_key<Row>(out, key);
  if constexpr (std::same_as<Row, std::string>)
    out.put("value", row);
  else if constexpr (std::same_as<Row, std::int64_t>)
    out.put("last", row);
  else {
    if constexpr (with_columns<Row>)
      for_each_column(row, [&](std::string_view name, const auto& value) { out.put(name, value); });
    add(out, key, row, by);
    if constexpr (!std::same_as<Row, user_row>)
      out.put("source", "chain").put("event_id", by.event).put("block", by.block);
  }
  return out.close();
}

// -- what is written -----------------------------------------------------------------------------

void row_images::write(std::vector<row_image>& to, std::int64_t undo_block) {
  first_subjects_.clear();
  if (!fresh_.empty())
    for (const auto& [place, row] : rows_.subjects.all())
      if (fresh_.contains(row.user))
        first_subjects_.emplace(row.user, place);
  const auto put = [&](const std::string& relation, const auto& table, auto& keys) {
    for (const auto& [key, by] : keys)
      if (const auto* row = table.find(key); row && !is_counted_by_rows(key))
        to.push_back({undo_block, by.event, relation, image_of(key, *row, by), piece_});
    keys.clear();
  };
#define CREDENCE_TABLE(name, relation, ...) put(relation, rows_.name, touched_.name);
  CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
  fresh_.clear();
  ++piece_;
}

} // namespace credence::chain
