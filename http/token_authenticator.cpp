#include "http/token_authenticator.hpp"

namespace credence::http {

outcome<principal> token_authenticator::verify(std::string_view bearer) {
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const auto found = cache_.verify(bearer, now);
  if (!found)
    return found.why();
  return principal{found->profile, found->admin || admins_->contains(found->profile)};
}

} // namespace credence::http
