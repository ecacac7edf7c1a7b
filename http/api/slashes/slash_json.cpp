#include "http/api/slashes/slash_json.hpp"

#include "auth/address.hpp"
#include "http/call/page_json.hpp"

namespace credence::http {

namespace {

void encode_subject(json_writer& to, const slash::subject& what) {
  to.key("subject");
  if (what.wallet)
    to.value(auth::checksummed_text(*what.wallet));
  else
    to.null();
  to.key("attestationDetails");
  if (!what.account)
    return to.null();
  to.begin_object();
  to.field("service", people::name_of(what.account->service));
  to.field("account", what.account->id);
  to.end_object();
}

/// The tally is told when it is final, and so is how others voted (roles).
void encode_result(json_writer& to, const std::optional<slash::closing>& what) {
  to.field("status", what ? "closed" : "open");
  to.key("outcome");
  if (!what) {
    to.null();
    to.key("votes");
    return to.null();
  }
  to.value(slash::verdict_names[static_cast<std::size_t>(what->how)]);
  to.key("votes");
  to.begin_object();
  to.field("slash", what->votes.slash);
  to.field("defend", what->votes.defend);
  to.end_object();
}

} // namespace

void encode(json_writer& to, const slash::slash_record& what) {
  const auto closed_at = what.closed ? unix_seconds(what.closed->at) : 0;
  const bool cancelled = what.closed && what.closed->how == slash::verdict::cancelled;
  to.begin_object();
  to.field("id", what.id);
  to.field("authorProfileId", what.author);
  encode_subject(to, what.subject);
  to.field("slashType", slash::type_names[static_cast<std::size_t>(what.type)]);
  to.field("amount", what.amount);
  to.field("duration", static_cast<std::int64_t>(what.lasts.count()));
  to.field("comment", what.comment);
  to.field("metadata", what.metadata);
  to.field("createdAt", unix_seconds(what.created_at));
  to.field("closedAt", closed_at);
  to.field("cancelledAt", cancelled ? closed_at : 0);
  to.field("closesAt", unix_seconds(what.ends_at()));
  encode_result(to, what.closed);
  to.end_object();
}

void encode(json_writer& to, const slash::slash_page& what) {
  to.begin_object();
  encode_page(to, what.values, what.total, what.slice, [&](const auto& each) { encode(to, each); });
  to.end_object();
}

void encode(json_writer& to, const slash::get_roles::answer_type& what) {
  to.begin_object();
  for (const auto& [who, role] : what) {
    to.key(std::int64_t{who.value});
    to.value(slash::role_names[static_cast<std::size_t>(role)]);
  }
  to.end_object();
}

} // namespace credence::http
