#pragma once

#include "actors/domain/time.hpp"
#include "persistence/postgres/connection.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What an export of the service holds. Each entity is declared once: its members, where their values come from and
/// what they mean. The statements, the members of NDJSON, the header of CSV and the table of docs/moving.md are made
/// from that.
namespace credence::persistence {

/// How a member is written: `number` as a whole number, `yes_no` as true or false, `moment` as RFC 3339 in UTC with
/// microseconds, `bytes` as 0x and hex digits, `money` as the digits of a whole number in a text, `json` as a list.
enum class member_kind : std::uint8_t { number, text, yes_no, moment, bytes, money, json };

/// The kind in the words of the documentation.
std::string_view kind_name(member_kind kind);

struct exported_member {
  std::string_view name;
  member_kind kind;
  std::string_view sql; // over the entity's `from`
  std::string_view about;
};

/// A part of what rows are in the order of. Together the parts are unique and never change, so an export goes on behind
/// the last row it has.
struct exported_key {
  std::string_view member; // that tells its value
  std::string_view sql;    // what rows are ordered by
  std::string_view before; // SQL around the member's text that makes the value of it again
  std::string_view after;
};

struct exported_entity {
  std::string_view name;
  std::string_view about;
  std::string_view from;
  std::string_view moment; // when a row came about, which `--since` and `--until` go by; empty: all rows are exported
  std::span<const exported_member> members;
  std::span<const exported_key> key;
};

/// All of them, facts before the people and projects that they name: whatever a fact names is there when its turn
/// comes.
std::span<const exported_entity> exported_entities();
/// Null: there is no such entity.
const exported_entity* exported_entity_named(std::string_view name);

/// Moments from `since` up to, but without, `until`; of either side open.
struct exported_range {
  std::optional<timestamp> since;
  std::optional<timestamp> until;
};

/// A row: the texts of its members, in their order; nothing for null.
using exported_row = std::span<const std::optional<std::string_view>>;

/// Reads an entity in the order of its key, a page of `exported_page_rows` rows at a time, each page a statement of its
/// own.
inline constexpr int exported_page_rows = 1000;
class exported_rows {
public:
  /// Behind the row whose key has these texts; empty: from the beginning.
  exported_rows(connection& on, const exported_entity& which, const exported_range& range,
                std::vector<std::string> behind);
  /// Calls `take` with each row of the next page. False: there was none.
  bool next(const std::function<void(exported_row)>& take, steady_time deadline);

private:
  connection& on_;
  const exported_entity& which_;
  exported_range range_;
  std::vector<std::string> behind_; // the key of the last row
};

} // namespace credence::persistence
