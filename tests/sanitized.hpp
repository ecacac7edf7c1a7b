#pragma once

/// Whether this was built with the address sanitizer, which keeps what was freed: memory tells nothing then.
namespace credence::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

} // namespace credence::test
