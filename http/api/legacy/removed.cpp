#include "http/api/legacy/operations.hpp"

#include <string>

namespace credence::http::v1 {

namespace {

void tell(call& c, std::string_view since, std::string_view successor) {
  std::string message{"this endpoint was removed on "};
  message.append(since).append("; use ").append(successor);
  c.error(410, "ENDPOINT_REMOVED", message);
}

} // namespace

void list_activities(call& c) {
  tell(c, "2025-08-08", "GET /api/v2/activities/userkey or POST /api/v2/activities/feed");
}
void create_reply(call& c) { tell(c, "2025-09-09", "POST /api/v2/replies/create"); }
void count_reviews(call& c) { tell(c, "2025-09-09", "GET /api/v2/reviews/count/between"); }
void create_review(call& c) { tell(c, "2025-10-06", "POST /api/v2/reviews/create"); }
void list_recent_profiles(call& c) { tell(c, "2025-10-06", "GET /api/v2/profiles/recent"); }
void create_invitation(call& c) { tell(c, "2025-12-01", "POST /api/v2/invitations"); }
void list_pending_invitations(call& c) { tell(c, "2025-12-01", "GET /api/v2/invitations/pending/{address}"); }
void list_profiles(call& c) { tell(c, "2025-12-01", "POST /api/v2/profiles"); }

} // namespace credence::http::v1
