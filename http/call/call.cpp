#include "http/call/call.hpp"

#include "http/call/errors.hpp"

namespace credence::http {

std::string_view call::path_part(std::string_view name) const {
  for (const auto& [key, value] : path_parts_)
    if (key == name)
      return value;
  return {};
}

bool call::admit(envelope_base& envelope) const {
  envelope.stamp(started_);
  envelope.speak_for(asker_);
  if (context_)
    envelope.carry(context_);
  if (directory_->all_questions) {
    place among_all{directory_->all_questions};
    if (!among_all)
      return false;
    envelope.hold_among_all(std::move(among_all));
  }
  return true;
}

json_body& call::read_body(outcome<json_body> (*parse)(std::string_view), std::string_view without_body) {
  only_given_ = !given_.good();
  auto read = parse(only_given_ ? "{}" : body_.empty() ? without_body : body_);
  if (!read) {
    unreadable_ = read.why();
    read = parse("{}");
  }
  return json_.emplace(*std::move(read));
}

/// Those of the query and the path come before those of the body.
bool call::tell_mistakes() {
  if (told_mistakes_ || !has_mistakes())
    return false;
  told_mistakes_ = true;
  if (unreadable_)
    refuse(*unreadable_);
  else {
    if (json_ && !json_->good() && !only_given_)
      given_.issues_of(json_->why());
    refuse(given_.why());
  }
  return true;
}

void call::reply(unsigned status) {
  if (status_ == 0 && !tell_mistakes()) // the first answer counts
    status_ = status;
}

void call::error(unsigned status, std::string_view code, std::string_view message) {
  if (status_ != 0 || tell_mistakes())
    return;
  out_.clear();
  write_error(out_, v1_ ? error_shape::v1 : error_shape::v2, code, message);
  reply(status);
}

void call::refuse(const refusal& why) {
  if (status_ != 0 || tell_mistakes())
    return;
  const auto [status, code] = kind_of(why.code);
  out_.clear();
  write_error(out_, v1_ ? error_shape::v1 : error_shape::v2, code, why.detail, why.issues);
  if (why.retry_after.count() > 0)
    retry_after_s_ = static_cast<std::uint32_t>(why.retry_after.count());
  reply(status);
}

void call::fail(failure why) {
  if (tell_mistakes())
    return;
  const auto [status, code] = kind_of(why);
  if (why != failure::refused)
    retry_after_s_ = 1;
  error(status, code, message_of(why, only_reads_));
}

} // namespace credence::http
