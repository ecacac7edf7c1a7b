#pragma once

#include "actors/profile/xp_types.hpp"
#include "http/json_writer.hpp"

namespace credence::http::v2 {

/// `{tipId, senderNewBalance, receiverNewBalance?}` (facts 1.7).
void encode(json_writer& to, const profile::tip_receipt& what);
/// A page of `{id, amount, createdAt, message, senderProfileId, receiverUserId, source}`.
void encode(json_writer& to, const profile::tip_list& what);
/// `{sent: {count, total}, received: {count, total}}`.
void encode(json_writer& to, const profile::tip_figures& what);

} // namespace credence::http::v2
