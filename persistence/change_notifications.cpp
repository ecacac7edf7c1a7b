#include "persistence/change_notifications.hpp"

#include <charconv>

namespace credence::persistence {

void change_notifications::take(std::string_view note) {
  const auto space = note.find(' ');
  const auto word = note.substr(0, space);
  auto text = space == std::string_view::npos ? std::string_view{} : note.substr(space + 1);
  auto* kind = word == "profile" ? &profiles : word == "project" ? &projects : nullptr;
  for (bool good = kind != nullptr; good;) {
    std::int32_t id = 0;
    const auto [end, why] = std::from_chars(text.data(), text.data() + text.size(), id);
    good = why == std::errc{};
    if (!good)
      break;
    kind->ids.insert(id);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) {
      if (kind->ids.size() > ids_max)
        *kind = {true, {}};
      return;
    }
    good = text.front() == ',';
    text.remove_prefix(1);
  }
  if (kind && text == "*")
    *kind = {true, {}};
  else
    profiles = projects = {true, {}};
}

} // namespace credence::persistence
