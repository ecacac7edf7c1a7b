#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/kernel/ask.hpp"

#include <span>
#include <string>
#include <string_view>

namespace credence::http {

/// Shape of error bodies: `{message, code, issues?}` (v2) or
/// `{ok:false, error:{code, message, fields?}}` (v1).
enum class error_shape : std::uint8_t { v2, v1 };

/// v1 below /api/v1, v2 everywhere else.
error_shape shape_for(std::string_view path) noexcept;

/// Status and `code` of an error that clients see.
struct error_kind {
  unsigned status;
  std::string_view code;
};
error_kind kind_of(refusal_code why) noexcept;
error_kind kind_of(failure why) noexcept;

/// The code of a fault of ours, with status 500.
std::string_view fault_code(error_shape shape) noexcept;

/// What a client is told about a failure of the machinery. Only of what may have written is the outcome unknown.
std::string_view message_of(failure why, bool only_read) noexcept;

/// Appends the error body. In the v1 shape BAD_REQUEST is called VALIDATION_ERROR, and `issues` are `fields`,
/// each with a `path` to what it is about (spec: "Errors").
void write_error(std::string& out, error_shape shape, std::string_view code, std::string_view message,
                 std::span<const std::string> issues = {});

/// Standard reason phrase of a status the service uses.
std::string_view reason_phrase(unsigned status) noexcept;

} // namespace credence::http
