#pragma once

#include "actors/reputation/catalogue_types.hpp"
#include "http/call/json_body.hpp"

namespace credence::http {

namespace v2 {

/// A category or a chain as it is to be, without its id; mistakes go to the body's.
reputation::category_record read_new_category(json_body& body);
reputation::chain_record read_new_chain(json_body& body);

} // namespace v2

} // namespace credence::http
