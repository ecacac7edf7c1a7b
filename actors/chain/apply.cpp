#include "actors/chain/apply.hpp"

#include "actors/chain/chain_rows.hpp"
#include "actors/chain/chain_state.hpp"
#include "actors/chain/follow_types.hpp"
#include "actors/domain/hash.hpp"
#include "actors/kernel/fact_json.hpp"

#include <algorithm>
#include <concepts>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Rows as they are written: JSON objects of columns, by the names of tables and columns in the database.
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
  void append(contract_kind which) { append(name_of(which)); }
  template <class E>
  requires(!words_of<E>.empty()) void append(E word) { append(credence::word_of(word)); }
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

/// Calls `visit(name, value)` for each of the columns, in order.
template <with_columns Row, class Visit>
void for_each_column(const Row& row, Visit&& visit) {
  Row::columns.apply([&](const auto&... each) { (visit(std::string_view{each.name}, each.of(row)), ...); });
}

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

/// Collects rows that change, and writes each one out as it stands in the end.
class row_images {
public:
  row_images(chain_rows& rows, const std::string& default_avatar)
    : rows_(rows), avatar_(default_avatar), mark_(rows.mark()) {}

  /// What has changed since the last call is this event's doing, in a block of that time.
  void note(std::int64_t event_id, std::int64_t block, unix_time at) {
    const origin by{event_id, block, at};
    std::size_t i = 0;
#define CREDENCE_TABLE(name, ...) note_table(rows_.name, mark_[i++], touched_.name, by);
    CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
    note_primaries(by);
    mark_ = rows_.mark();
  }
  /// Adds the rows that changed since the last time, in the order of tables, as a piece of their own.
  /// `undo_block`: which may be taken back; 0: none.
  void write(std::vector<row_image>& to, std::int64_t undo_block) {
    const bool in_vain = rows_.misses_any();
    first_subjects_.clear();
    if (!fresh_.empty())
      for (const auto& [place, row] : rows_.subjects.all())
        if (fresh_.contains(row.user))
          first_subjects_.emplace(row.user, place);
    const auto put = [&](const std::string& relation, const auto& table, auto& keys) {
      for (const auto& [key, by] : keys)
        if (const auto* row = in_vain ? nullptr : table.find(key); row && !is_counted_by_rows(key))
          to.push_back({undo_block, by.event, relation, image_of(key, *row, by), piece_});
      keys.clear();
    };
#define CREDENCE_TABLE(name, relation, ...) put(relation, rows_.name, touched_.name);
    CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
#undef CREDENCE_TABLE
    fresh_.clear();
    ++piece_;
  }

private:
  struct origin {
    std::int64_t event = 0, block = 0;
    unix_time at;
  };
  template <class Key>
  using touched = std::map<Key, origin>;

  template <class Key, class Row, class Index>
  void note_table(const row_table<Key, Row, Index>& table, std::size_t mark, touched<Key>& to, const origin& by) {
    for (const auto& [key, before] : table.before(mark)) {
      if constexpr (std::is_same_v<Row, user_row>)
        if (!before)
          fresh_.insert(key);
      to.insert_or_assign(key, by);
    }
  }

  /// Which address is the primary one is told by the addresses; the rows that it takes are looked for here, as nothing
  /// is written before they are read.
  void note_primaries(const origin& by) {
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
    for (const auto& [key, origin] : addresses)
      if (const auto* row = rows_.addresses.find(key))
        is_primary(key, row->user);
  }

  bool is_primary(const address& which, user_id whose) const {
    const auto* user = rows_.users.find(whose);
    const auto* profile = user && user->profile ? rows_.profiles.find(*user->profile) : nullptr;
    return !profile || profile->primary == which;
  }

  /// Who has no name is called by the wallet, the account or the hash of the account.
  std::string name_of(user_id of) const {
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

  // What is written besides `Row::columns`.

  void add(row_object& to, user_id key, const user_row& row, const origin& by) const {
    to.put("status", row.merged_into ? "MERGED" : row.active ? "ACTIVE" : "INACTIVE");
    if (fresh_.contains(key))
      to.put("display_name", name_of(key)).put("avatar_url", avatar_).put("first_seen_at", by.at);
  }
  void add(row_object& to, profile_id, const profile_row& row, const origin& by) const {
    to.put("updated_at", std::max(row.created_at, by.at)).put("told_inviter", row.inviter);
  }
  void add(row_object& to, const address& key, const address_row& row, const origin& by) const {
    to.put("kind", is_primary(key, row.user) ? "primary" : "linked").put("added_at", by.at);
  }
  void add(row_object& to, attestation_id, const attestation_row& row, const origin& by) const {
    to.put("hash", attestation_hash(row.service, row.account));
    if (const auto* profile = rows_.profiles.find(row.profile))
      to.put("user_id", profile->user);
    to.put("evidence", row.evidence.empty() ? std::nullopt : std::optional{row.evidence})
      .put("updated_at", std::max(row.created_at, by.at));
  }
  void add(row_object& to, profile_id, const placeholder_row& row, const origin&) const {
    if (row.names)
      put_key<placeholder_row>(to, *row.names);
    else
      to.null("key").null("generation");
  }
  void add(row_object& to, review_id, const review_row&, const origin&) const {
    to.put("comment", "").put("metadata", "");
  }
  void add(row_object& to, reply_id, const reply_row&, const origin&) const {
    to.put("content", "").put("metadata", "");
  }
  void add(row_object& to, const vouch_key& key, const vouch_row& row, const origin&) const {
    if (row.wallet)
      to.put("author_address", *row.wallet);
    to.put("token", key.contract == contract_kind::vouch ? "eth" : "whuf")
      .put("told_parts", text_of(row.parts))
      .put("comment", "")
      .put("metadata", "")
      .put("unhealthy", row.unhealthy_at.has_value());
  }
  void add(row_object& to, bond_id, const bond_row& row, const origin&) const {
    to.put("statement", "").put("comment", "").put("archived", row.archived_at.has_value());
    if (row.archived_at)
      to.put("archive_reason", row.archive_reason);
    if (row.archived_by)
      to.put("archived_by_wallet", *row.archived_by);
  }
  void add(row_object& to, project_id, const project_row& row, const origin& by) const {
    to.put("updated_at", std::max(row.created_at, by.at));
  }
  /// The outcome is told where the contract or whoever cancelled it said so; else votes decide, where the row is
  /// written.
  void add(row_object& to, slash_id, const slash_row& row, const origin&) const {
    const bool of_address = std::holds_alternative<address>(row.subject);
    to.put(of_address ? "subject_address" : "subject_hash", row.subject)
      .null(of_address ? "subject_hash" : "subject_address")
      .put("subject_user_id", row.user ? std::optional{row.user} : std::nullopt)
      .put("ends_at", row.ends_at())
      .put("outcome", row.ended_by == slash_end::cancelled  ? std::optional{slash_resolution::cancelled}
                      : row.ended_by == slash_end::resolved ? row.resolution
                                                            : std::nullopt);
  }
  void add(row_object& to, const market_key&, const market_row& row, const origin&) const {
    if (row.in_tokens)
      for_each_column(*row.in_tokens, [&](std::string_view name, const auto& value) { to.put(name, value); });
    else
      for_each_column(token_market_terms{}, [&](std::string_view name, const auto&) { to.null(name); });
  }
  void add(auto&, const auto&, const auto&, const origin&) const {} // nothing else

  template <class Key, class Row>
  std::string image_of(const Key& key, const Row& row, const origin& by) const {
    row_object out;
    put_key<Row>(out, key);
    if constexpr (std::same_as<Row, std::string>)
      out.put("value", row).put("event_id", by.event);
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

  chain_rows& rows_;
  const std::string& avatar_;
  std::int32_t piece_ = 0;
  chain_rows::marks mark_;
  std::set<user_id> fresh_;                         // users that were not there
  std::map<user_id, subject_place> first_subjects_; // of these; they are named by them
#define CREDENCE_TABLE(name, relation, key, ...) touched<key> name;
  struct {
    CREDENCE_CHAIN_TABLES(CREDENCE_TABLE)
  } touched_;
#undef CREDENCE_TABLE
};

// -- steps ------------------------------------------------------------------------------------------

std::vector<digest32> topics_in(const std::vector<std::byte>& bytes) {
  constexpr std::size_t topic_bytes = 32;
  std::vector<digest32> out;
  for (std::size_t at = 0; at + topic_bytes <= bytes.size(); at += topic_bytes) {
    digest32 topic{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), topic_bytes, topic.begin());
    out.push_back(topic);
  }
  return out;
}

std::shared_ptr<const event> event_in(const stored_event& stored) {
  if (stored.read.it)
    return stored.read.it;
  auto read = decode_log(stored.contract, topics_in(stored.topics), stored.data);
  auto* known = std::get_if<event>(&read);
  return known ? std::make_shared<const event>(std::move(*known)) : nullptr;
}

std::shared_ptr<const event> followed_event_in(const stored_event& stored, const record_kinds& followed) {
  return stored.log_data && followed.contains(stored.contract) ? event_in(stored) : nullptr;
}

namespace {

/// Whether records are still to be made of the event.
bool waits(const stored_event& stored) {
  return stored.status == event_status::ignored && stored.reason == not_followed;
}

} // namespace

bool needs_rows(const blocks_applied& step, const record_kinds& followed) {
  return followed.contains(record_kind::slash)
         || std::any_of(step.events.begin(), step.events.end(),
                        [&](const stored_event& each) { return waits(each) && followed_event_in(each, followed); });
}

step_fold::step_fold(const fold_step& order) : order_(order) {
  for (const auto& each : order.step.events)
    events_.push_back(waits(each) ? followed_event_in(each, order.followed) : nullptr);
}

std::int64_t step_fold::undo_block_of(block_number block) const {
  return block > order_.step.finalized ? number_of(block) : 0;
}

folded_step step_fold::fold(chain_rows& rows) const {
  const auto& step = order_.step;
  folded_step out;
  fold_effects effects;
  row_images images{rows, order_.default_avatar};
  auto mark = step.blocks.begin();
  auto left = closings_at_once;
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    const auto& stored = step.events[i];
    const auto block = undo_block_of(stored.block);
    // A trial is about the events alone: what their times close is written with the next of them.
    const auto close = [&](unix_time at, block_number in) {
      if (order_.each_event_by_itself)
        close_before(rows, images, {stored.id, in, at});
      else
        write_due(rows, images, {0, in, at}, out, block, left);
    };
    for (; mark != step.blocks.end() && mark->number < stored.block; ++mark)
      close(mark->at, mark->number);
    close(stored.at, stored.block);
    if (out.more_due)
      return out;
    bool alone = order_.each_event_by_itself;
    if (events_[i] && !alone && ends_slash(*events_[i])) {
      images.write(out.rows, block);
      alone = true;
    }
    out.events.push_back(fold_event(rows, i, effects));
    if (events_[i])
      images.note(stored.id, number_of(stored.block), stored.at);
    const bool last_of_group = i + 1 == step.events.size() || undo_block_of(step.events[i + 1].block) != block;
    if (last_of_group || alone)
      images.write(out.rows, block);
  }
  if (!order_.each_event_by_itself) {
    for (; mark != step.blocks.end(); ++mark)
      write_due(rows, images, {0, mark->number, mark->at}, out, 0, left);
    write_due(rows, images, {0, step.tip.number, step.tip.at}, out, 0, left);
  }
  out.effects = {std::move(effects.profiles), std::move(effects.gaps), std::move(effects.projects),
                 !effects.texts.empty()};
  return out;
}

event_outcome step_fold::fold_event(chain_rows& rows, std::size_t which, fold_effects& effects) const {
  const auto& stored = order_.step.events[which];
  if (!events_[which])
    return {stored.id, stored.status, stored.reason};
  const auto bad = std::find_if(order_.refused.begin(), order_.refused.end(), [&](const refused_event& each) {
    return each.block_hash == stored.block_hash && each.log_index == stored.log_index;
  });
  if (bad != order_.refused.end())
    return {stored.id, event_status::failed, bad->reason};
  auto fate = chain::fold(rows, order_.how, {stored.contract, stored.at, stored.id}, *events_[which], effects);
  return {stored.id, fate.status, fate.reason.empty() ? std::nullopt : std::optional{std::move(fate.reason)}};
}

void step_fold::close_before(chain_rows& rows, row_images& images, const closing_place& where) const {
  if (!has_due_slashes(rows, where.at))
    return;
  close_due_slashes(rows, where.at);
  images.note(where.event, number_of(where.block), where.at);
}

/// Writes the rows so far before slashes are closed, so that a closing counts exactly these. `left`: so many more may
/// be closed.
void step_fold::write_due(chain_rows& rows, row_images& images, const closing_place& where, folded_step& to,
                          std::int64_t undo_block_before, int& left) const {
  if (!has_due_slashes(rows, where.at))
    return;
  images.write(to.rows, undo_block_before);
  left -= close_some_slashes(rows, where.at, left);
  images.note(where.event, number_of(where.block), where.at);
  images.write(to.rows, undo_block_of(where.block));
  to.more_due = has_due_slashes(rows, where.at);
}

unix_time closing_until(const blocks_applied& step) {
  unix_time out = step.tip.at;
  for (const auto& each : step.events)
    out = std::max(out, each.at);
  for (const auto& each : step.blocks)
    out = std::max(out, each.at);
  return out;
}

void put_into(blocks_applied& step, folded_step& folded) {
  for (std::size_t i = 0; i < step.events.size(); ++i) {
    step.events[i].status = folded.events[i].status;
    step.events[i].reason = std::move(folded.events[i].reason);
  }
  step.rows = std::move(folded.rows);
}

blocks_tried trial_of(const blocks_applied& step) {
  blocks_tried out;
  out.chain = step.chain;
  out.rows = step.rows;
  for (const auto& each : step.events)
    out.places.push_back({each.id, each.block_hash, each.log_index});
  return out;
}

} // namespace credence::chain
