#include "persistence/sql/review_sql.hpp"

#include "persistence/sql/in_order.hpp"

namespace credence::persistence {

namespace {

using reputation::review_record;

const statement insert_review{
  "insert_review",
  "INSERT INTO reviews (id, author_profile, author_address, subject_key, subject_generation, score, comment, metadata,"
  " created_at, updated_at, seq) VALUES ($1::int4, $2::int4, $3::bytea, $4::bytea, $5::int4, $6::int2, $7::text, "
  "$8::text,"
  " $9::timestamptz, $9::timestamptz, $10::int8)"};
const statement edit_review{
  "edit_review",
  "UPDATE reviews SET comment = $2::text, metadata = $3::text, edits = $4::int4, updated_at = $5::timestamptz"
  " WHERE id = $1::int4"};
const statement archive_review{
  "archive_review", "UPDATE reviews SET archived = $2::boolean, updated_at = $3::timestamptz, taken_down = $4::boolean"
                    " WHERE id = $1::int4"};

constexpr auto reviews_sql =
  "SELECT r.id, r.author_profile, r.author_address, r.subject_key, r.subject_generation, coalesce(s.service, "
  "s.read_service) AS subject_service,"
  " coalesce(s.account, s.read_account) AS subject_account, r.score, r.comment, r.metadata, r.archived, r.created_at, "
  "r.updated_at, r.edits,"
  " r.taken_down"
  " FROM reviews r JOIN subjects s ON s.key = r.subject_key AND s.generation = r.subject_generation"
  " WHERE r.id = ANY($1::int4[]) AND r.author_profile IS NOT NULL";

struct review_columns {
  const rows& in;
  column<review_id> id{in, "id"};
  column<profile_id> author{in, "author_profile"};
  column<std::optional<address>> author_address{in, "author_address"};
  named_subject_columns subject{in};
  column<std::int16_t> score{in, "score"};
  column<std::string> comment{in, "comment"};
  column<std::string> metadata{in, "metadata"};
  column<bool> archived{in, "archived"};
  column<timestamp> created_at{in, "created_at"};
  column<timestamp> updated_at{in, "updated_at"};
  column<std::int32_t> edits{in, "edits"};
  column<bool> taken_down{in, "taken_down"};

  review_record record(int row) const {
    return {id[row],
            author[row],
            author_address[row],
            subject.subject(row),
            static_cast<reputation::review_score>(score[row]),
            comment[row],
            metadata[row],
            archived[row],
            created_at[row],
            updated_at[row],
            edits[row],
            taken_down[row]};
  }
};

} // namespace

statements_used sql_of<reputation::review_created>::used() { return {&open_subject, &insert_review}; }
void sql_of<reputation::review_created>::add(const reputation::review_created& fresh, global_seq seq,
                                             batch_statements& to) {
  const auto& record = fresh.record;
  if (fresh.subject)
    to.put(open_subject, open_subject_with(*fresh.subject, record.created_at));
  parameters with;
  with.int4(record.id.value).int4(record.author.value);
  if (record.author_address)
    with.bytes(record.author_address->bytes);
  else
    with.null();
  with.bytes(record.subject.name.key.bytes())
    .int4(record.subject.generation)
    .int2(static_cast<std::int16_t>(record.score));
  to.put(insert_review, with.text(record.comment).text(record.metadata).time(record.created_at).int8(seq));
}

statements_used sql_of<reputation::review_edited>::used() { return {&edit_review}; }
void sql_of<reputation::review_edited>::add(const reputation::review_edited& edited, global_seq, batch_statements& to) {
  to.put(
    edit_review,
    parameters{}.int4(edited.id.value).text(edited.comment).text(edited.metadata).int4(edited.edits).time(edited.at));
}

statements_used sql_of<reputation::review_archived>::used() { return {&archive_review}; }
void sql_of<reputation::review_archived>::add(const reputation::review_archived& done, global_seq,
                                              batch_statements& to) {
  to.put(archive_review,
         parameters{}.int4(done.id.value).boolean(done.archived).time(done.at).boolean(done.taken_down));
}

std::vector<review_record> read_reviews_here(connection& on, const std::set<review_id>& which, steady_time deadline) {
  std::vector<review_record> out;
  if (which.empty())
    return out;
  auto ids = ids_of(which);
  const auto found = on.run(reviews_sql, parameters{}.array(ids), deadline);
  const review_columns reviews{found};
  for (int i = 0; i < found.count(); ++i)
    out.push_back(reviews.record(i));
  return out;
}

reputation::found_review read(connection& on, const reputation::load_review& query, steady_time deadline) {
  auto found = read_reviews_here(on, {query.id}, deadline);
  return {found.empty() ? std::nullopt : std::optional{std::move(found.front())}};
}

} // namespace credence::persistence
