#include "http/api/slashes/slash_json.hpp"

#include "auth/address.hpp"
#include "http/call/page_json.hpp"

namespace credence::http {

namespace {

void encode_subject(json_writer& to, const slash::subject& subject) {
  to.key("subject");
  if (subject.wallet)
    to.value(auth::checksummed_text(*subject.wallet));
  else
    to.null();
  to.key("attestationDetails");
  if (!subject.account)
    return to.null();
  to.begin_object();
  to.field("service", people::name_of(subject.account->service));
  to.field("account", subject.account->id);
  to.end_object();
}

/// The tally is told when it is final, and so is how others voted (roles).
void encode_result(json_writer& to, const std::optional<slash::closing>& closing) {
  to.field("status", closing ? "closed" : "open");
  to.key("outcome");
  if (!closing) {
    to.null();
    to.key("votes");
    return to.null();
  }
  to.value(slash::verdict_names[static_cast<std::size_t>(closing->how)]);
  to.key("votes");
  to.begin_object();
  to.field("slash", closing->votes.slash);
  to.field("defend", closing->votes.defend);
  to.end_object();
}

} // namespace

void encode(json_writer& to, const slash::slash_record& record) {
  const auto closed_at = record.closed ? unix_seconds(record.closed->at) : 0;
  const bool cancelled = record.closed && record.closed->how == slash::verdict::cancelled;
  to.begin_object();
  to.field("id", record.id);
  to.field("authorProfileId", record.author);
  encode_subject(to, record.subject);
  to.field("slashType", slash::type_names[static_cast<std::size_t>(record.type)]);
  to.field("amount", record.amount);
  to.field("duration", static_cast<std::int64_t>(record.lasts.count()));
  to.field("comment", record.comment);
  to.field("metadata", record.metadata);
  to.field("createdAt", unix_seconds(record.created_at));
  to.field("closedAt", closed_at);
  to.field("cancelledAt", cancelled ? closed_at : 0);
  to.field("closesAt", unix_seconds(record.ends_at()));
  encode_result(to, record.closed);
  to.end_object();
}

void encode(json_writer& to, const slash::slash_page& page) {
  to.begin_object();
  encode_page(to, page.values, page.total, page.slice, [&](const auto& each) { encode(to, each); });
  to.end_object();
}

void encode(json_writer& to, const slash::get_roles::answer_type& type) {
  to.begin_object();
  for (const auto& [who, role] : type) {
    to.key(std::int64_t{who.value});
    to.value(slash::role_names[static_cast<std::size_t>(role)]);
  }
  to.end_object();
}

} // namespace credence::http
