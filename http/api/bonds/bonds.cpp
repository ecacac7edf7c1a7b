#include "http/api/bonds/bonds.hpp"

#include "config/limits.hpp"
#include "http/api/bonds/operations.hpp"
#include "http/api/record_commands.hpp"

namespace credence::http {

void encode_members(json_writer& to, const reputation::bond_record& record) {
  to.field("id", record.id);
  to.field("bondType", record.type);
  to.field("statement", record.statement);
  to.field("amount", record.amount);
  to.field("amountType", record.amount_type);
  to.field("expiration", record.expires_at == timestamp{} ? std::nullopt : std::optional{record.expires_at});
  to.field("authorProfileId", record.author);
  to.field("archived", record.ended.has_value());
  to.field("archivedAt", record.ended ? std::optional{record.ended->at} : std::nullopt);
  to.field("archiveReason", record.ended ? std::optional{record.ended->reason} : std::nullopt);
  to.field("createdAt", record.created_at);
  to.field("updatedAt", record.updated_at);
  to.object("metadata", [&] {
    to.field("subjectProfileId", record.subject_profile ? std::optional{record.subject_profile} : std::nullopt);
    to.field("verificationMethod",
             record.method
               ? std::optional{reputation::verification_method_names[static_cast<std::size_t>(*record.method)]}
               : std::nullopt);
    to.field("comment", record.comment);
  });
}

std::string bond_link(const std::string& public_url, reputation::bond_id which) {
  return public_url + "/api/v2/activities/bond/" + std::to_string(which.value);
}

namespace v2 {

namespace {

/// The moment at which the bond is to end; a day alone stands for its end.
std::optional<timestamp> read_expiration(json_body& body) {
  const auto text = body.text("expiration");
  if (!text)
    return std::nullopt;
  auto at = parse_moment(*text, day_edge::end);
  if (!at)
    body.issue("expiration must be an ISO 8601 datetime such as 2029-01-31T12:00:00Z, not " + shown(*text));
  return at;
}

/// A change of the bond in the path, with what `read` takes from the body.
template <class Question, class Read>
void change(call& c, Read read) {
  submit(c, read_command<Question>(c, [&](Question& out, parameters&, json_body& body) {
           out.id = c.path_id<reputation::bond_id>("id");
           out.by = c.caller()->profile;
           read(body, out);
         }));
}

} // namespace

void create_bond(call& c) {
  submit(c, read_command<reputation::create_bond>(c, [&](reputation::create_bond& out, parameters&, json_body& body) {
           out.by = c.caller()->profile;
           out.author = read_profile(body, "authorProfileId");
           out.subject = read_profile(body, "subjectProfileId");
           out.type = read_words(body, "bondType", 1, limits::bond_word_length_max);
           out.amount = read_words(body, "amount", 1, limits::bond_word_length_max);
           out.amount_type = read_words(body, "amountType", 1, limits::bond_word_length_max);
           out.statement = read_words(body, "statement", 0, limits::bond_statement_length_max);
           if (body.has("verificationMethod"))
             out.method = static_cast<reputation::verification_method>(
               read_one_of(body, "verificationMethod", reputation::verification_method_names));
           out.comment = read_words(body, "comment", 0, limits::verification_comment_length_max);
           out.expires_at = read_expiration(body);
         }));
}

void replay_create_bond(call& c, const idempotency::found_record& done) { show_made<reputation::get_bond>(c, done); }

void archive_bond(call& c) {
  change<reputation::archive_bond>(c, [](json_body& body, reputation::archive_bond& to) {
    to.reason = read_words(body, "reason", 1, limits::bond_word_length_max);
  });
}

void set_bond_expiration(call& c) {
  change<reputation::set_bond_expiration>(c, [](json_body& body, reputation::set_bond_expiration& to) {
    const auto at = read_expiration(body);
    if (!at && body.good())
      body.issue("expiration is required: an ISO 8601 datetime such as 2029-01-31T12:00:00Z");
    to.expires_at = at.value_or(timestamp{});
  });
}

void replay_change_bond(call& c, const idempotency::found_record&) { show_record<reputation::get_bond>(c); }

} // namespace v2

} // namespace credence::http
