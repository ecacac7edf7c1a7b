#pragma once

#include "actors/profile/xp_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// `{tipId, senderNewBalance, receiverNewBalance?}`.
void encode(json_writer& to, const profile::tip_receipt& receipt);
/// A page of `{id, amount, createdAt, message, senderProfileId, receiverUserId, source}`.
void encode(json_writer& to, const profile::tip_list& list);
/// `{sent: {count, total}, received: {count, total}, totalSent, totalReceived}`.
void encode(json_writer& to, const profile::tip_figures& figures);

} // namespace credence::http
