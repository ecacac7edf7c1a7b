#pragma once

#include "actors/chain/chain_rows.hpp"
#include "actors/chain/follow_types.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

/// Rows as they are written: JSON objects of columns, by the names of tables and columns in the database.
namespace credence::chain {

/// The bytes of a subject's column: 4 of a profile's id (the high one first), 20 of an address, or 32 of an account's
/// hash.
std::vector<std::byte> bytes_of(const subject_key& key);

class row_object; // a JSON object of columns

/// Collects rows that change, and writes each one out as it stands in the end.
class row_images {
public:
  row_images(chain_rows& rows, const std::string& default_avatar)
    : rows_(rows), avatar_(default_avatar), mark_(rows.mark()) {}

  /// What has changed since the last call is this event's doing, in a block of that time.
  void note(std::int64_t event, std::int64_t block, unix_time at);
  /// Adds the rows that changed since the last time, in the order of tables, as a piece of their own.
  /// `undo_block`: which may be taken back; 0: none.
  void write(std::vector<row_image>& to, std::int64_t undo_block);

private:
  struct origin {
    std::int64_t event = 0, block = 0;
    unix_time at;
  };
  template <class Key>
  using touched = std::map<Key, origin>;

  template <class Key, class Row, class Index>
  void note_table(const row_table<Key, Row, Index>& table, std::size_t mark, touched<Key>& to, const origin& by);
  void note_primaries(const origin& by);
  std::string name_of(user_id of) const;
  bool is_primary(const address& which, user_id whose) const;

  template <class Key, class Row>
  std::string image_of(const Key& key, const Row& row, const origin& by) const;
  void add(row_object& to, user_id key, const user_row& row, const origin& by) const;
  void add(row_object& to, profile_id key, const profile_row& row, const origin& by) const;
  void add(row_object& to, const address& key, const address_row& row, const origin& by) const;
  void add(row_object& to, attestation_id key, const attestation_row& row, const origin& by) const;
  void add(row_object& to, profile_id key, const placeholder_row& row, const origin& by) const;
  void add(row_object& to, review_id key, const review_row& row, const origin& by) const;
  void add(row_object& to, reply_id key, const reply_row& row, const origin& by) const;
  void add(row_object& to, const vouch_key& key, const vouch_row& row, const origin& by) const;
  void add(row_object& to, bond_id key, const bond_row& row, const origin& by) const;
  void add(row_object& to, project_id key, const project_row& row, const origin& by) const;
  void add(row_object& to, slash_id key, const slash_row& row, const origin& by) const;
  void add(row_object& to, const market_key& key, const market_row& row, const origin& by) const;
  void add(auto&, const auto&, const auto&, const origin&) const {} // nothing else

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

} // namespace credence::chain
