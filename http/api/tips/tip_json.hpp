#pragma once

#include "actors/profile/xp_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// `{tipId, senderNewBalance, receiverNewBalance?}`.
void encode(json_writer& to, const profile::tip_receipt& what);
/// A page of `{id, amount, createdAt, message, senderProfileId, receiverUserId, source}`.
void encode(json_writer& to, const profile::tip_list& what);
/// `{sent: {count, total}, received: {count, total}}`.
void encode(json_writer& to, const profile::tip_figures& what);

} // namespace credence::http
