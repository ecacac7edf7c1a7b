#pragma once

#include "actors/reputation/join_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// `{id, senderProfileId, recipientAddress, status, dateInvited, dateAccepted, profileId}`; dates are ISO 8601 or null.
void encode(json_writer& to, const reputation::invitation_record& record);

} // namespace credence::http
