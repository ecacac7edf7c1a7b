#pragma once

#include "http/call/call.hpp"

/// Validator tokens. No contract of theirs is followed: who owns one is what users say (`validatorNftCount`), and no
/// token, no offer and no auction is known.
namespace credence::http::v2 {

/// GET /api/v2/xp/validators: an empty list.
void get_no_validators(call& c);
/// GET /api/v2/nfts/validators/listings, /auctions: empty pages.
void get_no_listings(call& c);
void get_no_auctions(call& c);
/// GET /api/v2/nfts/user/{userkey}: an empty page of a user who is there.
void get_tokens_of_user(call& c);
/// GET /api/v2/nfts/user/{userkey}/owns-validator: `{ownsValidator}`
void get_owns_validator(call& c);

} // namespace credence::http::v2
