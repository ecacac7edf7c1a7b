#include "http/admin/live.hpp"

#include "actors/console/admin_database.hpp"
#include "http/admin/admin_context.hpp"
#include "http/admin/json.hpp"
#include "http/admin/operations.hpp"
#include "http/admin/routes.hpp"
#include "http/api/replies.hpp"
#include "http/call/coroutine.hpp"
#include "http/call/parameters.hpp"
#include "http/call/request_head.hpp"
#include "ops/log_ring.hpp"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace credence::http::admin {

namespace {

using namespace std::chrono_literals;

constexpr auto lines_every = 250ms;
constexpr auto topics_every = 1s;
constexpr auto alive_every = 15s;
constexpr auto checked_again_after = 5min; // who watches by an access token
constexpr std::size_t pieces_max = 200;    // lines or entries at a time
constexpr std::int64_t audit_behind_max = 2'000;
constexpr std::string_view logs_topic = "logs";
constexpr std::string_view audit_topic = "audit";

void put_event(std::string& out, std::string_view name, std::string_view id, std::string_view data) {
  out.append("event: ").append(name).append("\n");
  if (!id.empty())
    out.append("id: ").append(id).append("\n");
  out.append("data: ").append(data).append("\n\n");
}

/// What lies before here cannot be had.
void put_reset(std::string& out, std::string_view topic) {
  put_event(out, "reset", {}, R"({"topics":[")" + std::string{topic} + R"("]})");
}

/// A session's stream ends when the session does, also by being idle; that of a token soon, as who comes back shows the
/// token anew.
timestamp end_of(const caller& who) {
  const auto first =
    who.session.empty() ? system_now() + checked_again_after : who.idle_ends_at.value_or(timestamp::max());
  return std::min(first, who.ends_at.value_or(timestamp::max()));
}

/// `project` of `project:7` and of `project:{projectId}`.
std::string_view name_in(std::string_view topic) { return topic.substr(0, topic.find(':')); }

const route* route_of(std::string_view topic) {
  const auto all = routes();
  const auto found = std::find_if(all.begin(), all.end(), [&](const route& each) {
    return !each.topic.empty() && name_in(each.topic) == name_in(topic)
           && (each.topic.find(':') == each.topic.npos) == (topic.find(':') == topic.npos);
  });
  return found == all.end() ? nullptr : &*found;
}

} // namespace

std::string text_of(const event_place& place) {
  return std::to_string(place.start) + "." + std::to_string(place.line) + "." + std::to_string(place.audit);
}

std::optional<event_place> parse_event_place(std::string_view text) {
  const auto first = text.find('.');
  const auto second = first == text.npos ? text.npos : text.find('.', first + 1);
  if (second == text.npos)
    return std::nullopt;
  const auto start = parse_integer(text.substr(0, first));
  const auto line = parse_integer(text.substr(first + 1, second - first - 1));
  const auto audit = parse_integer(text.substr(second + 1));
  if (!start || !line || !audit || *start < 0 || *line < 0 || *audit < 0)
    return std::nullopt;
  return event_place{*start, *line, *audit};
}

/// One topic that is watched, with its latest answer.
struct hub::topic {
  std::string name;
  const route* which = nullptr;
  std::string body;
  std::uint64_t version = 0; // grows when the body changes
  bool reading = false;
  steady_time next{};
};

/// One client.
class hub::stream final : public event_source {
public:
  stream(hub& of, const subscription& wanted)
    : hub_(of), by_(wanted.by), least_(wanted.least), ends_at_(end_of(wanted.by)) {
    for (const auto& name : wanted.topics) {
      if (name == logs_topic)
        lines_ = true;
      else if (name == audit_topic)
        audit_ = true;
      else
        watched_.emplace_back(of.topic_of(name), 0);
    }
    place_.start = ms_of(of.context_.by().started_at);
    place_.line = ops::newest_log_line();
    place_.audit = wanted.audit_newest;
    if (!wanted.seen)
      return;
    if (wanted.seen->audit > 0) {
      audit_lost_ =
        audit_ && place_.audit - wanted.seen->audit > audit_behind_max; // one reading serves all: none may hold it up
      if (!audit_lost_)
        place_.audit = wanted.seen->audit;
    }
    const bool same_process = wanted.seen->start == place_.start && wanted.seen->line <= place_.line;
    lines_lost_ = lines_ && (!same_process || ops::log_lines({.after = wanted.seen->line, .limit = 1}).dropped);
    if (same_process)
      place_.line = wanted.seen->line;
  }

  void opened(event_sink& to) override {
    to_ = &to;
    std::string out = "retry: 2000\n\n";
    if (lines_lost_)
      put_reset(out, logs_topic);
    if (audit_lost_)
      put_reset(out, audit_topic);
    send(out);
  }
  void closed() noexcept override {
    to_ = nullptr;
    gone_ = true;
  }

  bool gone() const noexcept { return gone_; }
  const caller& by() const noexcept { return by_; }
  bool wants_lines() const noexcept { return lines_ && to_; }
  bool wants_audit() const noexcept { return audit_ && to_; }
  const event_place& place() const noexcept { return place_; }
  const auto& watched() const noexcept { return watched_; }

  void send_lines() {
    const auto found = ops::log_lines({.after = place_.line, .limit = pieces_max, .oldest = true});
    std::string out;
    if (found.dropped) // lines come faster than they are sent
      put_reset(out, logs_topic);
    for (const auto& line : found.lines) {
      place_.line = line.number;
      if (line.how < least_)
        continue;
      std::string data;
      json_writer to{data};
      to.object([&] { write_line(to, line); });
      put_event(out, logs_topic, text_of(place_), data);
    }
    send(out);
  }

  void take_entry(std::int64_t number, std::string_view json) {
    if (number <= place_.audit)
      return;
    place_.audit = number;
    std::string out;
    put_event(out, audit_topic, text_of(place_), json);
    send(out);
  }
  /// Where it begins that has seen nothing.
  void begin_audit(std::int64_t newest) {
    if (place_.audit == 0)
      place_.audit = newest;
  }

  void send_topics() {
    for (auto& [what, seen] : watched_)
      if (to_ && what->version > seen) {
        seen = what->version;
        std::string out;
        put_event(out, what->name, {}, what->body);
        send(out);
      }
  }

  void end() {
    if (to_)
      to_->end();
  }

  /// Ends with its session, and shows that it lives.
  void look(steady_time now, timestamp wall) {
    if (!to_)
      return;
    if (wall >= ends_at_ || (!by_.session.empty() && hub_.context_.sessions().has_ended(by_.session)))
      return end();
    if (now - sent_at_ >= alive_every)
      send(": alive\n\n");
  }

private:
  void send(std::string_view bytes) {
    if (!to_ || bytes.empty())
      return;
    sent_at_ = steady_clock::now();
    to_->send(bytes);
  }

  hub& hub_;
  const caller by_;
  const ops::level least_;
  const timestamp ends_at_;
  bool lines_ = false, audit_ = false, lines_lost_ = false, audit_lost_ = false, gone_ = false;
  std::vector<std::pair<std::shared_ptr<topic>, std::uint64_t>> watched_; // with the version that was sent
  event_place place_;
  event_sink* to_ = nullptr;
  steady_time sent_at_{};
};

hub::hub(admin_context& of) : context_(of) {}
hub::~hub() = default;

bool hub::knows(std::string_view name) const {
  if (name == logs_topic || name == audit_topic)
    return true;
  const auto colon = name.find(':');
  return route_of(name) && (colon == name.npos || name.size() > colon + 1);
}

bool hub::full_for(const caller& who) const {
  const auto own = [&who](const auto& each) {
    return !each->gone() && each->by().name == who.name && each->by().profile == who.profile;
  };
  return static_cast<std::size_t>(std::count_if(streams_.begin(), streams_.end(), own)) >= streams_of_one_max;
}

std::shared_ptr<event_source> hub::open(const subscription& wanted) {
  auto fresh = std::make_shared<stream>(*this, wanted);
  streams_.push_back(fresh);
  return fresh;
}

std::shared_ptr<hub::topic> hub::topic_of(const std::string& name) {
  auto& entry = topics_[name];
  if (!entry) {
    entry = std::make_shared<topic>();
    entry->name = name;
    entry->which = route_of(name);
  }
  return entry;
}

void hub::read(const std::shared_ptr<topic>& what, steady_time now) {
  what->reading = true;
  what->next = now + topics_every;
  inner_request wanted;
  wanted.which = what->which;
  if (const auto colon = what->name.find(':'); colon != std::string::npos) {
    const auto pattern = what->which->topic;
    const auto part = pattern.substr(pattern.find(':') + 2);
    wanted.path_parts.emplace_back(part.substr(0, part.size() - 1), what->name.substr(colon + 1));
  }
  wanted.done = [what](unsigned status, const std::string& body) {
    what->reading = false;
    if (status != 200 || body == what->body)
      return;
    what->body = body;
    ++what->version;
  };
  context_.read(std::move(wanted));
}

void hub::feed_lines() {
  for (const auto& each : streams_)
    if (each->wants_lines() && ops::newest_log_line() > each->place().line)
      each->send_lines();
}

/// One reading serves all streams that watch the audit; it begins behind the oldest place among them.
void hub::feed_audit(steady_time now) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (const auto& each : streams_)
    if (each->wants_audit())
      least = std::min(least, each->place().audit);
  if (least == std::numeric_limits<std::int64_t>::max() || audit_reading_ || now < audit_next_)
    return;
  const auto all = routes();
  const auto which = std::find_if(all.begin(), all.end(), [](const route& each) { return each.topic == audit_topic; });
  if (which == all.end())
    return;
  audit_reading_ = true;
  audit_next_ = now + topics_every;
  inner_request wanted;
  wanted.which = &*which;
  if (least == 0)
    wanted.query = {{"limit", "1"}}; // only where the audit has come to
  else
    wanted.query = {{"after", std::to_string(least)}, {"limit", std::to_string(pieces_max)}};
  wanted.done = [this, least](unsigned status, const std::string& body) {
    audit_reading_ = false;
    if (status == 200)
      take_audit(body, least);
  };
  context_.read(std::move(wanted));
}

void hub::take_audit(const std::string& body, std::int64_t asked_after) {
  thread_local simdjson::dom::parser parser;
  simdjson::dom::element root;
  simdjson::dom::array values;
  if (parser.parse(body).get(root) || root["values"].get(values))
    return;
  std::int64_t newest = audit_newest_;
  std::vector<std::pair<std::int64_t, std::string>> entries;
  for (const auto each : values) {
    std::int64_t number = 0;
    if (each["number"].get(number))
      return;
    newest = std::max(newest, number);
    entries.emplace_back(number, simdjson::minify(each));
  }
  audit_newest_ = newest;
  for (const auto& each : streams_) {
    if (asked_after == 0)
      each->begin_audit(newest);
    else if (each->wants_audit()
             && each->place().audit >= asked_after) // else it came meanwhile, and its turn comes next
      for (const auto& [number, json] : entries)
        each->take_entry(number, json);
  }
}

namespace {

/// What a stream stands for while its session's wallet is looked at.
void keep_session(call& c) {
  c.admin_context().look_at_wallet(c, *c.operated_by(), [&c] { reply_ok(c); });
}
const route wallet_look{
  .verb = method::get, .path = "/admin/api/v1/events", .who = access::owner, .may = scope::none, .run = &keep_session};

} // namespace

/// As often as with requests: streams of one session share a look.
void hub::look_at_wallets() {
  const auto streams = streams_;
  for (const auto& each : streams) {
    if (each->gone() || !context_.has_to_look_at_wallet(each->by(), system_now()))
      continue;
    inner_request wanted;
    wanted.which = &wallet_look;
    wanted.by = each->by();
    wanted.done = [this, id = each->by().session](unsigned status, const std::string&) {
      if (status != 401)
        return;
      const auto all = streams_;
      for (const auto& one : all)
        if (one->by().session == id)
          one->end();
    };
    context_.read(std::move(wanted));
  }
}

void hub::drop_gone() {
  std::erase_if(streams_,
                [](const auto& each) { return each->gone() || each.use_count() == 1; }); // also one that never began
  std::erase_if(topics_, [](const auto& each) { return each.second.use_count() == 1 && !each.second->reading; });
}

void hub::tick(steady_time now) {
  drop_gone();
  if (streams_.empty())
    return;
  if (now >= lines_next_) {
    lines_next_ = now + lines_every;
    feed_lines();
  }
  feed_audit(now);
  const auto watched = topics_; // a reading may end at once
  for (const auto& [name, what] : watched)
    if (!what->reading && now >= what->next && what.use_count() > 2)
      read(what, now);
  look_at_wallets();
  const auto wall = system_now();
  const auto streams = streams_;
  for (const auto& each : streams) {
    each->send_topics();
    each->look(now, wall);
  }
}

namespace {

/// The topics of the list, each once.
std::vector<std::string> read_topics(parameters& from, const hub& all) {
  const auto list = from.text("topics").value_or(std::string_view{});
  std::vector<std::string> out;
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto name = list.substr(at, end - at);
    at = end + 1;
    if (!all.knows(name))
      from.issue("topics must be names that x-topic has in the reference, not " + shown(name));
    else if (std::find(out.begin(), out.end(), name) == out.end())
      out.emplace_back(name);
  }
  if (out.empty() && from.good())
    from.issue("topics is required: names with commas between them, such as overview,logs");
  if (out.size() > hub::topics_max)
    from.issue("topics must be " + std::to_string(hub::topics_max) + " at most");
  return out;
}

/// Why this role may not hear one of the topics, if so: what it may not read it is not told.
std::optional<refusal> closed_topic(const std::vector<std::string>& topics, role may) {
  for (const auto& name : topics)
    if (const auto* which = route_of(name); which && may < which->least)
      return refusal{refusal_code::forbidden,
                     "the topic " + name + " needs the role " + std::string{name_of(which->least)}};
  return std::nullopt;
}

/// Why this person gets no stream now, if so.
std::optional<std::string> too_many_streams(const hub& all, const caller& who) {
  if (!all.full_for(who))
    return std::nullopt;
  return who.name + " has " + std::to_string(hub::streams_of_one_max)
         + " streams open, which is the most for one person; close one first";
}

} // namespace

void stream_events(call& c) {
  auto& live = c.admin_context().live();
  subscription wanted;
  wanted.topics = read_topics(c.given(), live);
  wanted.least = read_level(c.given()).value_or(ops::level::debug);
  const auto asked = c.given().text("lastEventId");
  if (c.refuse_mistakes())
    co_return;
  if (const auto why = closed_topic(wanted.topics, c.operated_by()->may))
    co_return c.refuse(*why);
  if (const auto why = too_many_streams(live, *c.operated_by()))
    co_return c.refuse({refusal_code::rate_limited, *why});
  if (live.full())
    co_return c.fail(failure::overloaded);
  wanted.seen =
    parse_event_place(c.head().last_event_id.empty() ? asked.value_or(std::string_view{}) : c.head().last_event_id);
  wanted.by = *c.operated_by();
  if (std::find(wanted.topics.begin(), wanted.topics.end(), "audit") != wanted.topics.end()) {
    console::read_audit newest;
    newest.limit = 1;
    const auto found =
      co_await c.try_ask(c.to().admin_database, std::move(newest)); // else it begins once the database is back
    if (found && *found && !(**found).empty())
      wanted.audit_newest = (**found).front().number;
  }
  // Others may have come while the audit was looked at.
  if (const auto why = too_many_streams(live, wanted.by))
    co_return c.refuse({refusal_code::rate_limited, *why});
  if (live.full())
    co_return c.fail(failure::overloaded);
  c.no_store();
  c.add_header("X-Accel-Buffering: no"); // a proxy passes events on as they come
  c.stream(live.open(wanted));
}

} // namespace credence::http::admin
