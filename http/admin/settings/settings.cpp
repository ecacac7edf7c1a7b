#include "http/admin/desk.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"

#include <algorithm>
#include <map>

namespace credence::http::admin {

namespace {

const settings::description* description_of(const std::string& name) {
  const auto& all = settings::descriptions();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace

/// The file is read anew: it says what a restart would start with. Secrets are `***` in both, so that a changed one
/// does not show.
void list_settings(call& c) {
  const auto& by = c.desk().by();
  const auto next = by.settings_now();
  std::map<std::string, std::string> later;
  for (const auto& each : next.list)
    later[each.name] = each.value;
  json_writer to{c.out()};
  to.begin_object();
  to.field("file", by.settings_file.empty() ? std::nullopt : std::optional{by.settings_file});
  to.key("values");
  to.begin_array();
  for (const auto& each : by.in_force.list) {
    const auto* about = description_of(each.name);
    to.begin_object();
    to.field("name", each.name);
    to.field("value", each.value);
    to.field("origin", each.origin);
    to.field("default", about ? about->initial : std::string{});
    to.field("help", about ? about->help : std::string{});
    to.field("secret", about && about->is_secret);
    const auto then = later.find(each.name);
    if (then != later.end() && then->second != each.value)
      to.field("afterRestart", then->second);
    to.end_object();
  }
  to.end_array();
  to.key("mistakes");
  to.begin_array();
  for (const auto& each : next.mistakes)
    to.value(each);
  to.end_array();
  to.end_object();
  c.reply();
}

} // namespace credence::http::admin
