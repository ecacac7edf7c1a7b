#pragma once

#include "actors/domain/outcome.hpp"
#include "actors/reputation/record_rows.hpp"
#include "config/settings.hpp"

#include <optional>
#include <string>

/// What the rules of all kinds of records share. Each kind has, for each of its questions:
///
///   void add_keys(const Q& asked, record_keys& to);    which rows it is decided over
///   outcome<decided<answer, change>> decide(const record_rows& rows, const Q& asked, const settings::people& how,
///   timestamp now);
///
/// `decide` changes nothing.
namespace credence::reputation {

/// A yes: what is answered once the change is stored, or at once where nothing has to change.
template <class Answer, class Change>
struct decided {
  Answer answer;
  std::optional<Change> change;
};

/// The profile, where it is live and its block is settled; else the refusal.
outcome<profile_row> live(const record_rows& rows, profile_id who);

/// Why no record may be about a subject yet, if so: an event said whose it is in a block that is not settled.
std::optional<refusal> unsettled(const record_rows& rows, const subject_key& subject);

/// What a text that may be left out is after an edit: an empty one stands for none.
inline std::optional<std::string> if_any(const std::optional<std::string>& fresh,
                                         const std::optional<std::string>& before) {
  if (!fresh)
    return before;
  return fresh->empty() ? std::nullopt : fresh;
}

/// The refusal of one more review or vouch of a profile that has made enough for a day.
refusal too_many_of(profile_id author);

} // namespace credence::reputation
