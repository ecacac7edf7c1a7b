#include "http/api/profiles/invitation_json.hpp"

#include "auth/address.hpp"

namespace credence::http {

void encode(json_writer& to, const reputation::invitation_record& what) {
  to.begin_object();
  to.field("id", what.id);
  to.field("senderProfileId", what.sender);
  to.field("recipientAddress", auth::checksummed_text(what.recipient));
  to.field("status", reputation::invitation_status_names[static_cast<std::size_t>(what.status)]);
  to.field("dateInvited", what.invited_at);
  to.field("dateAccepted", what.accepted_at);
  to.field("profileId", what.profile);
  to.end_object();
}

} // namespace credence::http
