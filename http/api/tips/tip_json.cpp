#include "http/api/tips/tip_json.hpp"

#include "http/call/page_json.hpp"

namespace credence::http {

namespace {

void encode_source(json_writer& to, const std::optional<profile::tip_source>& source) {
  to.key("source");
  if (!source)
    return to.null();
  to.begin_object();
  to.field("type", profile::tip_source_names[static_cast<std::size_t>(source->kind)]);
  to.field_if("id", source->id);
  to.end_object();
}

void encode_side(json_writer& to, json_name name, std::int64_t count, std::int64_t total) {
  to.key(name);
  to.begin_object();
  to.field("count", count);
  to.field("total", total);
  to.end_object();
}

} // namespace

void encode(json_writer& to, const profile::tip_receipt& receipt) {
  to.begin_object();
  to.field("tipId", receipt.id);
  to.field("senderNewBalance", receipt.sender_balance);
  to.field("receiverNewBalance", receipt.receiver_balance);
  to.end_object();
}

void encode(json_writer& to, const profile::tip_list& list) {
  to.begin_object();
  encode_page(to, list.values, list.total, list.slice, [&](const auto& each) {
    to.begin_object();
    to.field("id", each.id);
    to.field("amount", each.amount);
    to.field("createdAt", each.at);
    to.field("message", each.message);
    to.field("senderProfileId", each.sender);
    to.field("receiverUserId", each.receiver);
    encode_source(to, each.source);
    to.end_object();
  });
  to.end_object();
}

void encode(json_writer& to, const profile::tip_figures& figures) {
  to.begin_object();
  encode_side(to, "sent", figures.sent_count, figures.sent_total);
  encode_side(to, "received", figures.received_count, figures.received_total);
  to.field("totalSent", figures.sent_total);
  to.field("totalReceived", figures.received_total);
  to.end_object();
}

} // namespace credence::http
