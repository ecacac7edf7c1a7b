#pragma once

#include "actors/domain/outcome.hpp"
#include "tests/example/note_types.hpp"

namespace credence::note {

/// The rules of one profile's notes. `decide` looks at what is pending as well, `get` and `list` at what is committed.
class note_state {
public:
  explicit note_state(stored_notes stored) : committed_(std::move(stored.notes)), latest_(committed_) {}

  outcome<note_created> decide(const create_note& asked, timestamp now) const;
  outcome<note_edited> decide(const edit_note& asked) const;
  outcome<note_archived> decide(const archive_note& asked) const;

  /// Makes a decision pending, for those after it.
  template <class Change>
  void apply(const Change& what) {
    add(latest_, what);
  }
  /// It is stored; gives the note as it is now.
  template <class Change>
  note commit(const Change& what) {
    return add(committed_, what);
  }
  /// Nothing that is pending will be stored.
  void take_back() { latest_ = committed_; }

  outcome<note> get(const get_note& asked) const;
  std::vector<note> list() const;

private:
  static const note& add(std::vector<note>& to, const note_created& what);
  static const note& add(std::vector<note>& to, const note_edited& what);
  static const note& add(std::vector<note>& to, const note_archived& what);

  std::vector<note> committed_; // by number, which is the place and one more
  std::vector<note> latest_;
};

} // namespace credence::note
