#include "http/call/acts.hpp"

#include "ops/log.hpp"

#include <utility>

namespace credence::http {

console::note_act act_of(const call& c, std::string act, std::string subject, std::optional<std::string> before,
                         std::optional<std::string> after) {
  console::note_act out;
  out.at = c.now();
  out.from = c.context() ? c.context()->from() : nullptr;
  if (c.operated_by())
    out.profile = c.operated_by()->profile;
  ops::log(ops::level::info, "operator_act",
           {{"request_id", c.request_id()},
            {"act", act},
            {"subject", subject},
            {"by", out.from ? out.from->credential : std::string{}},
            {"before", before.value_or("")},
            {"after", after.value_or("")}});
  out.act = std::move(act);
  out.subject = std::move(subject);
  out.before = std::move(before);
  out.after = std::move(after);
  return out;
}

} // namespace credence::http
