#pragma once

#include "actors/reputation/catalogue_types.hpp"
#include "http/call/call.hpp"

/// What requests that make and edit categories and chains ask for, read from their bodies and paths.
namespace credence::http::v2 {

outcome<reputation::create_category> read_category(const call& c);
outcome<reputation::edit_category> read_category_edit(const call& c);
outcome<reputation::create_chain> read_chain(const call& c);
outcome<reputation::edit_chain> read_chain_edit(const call& c);

} // namespace credence::http::v2
