#include "http/api/profiles/invitation_json.hpp"

#include "auth/address.hpp"

namespace credence::http {

void encode(json_writer& to, const reputation::invitation_record& record) {
  to.begin_object();
  to.field("id", record.id);
  to.field("senderProfileId", record.sender);
  to.field("recipientAddress", auth::checksummed_text(record.recipient));
  to.field("status", reputation::invitation_status_names[static_cast<std::size_t>(record.status)]);
  to.field("dateInvited", record.invited_at);
  to.field("dateAccepted", record.accepted_at);
  to.field("profileId", record.profile);
  to.end_object();
}

} // namespace credence::http
