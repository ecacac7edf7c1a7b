#include "tests/example/note_state.hpp"

#include <algorithm>
#include <iterator>

namespace credence::note {

namespace {

refusal not_there(std::int32_t number) {
  return {refusal_code::not_found, "there is no note " + std::to_string(number)};
}

const note* find(const std::vector<note>& among, std::int32_t number) {
  return number >= 1 && static_cast<std::size_t>(number) <= among.size() ? &among[static_cast<std::size_t>(number) - 1]
                                                                         : nullptr;
}
const note* find_open(const std::vector<note>& among, std::int32_t number) {
  const auto* found = find(among, number);
  return found && !found->archived ? found : nullptr;
}

note& at(std::vector<note>& among, std::int32_t number) { return among.at(static_cast<std::size_t>(number) - 1); }

} // namespace

outcome<note_created> note_state::decide(const create_note& command, timestamp now) const {
  if (latest_.size() >= notes_max)
    return refusal{refusal_code::key_limit_reached,
                   "you have written " + std::to_string(notes_max) + " notes, which is the most"};
  return note_created{command.author, static_cast<std::int32_t>(latest_.size()) + 1, command.text, now};
}

outcome<note_edited> note_state::decide(const edit_note& command) const {
  if (!find_open(latest_, command.number))
    return not_there(command.number);
  return note_edited{command.author, command.number, command.text};
}

outcome<note_archived> note_state::decide(const archive_note& command) const {
  if (!find_open(latest_, command.number))
    return not_there(command.number);
  return note_archived{command.author, command.number};
}

outcome<note> note_state::get(const get_note& query) const {
  const auto* found = find(committed_, query.number);
  if (!found)
    return not_there(query.number);
  return *found;
}

std::vector<note> note_state::list() const {
  std::vector<note> out;
  std::copy_if(committed_.begin(), committed_.end(), std::back_inserter(out),
               [](const note& each) { return !each.archived; });
  return out;
}

const note& note_state::add(std::vector<note>& to, const note_created& change) {
  return to.emplace_back(note{change.number, change.text, change.at, false});
}

const note& note_state::add(std::vector<note>& to, const note_edited& change) {
  auto& changed = at(to, change.number);
  changed.text = change.text;
  return changed;
}

const note& note_state::add(std::vector<note>& to, const note_archived& change) {
  auto& changed = at(to, change.number);
  changed.archived = true;
  return changed;
}

} // namespace credence::note
