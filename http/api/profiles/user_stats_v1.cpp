#include "actors/people/people_actor.hpp"
#include "actors/reputation/record_actor.hpp"
#include "http/api/profiles/operations.hpp"
#include "http/api/replies.hpp"
#include "http/call/userkey.hpp"

#include <string>
#include <string_view>

namespace credence::http::v1 {

namespace {

/// Wei in decimal as ether, with every digit: `1050000000000000000` is `1.05`.
std::string ether_text(std::string_view wei) {
  constexpr std::size_t decimals = 18;
  std::string out{wei};
  if (out.size() <= decimals)
    out.insert(0, decimals + 1 - out.size(), '0');
  out.insert(out.size() - decimals, 1, '.');
  out.erase(out.find_last_not_of('0') + 1);
  if (out.ends_with('.'))
    out.pop_back();
  return out;
}

void encode_reviews(json_writer& to, const people::user& who) {
  const auto all = who.reviews_negative + who.reviews_neutral + who.reviews_positive;
  to.begin_object();
  to.field("received", all);
  to.field("positiveReviewPercentage", all == 0 ? 0 : (200 * who.reviews_positive + all) / (2 * all));
  to.field("positiveReviewCount", who.reviews_positive);
  to.field("negativeReviewCount", who.reviews_negative);
  to.field("neutralReviewCount", who.reviews_neutral);
  to.end_object();
}

/// `{received, deposited, mutual}` of wei as numbers of ether.
void encode_sums(json_writer& to, json_name name, std::string_view received, std::string_view deposited,
                 std::string_view mutual) {
  to.key(name);
  to.begin_object();
  to.key("received");
  to.raw(ether_text(received));
  to.key("deposited");
  to.raw(ether_text(deposited));
  to.key("mutual");
  to.raw(ether_text(mutual));
  to.end_object();
}

void encode_vouches(json_writer& to, const people::user& who, const reputation::vouch_sums& sums) {
  to.begin_object();
  encode_sums(to, "staked", decimal(sums.received_staked), decimal(sums.given_staked), decimal(sums.mutual_staked));
  encode_sums(to, "balance", who.vouches_eth.received, who.vouches_eth.given, decimal(sums.mutual_balance));
  to.key("count");
  to.begin_object();
  to.field("received", who.vouches_eth.received_count + who.vouches_whuf.received_count);
  to.field("deposited", who.vouches_eth.given_count + who.vouches_whuf.given_count);
  to.field("mutual", sums.mutual);
  to.end_object();
  to.end_object();
}

} // namespace

void get_user_stats(call& c) {
  auto key = parse_userkey(c.path_part("userkey"));
  if (!key)
    co_return c.refuse(key.why());
  people::get_people look{{*std::move(key)}};
  const auto came = co_await c.ask(c.to().people, std::move(look));
  const auto who = came.users.front();
  if (!who)
    co_return c.refuse({refusal_code::not_found, "no user matches userkey"});
  reputation::get_vouch_sums question{who->id};
  const auto sums = co_await c.ask(c.to().records, std::move(question));
  reply_data_with(c, [&](json_writer& to) {
    to.begin_object();
    to.key("reviews");
    encode_reviews(to, *who);
    to.key("vouches");
    encode_vouches(to, *who, sums);
    to.end_object();
  });
}

} // namespace credence::http::v1
