#pragma once

#include "actors/domain/hash.hpp"
#include "actors/domain/ids.hpp"
#include "actors/domain/page.hpp"
#include "actors/domain/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Partners: applications whose pages act for a profile, each named by its origin, such as `https://partner.example`.
namespace credence::profile {

/// Whether the pages of a partner may act for a profile.
struct partner_grant {
  std::string origin;
  bool enabled = false;
  timestamp changed_at{};
};

/// A code that a partner's page trades for a session, once. Of the code itself only its SHA-256 is known here.
struct partner_code {
  digest32 hash{};
  std::string origin; // whose pages alone may trade it
  timestamp expires_at{};
};

/// What a partner did for a profile, as the audit tells it.
struct partner_act {
  std::int64_t number = 0; // of the audit
  timestamp at{};
  std::string act;
  std::string subject;
  std::optional<std::string> detail;
};

// -- changes ------------------------------------------------------------------

struct partner_switched {
  profile_id profile;
  partner_grant grant;
};
/// The profile's owner has let a partner's page sign in: that allows its pages to act, too.
struct partner_code_made {
  profile_id profile;
  partner_code code;
  timestamp at{};
};

// -- questions ----------------------------------------------------------------

/// Lets the pages of a partner act for the profile, or ends that. Where nothing changes, the answer is the grant as it
/// is. Refused with `profile_not_live`, unless an operator ends it.
struct switch_partner {
  using answer_type = partner_grant;
  profile_id profile;
  std::string origin;
  bool enabled = false;
  bool dry_run = false;  // only answers how it would stand
  bool by_order = false; // of an operator
};

/// Whether the pages of a partner may act for the profile. Refused with `endpoint_disabled`.
struct check_partner {
  static constexpr bool brief = true;
  using answer_type = partner_grant;
  profile_id profile;
  std::string origin;
};

/// Every partner that was ever let in, by origin.
struct list_partners {
  using answer_type = std::vector<partner_grant>;
  profile_id profile;
};

/// Keeps a code, and lets the pages of its origin act. Refused with `profile_not_live`.
struct make_partner_code {
  using answer_type = partner_code;
  profile_id profile;
  partner_code code;
};

/// What the partner did for the profile, newest first.
struct list_partner_acts {
  using answer_type = std::vector<partner_act>;
  profile_id profile;
  std::string origin;
  page slice;
};

// -- loading ------------------------------------------------------------------

struct stored_partners {
  std::vector<partner_grant> grants;
  std::vector<partner_code> codes; // not used, and not expired by the database's clock
};

} // namespace credence::profile
