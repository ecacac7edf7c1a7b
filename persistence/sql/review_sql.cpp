#include "persistence/sql/reputation_sql.hpp"

/// Reviews.
namespace credence::persistence {

namespace {

using reputation::review_record;
constexpr const auto& review_fields = part<review_record>::fields;

const statement insert_review{"insert_review", insert_one<reputation::review_created>("reviews")};
const statement edit_review{"edit_review", update_one<reputation::review_edited>("reviews")};
const statement archive_review{"archive_review", update_one<reputation::review_archived>("reviews")};

const auto reviews_sql = "SELECT " + column_list(review_fields, "r.") + select_account
                         + " FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation ="
                           " r.subject_generation WHERE r.id = ANY($1::int4[]) AND r.author_profile IS NOT NULL";

} // namespace

fact_sql_ptr sql_of(kind<reputation::review_created> it) {
  return written_by(it, {&open_subject, &insert_review}, [](const auto& fresh, global_seq seq, batch_statements& to) {
    put_subject(to, fresh.subject, fresh.record.created_at);
    to.put(insert_review, columns_of(fresh, seq));
  });
}
number_column numbers_of(kind<reputation::review_created>) { return {"reviews"}; }
fact_sql_ptr sql_of(kind<reputation::review_edited> it) { return written_in_turn(it, edit_review); }
fact_sql_ptr sql_of(kind<reputation::review_archived> it) { return written_in_turn(it, archive_review); }

std::vector<review_record> read_reviews_here(connection& on, const std::set<review_id>& which, steady_time deadline) {
  if (which.empty())
    return {};
  const auto found = on.run(reviews_sql.c_str(), with(array_of(which)), deadline);
  auto out = all_of(found, review_fields);
  add_accounts(out, found);
  return out;
}

std::optional<reputation::review_record> read(connection& on, const reputation::get_review& query,
                                              steady_time deadline) {
  return first_in(read_reviews_here(on, {query.id}, deadline));
}
load_handler handler(asked<reputation::get_review> it) { return reads<load_by_key, reputation::storage>(it); }

} // namespace credence::persistence
