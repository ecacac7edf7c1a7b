#pragma once

#include "actors/reputation/record_storage.hpp"
#include "persistence/postgres/column.hpp"
#include "persistence/readers/manner.hpp"
#include "persistence/sql/reputation_words.hpp"
#include "persistence/verify/promises.hpp"
#include "persistence/writer/fact_sql.hpp"

/// What all records share: the rows that requests are decided over, and subjects.
namespace credence::persistence {

/// Adds an id, an address or a number, or null.
template <class Tag>
parameters& put_if_any(parameters& to, const std::optional<id<Tag>>& which) {
  return which ? to.int4(which->value) : to.null();
}
inline parameters& put_if_any(parameters& to, const std::optional<std::int32_t>& number) {
  return number ? to.int4(*number) : to.null();
}
inline parameters& put_if_any(parameters& to, const std::optional<address>& which) {
  return which ? to.bytes(which->bytes) : to.null();
}

/// Makes a subject, with its user where it is nobody's.
extern const statement open_subject;
parameters open_subject_with(const reputation::fresh_subject& fresh, timestamp at);

/// Reads the columns `subject_key`, `subject_generation`, `subject_service` and `subject_account`.
struct named_subject_columns {
  const rows& in;
  column<std::string_view> key{in, "subject_key"};
  column<std::int32_t> generation{in, "subject_generation"};
  column<std::optional<people::account_service>> service{in, "subject_service"};
  column<std::optional<std::string>> account{in, "subject_account"};

  reputation::subject_ref subject(int row) const {
    reputation::subject_ref out{{reputation::subject_key{std::as_bytes(std::span{key[row]})}, std::nullopt},
                                generation[row]};
    if (const auto known = service[row])
      out.name.account = reputation::account{*known, account[row].value()};
    return out;
  }
};

/// The rows behind some requests, within a transaction of the caller.
reputation::stored_records read_records_here(connection& on, const reputation::record_keys& keys, steady_time deadline);
/// The same, of one snapshot.
reputation::stored_records read(connection& on, const reputation::load_records& query, steady_time deadline);
template <>
inline constexpr manner manner_of<reputation::load_records> = load_by_key;

} // namespace credence::persistence
