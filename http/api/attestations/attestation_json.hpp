#pragma once

#include "actors/reputation/attestation_types.hpp"
#include "http/call/json_writer.hpp"

namespace credence::http {

/// An attestation (docs/api/records.md) as in everything about a person, with `evidence` and `updatedAt`; moments are
/// Unix seconds. `id` is 0 in the answer to a dry run that would make one.
void encode(json_writer& to, const reputation::attestation_record& record);

} // namespace credence::http
