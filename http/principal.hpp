#pragma once

#include "actors/domain/ids.hpp"

namespace credence::http {

/// Who calls, once a credential has been verified.
struct principal {
  profile_id profile;
  bool admin = false;
};

} // namespace credence::http
