#pragma once

#include "actors/domain/outcome.hpp"
#include "tests/example/note_types.hpp"

namespace credence::note {

/// The rules of one profile's notes. `decide` looks at what is pending as well, `get` and `list` at what is committed.
class note_state {
public:
  explicit note_state(stored_notes stored) : committed_(std::move(stored.notes)), latest_(committed_) {}

  outcome<note_created> decide(const create_note& command, timestamp now) const;
  outcome<note_edited> decide(const edit_note& command) const;
  outcome<note_archived> decide(const archive_note& command) const;

  /// Makes a decision pending, for those after it.
  template <class Change>
  void apply(const Change& change) {
    add(latest_, change);
  }
  /// It is stored; gives the note as it is now.
  template <class Change>
  note commit(const Change& change) {
    return add(committed_, change);
  }
  /// Nothing that is pending will be stored.
  void take_back() { latest_ = committed_; }

  outcome<note> get(const get_note& query) const;
  std::vector<note> list() const;

private:
  static const note& add(std::vector<note>& to, const note_created& change);
  static const note& add(std::vector<note>& to, const note_edited& change);
  static const note& add(std::vector<note>& to, const note_archived& change);

  std::vector<note> committed_; // by number, which is the place and one more
  std::vector<note> latest_;
};

} // namespace credence::note
