#include "tests/system/lying_node.hpp"

#include "tests/system/http_client.hpp"
#include "tests/waiting.hpp"

#include <simdjson.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>

namespace credence::test {

namespace {

namespace dom = simdjson::dom;

std::string text_of(const dom::element& value) { return simdjson::to_string(value); }

/// The objects of a body: one, or those of a batch.
std::vector<dom::element> objects_of(const dom::element& root) {
  dom::array several;
  if (root.get(several))
    return {root};
  std::vector<dom::element> out;
  for (const auto each : several)
    out.push_back(each);
  return out;
}

/// Reads one request off a connection; nothing when it has ended.
std::optional<std::string> read_body(int client, std::string& buffer) {
  const auto more = [&] {
    char chunk[16384];
    const auto n = ::recv(client, chunk, sizeof chunk, 0);
    if (n > 0)
      buffer.append(chunk, static_cast<std::size_t>(n));
    return n > 0;
  };
  std::size_t end = 0;
  while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
    if (!more())
      return std::nullopt;
  constexpr std::string_view field = "Content-Length: ";
  const auto at = buffer.find(field);
  const auto length = at < end ? std::stoul(buffer.substr(at + field.size())) : 0;
  while (buffer.size() < end + 4 + length)
    if (!more())
      return std::nullopt;
  auto body = buffer.substr(end + 4, length);
  buffer.erase(0, end + 4 + length);
  return body;
}

bool send_all(int client, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto n = ::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

} // namespace

lying_node::lying_node(const evm_node& behind)
  : behind_(behind.port()), listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  if (::bind(listening_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 || ::listen(listening_, 64) != 0
      || ::getsockname(listening_, reinterpret_cast<sockaddr*>(&at), &length) != 0)
    throw std::runtime_error("the node that lies cannot listen");
  port_ = ntohs(at.sin_port);
  thread_ = std::thread{[this] { serve(); }};
}

lying_node::~lying_node() {
  {
    const std::lock_guard lock{guard_};
    stopping_ = true;
    for (const auto each : sockets_)
      ::shutdown(each, SHUT_RDWR);
  }
  changed_.notify_all();
  ::shutdown(listening_, SHUT_RDWR); // wakes the accept
  thread_.join();
  for (auto& each : clients_)
    each.join();
  ::close(listening_);
}

// -- what it is told -----------------------------------------------------------------------------

void lying_node::change(item_lie item, body_lie whole) {
  std::unique_lock lock{guard_};
  item_ = std::move(item);
  whole_ = std::move(whole);
  lies_ = 0;
  const auto now = ++mind_;
  if (!changed_.wait_for(lock, wait_at_most, [&] { return answering_.empty() || *answering_.begin() >= now; }))
    throw std::runtime_error("the node that lies does not come to an end with an answer");
}

void lying_node::lie(item_lie how) { change(std::move(how), nullptr); }
void lying_node::lie_whole(body_lie how) { change(nullptr, std::move(how)); }
void lying_node::tell_the_truth() { change(nullptr, nullptr); }

void lying_node::lied(int mind) {
  const std::lock_guard lock{guard_};
  if (mind != mind_)
    return;
  ++lies_;
  changed_.notify_all();
}

void lying_node::hang(const std::string& at) {
  const std::lock_guard lock{guard_};
  hanging_ = true;
  hanging_at_ = at;
}

void lying_node::go_on() {
  {
    const std::lock_guard lock{guard_};
    hanging_ = false;
  }
  changed_.notify_all();
}

bool lying_node::lies_reach(int count) {
  std::unique_lock lock{guard_};
  return changed_.wait_for(lock, wait_at_most, [&] { return lies_ >= count; });
}

int lying_node::asked(const std::string& method) const {
  const std::lock_guard lock{guard_};
  const auto found = asked_.find(method);
  return found == asked_.end() ? 0 : found->second;
}

// -- serving -------------------------------------------------------------------------------------

void lying_node::serve() {
  while (!stopping_) {
    const int client = ::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
      continue;
    const std::lock_guard lock{guard_};
    sockets_.push_back(client);
    if (stopping_)
      ::shutdown(client, SHUT_RDWR);
    clients_.emplace_back([this, client] { talk(client); });
  }
}

void lying_node::talk(int client) {
  std::string buffer;
  while (const auto body = read_body(client, buffer)) {
    ++bodies_;
    {
      std::unique_lock lock{guard_};
      changed_.wait(lock, [&] { return stopping_ || !held(*body); });
    }
    const auto reply = answer(*body);
    if (!send_all(client, "HTTP/1.1 " + reply.head + "\r\nContent-Type: application/json\r\nContent-Length: "
                            + std::to_string(reply.body.size()) + "\r\n\r\n")
        || !send_all(client, reply.body))
      break;
  }
  const std::lock_guard lock{guard_};
  sockets_.remove(client);
  ::close(client);
}

rpc_reply lying_node::answer(const std::string& body) {
  item_lie item;
  body_lie whole;
  int mind = 0;
  {
    const std::lock_guard lock{guard_};
    item = item_;
    whole = whole_;
    mind = mind_;
    dom::parser parser;
    for (const auto& each : objects_of(parser.parse(body).value()))
      ++asked_[std::string{each["method"].get_string().value()}];
    answering_.insert(mind);
  }
  const struct under_way {
    lying_node& here;
    int mind;
    ~under_way() {
      const std::lock_guard lock{here.guard_};
      here.answering_.erase(here.answering_.find(mind));
      here.changed_.notify_all();
    }
  } until_it_is_told{*this, mind};
  if (whole)
    if (auto told = whole(body)) {
      lied(mind);
      return *std::move(told);
    }
  http_client to{behind_};
  const auto truth = to.post("/", body);
  if (!truth)
    return {"", "502 Bad Gateway"};
  return {item ? retold(body, truth.body, item, mind) : truth.body};
}

std::string lying_node::retold(const std::string& question, const std::string& answer, const item_lie& how, int mind) {
  dom::parser questions, answers;
  std::map<std::uint64_t, std::string> members;
  for (const auto& each : objects_of(answers.parse(answer).value())) {
    dom::element result;
    const bool good = each["result"].get(result) == simdjson::SUCCESS;
    members[each["id"].get_uint64().value()] =
      (good ? R"("result":)" : R"("error":)") + text_of(good ? result : each["error"].value());
  }
  std::string out;
  const auto query = questions.parse(question).value();
  for (const auto& each : objects_of(query)) {
    const auto id = each["id"].get_uint64().value();
    const auto told =
      how({std::string{each["method"].get_string().value()}, text_of(each["params"].value()), !query.is_array()},
          members[id]);
    if (!told || *told != members[id])
      lied(mind);
    if (told)
      out +=
        (out.empty() ? "" : ",") + std::string{R"({"jsonrpc":"2.0","id":)"} + std::to_string(id) + "," + *told + "}";
  }
  return query.is_array() ? "[" + out + "]" : out;
}

} // namespace credence::test
