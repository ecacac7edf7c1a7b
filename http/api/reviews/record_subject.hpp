#pragma once

#include "actors/reputation/record_words.hpp"
#include "http/call/json_body.hpp"
#include "http/call/json_writer.hpp"

/// What a userkey means as the subject of a record.
namespace credence::http {

/// The userkey in the member `subject`, which is required; mistakes go to the body's.
people::lookup_key read_subject(json_body& body);

/// Whether the key says by itself what it means: a wallet, or an account by its id.
bool names_itself(const people::lookup_key& key);

/// The subject of a review: a wallet or an account. A profile stands for its primary address, or else for an account of
/// it; a handle for the account that has it. Refused with `not_found` when the key leads to nobody and names neither.
outcome<reputation::named_subject> record_subject_of(const people::lookup_key& key, const people::user_bundle* who);

/// The userkey that names a subject.
std::string userkey_of(const reputation::named_subject& who);

/// `subject`, the address or the zero address, and `attestationDetails`, the account or empty texts; then
/// `subjectUserkey`.
void encode_subject(json_writer& to, const reputation::named_subject& who);

} // namespace credence::http
