#pragma once

#include "actors/reputation/join_types.hpp"
#include "http/api/sessions/sign_in.hpp"
#include "http/call/call.hpp"
#include "http/call/record_body.hpp"

/// From the wire to questions about joining; each is refused with every mistake.
namespace credence::http::v2 {

/// A profile on its way: signed for, unless an admin asks.
struct profile_order {
  reputation::create_profile question;
  std::optional<unsigned_claim> claim;
};
/// `{message, signature, inviter?}`: a message with `profile_statement` and a nonce of this service; or of an admin
/// (`may_name`)
/// `{address, inviter?}`.
outcome<profile_order> read_profile_order(const call& c, bool may_name);

/// `{displayName?, username?, avatarUrl?, description?}`, of the caller.
outcome<reputation::edit_profile> read_profile_edit(const call& c);

struct link_order {
  reputation::link_address question;
  unsigned_claim claim;
};
/// `{message, signature}`: a message of the address to link, with `link_statement` of the caller.
outcome<link_order> read_link_order(const call& c);
/// `{address}`, of the caller.
outcome<reputation::unlink_address> read_unlink(const call& c);

/// `{address}`, of the caller.
outcome<reputation::send_invitation> read_invitation(const call& c);
/// `{id}`, of the caller.
outcome<reputation::cancel_invitation> read_cancel(const call& c);

} // namespace credence::http::v2
