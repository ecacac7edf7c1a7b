#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/profile/partner_types.hpp"

#include <cstddef>
#include <vector>

namespace credence::profile {

/// Which partners may act for one profile, and the codes that their pages were handed. What is on its way to the
/// database counts already where it forbids something, and not yet where it allows something.
class partners {
public:
  /// Codes that may be traded at the same time; a further one takes the place of the oldest.
  static constexpr std::size_t codes_max = 8;

  explicit partners(stored_partners stored);

  // -- rules: `decide` may refuse and changes nothing; `apply` makes it pending; `commit` makes it so; `take_back`
  // undoes
  //    whatever is pending. A profile that is archived has been refused before.
  /// Refuses with `not_found` to switch off what was never let in: there is nothing to write.
  outcome<partner_switched> decide(const switch_partner& command, timestamp now) const;
  partner_code_made decide(const make_partner_code& command, timestamp now) const;
  /// Why a code cannot be traded for a session of that origin, if so.
  std::optional<refusal> refuses(const digest32& code, const std::string& origin, timestamp now) const;

  void apply(const partner_switched& change);
  void apply(const partner_code_made& change);
  void commit(const partner_switched& change);
  void commit(const partner_code_made& change);
  void use(const digest32& code);
  void commit_use(const digest32& code);
  void take_back();

  /// Whether the pages of an origin may act; refused with `endpoint_disabled`.
  outcome<partner_grant> check(const std::string& origin) const;
  /// How the switch stands, if it was ever touched.
  const partner_grant* find(const std::string& origin) const;
  /// All of them, by origin.
  std::vector<partner_grant> list() const;

private:
  enum class phase : std::uint8_t { coming, here, going };
  struct code_entry {
    partner_code code;
    phase now = phase::here;
  };
  void set(const partner_grant& grant);
  void end_pending(const std::string& origin);

  std::vector<partner_grant> grants_;   // as committed
  std::vector<partner_grant> switches_; // on their way
  std::vector<code_entry> codes_;
};

} // namespace credence::profile
