#include "http/v2/handlers.hpp"
#include "http/v2/questions.hpp"
#include "http/v2/replies.hpp"
#include "http/v2/vote_json.hpp"

namespace credence::http::v2 {

void get_chart(call& c) {
  parameters given{c.query()};
  const auto question = read_chart(given, c.path_part("projectId"));
  if (!given.good())
    return c.refuse(given.why());
  c.ask(c.to().projects, question, &reply_with<std::vector<project::chart_point>>);
}

} // namespace credence::http::v2
