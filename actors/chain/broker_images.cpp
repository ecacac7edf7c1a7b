#include "actors/chain/row_images.hpp"
#include "actors/chain/row_object.hpp"

namespace credence::chain {

std::string row_images::columns(broker_post_id key, const post_row& row, const origin& by) const {
  return row_object{}
    .number("id", key)
    .number("author_profile", row.author)
    .text("level", post_level_words[static_cast<std::size_t>(row.level)])
    .text("title", row.title)
    .text("description", row.description)
    .text("price", row.price)
    .text("metadata", row.metadata)
    .time("created_at", row.created_at)
    .time("updated_at", row.updated_at)
    .of(by);
}

std::string row_images::columns(broker_post_id key, const post_fee_row& row, const origin& by) const {
  return row_object{}
    .number("post_id", key)
    .bytes("token", row.token.bytes)
    .text("amount", decimal(row.amount))
    .bytes("recipient", row.recipient.bytes)
    .of(by);
}

std::string row_images::columns(const credit_key& key, const credit_row& row, const origin& by) const {
  return row_object{}
    .number("profile_id", key.holder)
    .bytes("token", key.token.bytes)
    .text("balance", decimal(row.balance))
    .of(by);
}

} // namespace credence::chain
