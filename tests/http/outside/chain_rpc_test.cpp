#include "actors/chain/calls.hpp"
#include "actors/domain/hash.hpp"
#include "http/outside/chain_rpc.hpp"
#include "http/outside/chain_rpc_node.hpp"
#include "http/outside/wallet_rpc_node.hpp"
#include "tests/http/outside/key_server.hpp"

#include <gtest/gtest.h>

namespace credence::http {
namespace {

using chain::block_header;
using chain::chain_log;

std::string digits(char of, std::size_t bytes) { return "0x" + std::string(2 * bytes, of); }

template <std::size_t N>
std::array<std::byte, N> all(unsigned char of) {
  std::array<std::byte, N> out;
  out.fill(std::byte{of});
  return out;
}

/// An object's members by name; each may be put in another's place, or left out by "".
using members = std::vector<std::pair<std::string, std::string>>;
std::string object(members from, const members& instead = {}) {
  std::string out;
  for (auto& [name, value] : from) {
    for (const auto& [other, its] : instead)
      if (other == name)
        value = its;
    if (!value.empty())
      out += (out.empty() ? "\"" : ",\"") + name + "\":" + value;
  }
  return "{" + out + "}";
}
std::string quoted(const std::string& text) { return '"' + text + '"'; }

std::string header_json(const members& instead = {}) {
  return object({{"number", R"("0x1b4")"},
                 {"hash", quoted(digits('a', 32))},
                 {"parentHash", quoted(digits('b', 32))},
                 {"timestamp", R"("0x65f00000")"},
                 {"logsBloom", quoted(digits('0', 256))},
                 {"transactions", "[]"},
                 {"gasLimit", R"("0x1")"}},
                instead);
}
std::string log_json(const members& instead = {}) {
  return object({{"address", quoted(digits('1', 20))},
                 {"topics", "[" + quoted(digits('2', 32)) + "," + quoted(digits('3', 32)) + "]"},
                 {"data", R"("0x00ff")"},
                 {"blockNumber", R"("0x1b4")"},
                 {"blockHash", quoted(digits('a', 32))},
                 {"blockTimestamp", R"("0x65f00000")"},
                 {"transactionHash", quoted(digits('c', 32))},
                 {"transactionIndex", R"("0x1d")"},
                 {"logIndex", R"("0x0")"},
                 {"removed", "false"}},
                instead);
}
std::string receipt_json(const members& instead = {}) {
  return object({{"transactionHash", quoted(digits('c', 32))},
                 {"transactionIndex", R"("0x1d")"},
                 {"blockHash", quoted(digits('a', 32))},
                 {"blockNumber", R"("0x1b4")"},
                 {"from", quoted(digits('4', 20))},
                 {"to", quoted(digits('5', 20))},
                 {"contractAddress", "null"},
                 {"cumulativeGasUsed", R"("0x1000000000000000000")"},
                 {"gasUsed", R"("0x26a5e")"},
                 {"status", R"("0x1")"},
                 {"logsBloom", quoted(digits('0', 256))},
                 {"logs", "[" + log_json() + "]"}},
                instead);
}

chain_log expected_log() {
  chain_log out;
  out.from.bytes = all<20>(0x11);
  out.topics = {all<32>(0x22), all<32>(0x33)};
  out.data = {std::byte{0}, std::byte{0xFF}};
  out.block = 436;
  out.block_hash = all<32>(0xAA);
  out.at = chain::unix_time{0x65f00000};
  out.tx_hash = all<32>(0xCC);
  out.tx_index = 29;
  return out;
}

std::string answer(std::uint64_t id, const std::string& result) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + result + "}";
}

const ask_range_logs logs_wanted{{1, 1000}, {}};
const ask_block block_wanted{chain::block_number{436}};
const ask_receipt receipt_wanted{all<32>(0xCC)};

/// What the answer to one request with the id 7 is read as.
rpc_answer read_one(const rpc_request& request, const std::string& result) {
  const auto out = read_rpc(answer(7, result), std::vector{request}, 7);
  if (const auto* flaw = std::get_if<rpc_flaw>(&out))
    return *flaw;
  return std::get<std::vector<rpc_answer>>(out).at(0);
}
bool is_flaw(const rpc_answer& answer) {
  const auto* flaw = std::get_if<rpc_flaw>(&answer);
  return flaw && !flaw->why.empty();
}

TEST(ChainRpc, AsksAsTheProtocolWants) {
  const address contract{all<20>(0x11)};
  const auto body = [](const rpc_request& request) { return rpc_body(std::vector{request}, 7); };
  const std::string head = R"({"jsonrpc":"2.0","id":7,"method":)";
  EXPECT_EQ(body(ask_chain_id{}), head + R"("eth_chainId","params":[]})");
  EXPECT_EQ(body(block_wanted), head + R"("eth_getBlockByNumber","params":["0x1b4",false]})");
  EXPECT_EQ(body(ask_block{chain::block_number{0}}), head + R"("eth_getBlockByNumber","params":["0x0",false]})");
  EXPECT_EQ(body(ask_block{block_tag::finalized}), head + R"("eth_getBlockByNumber","params":["finalized",false]})");
  EXPECT_EQ(body(ask_range_logs{{16, 255}, {contract}}),
            head + R"("eth_getLogs","params":[{"fromBlock":"0x10","toBlock":"0xff","address":[")" + digits('1', 20)
              + R"("]}]})");
  EXPECT_EQ(body(ask_block_logs{all<32>(0xAA), {contract, contract}}),
            head + R"("eth_getLogs","params":[{"blockHash":")" + digits('a', 32) + R"(","address":[")" + digits('1', 20)
              + R"(",")" + digits('1', 20) + R"("]}]})");
  EXPECT_EQ(body(receipt_wanted), head + R"("eth_getTransactionReceipt","params":[")" + digits('c', 32) + R"("]})");
  EXPECT_EQ(body(ask_block_receipts{436}), head + R"("eth_getBlockReceipts","params":["0x1b4"]})");
  EXPECT_EQ(body(ask_gas{contract, contract, wei{16}, "\x01"}), head + R"("eth_estimateGas","params":[{"from":")"
                                                                  + digits('1', 20) + R"(","to":")" + digits('1', 20)
                                                                  + R"(","value":"0x10","data":"0x01"},"latest"]})");
  EXPECT_EQ(body(ask_transaction{all<32>(0xCC)}),
            head + R"("eth_getTransactionByHash","params":[")" + digits('c', 32) + R"("]})");
  EXPECT_EQ(body(ask_call{contract, chain::call_data(chain::calls::reviews, uint256{1}), block_tag::latest}),
            head + R"("eth_call","params":[{"to":")" + digits('1', 20) + R"(","data":"0xe83ddcea)"
              + std::string(63, '0') + R"(1"},"latest"]})");
}

TEST(ChainRpc, AsksSeveralAtOnceWithRisingIds) {
  const std::vector<rpc_request> requests{ask_chain_id{}, ask_block{block_tag::safe}};
  EXPECT_EQ(rpc_body(requests, 9007199254740000),
            R"([{"jsonrpc":"2.0","id":9007199254740000,"method":"eth_chainId","params":[]},)"
            R"({"jsonrpc":"2.0","id":9007199254740001,"method":"eth_getBlockByNumber","params":["safe",false]}])");
}

TEST(ChainRpc, ReadsWhatNodesTell) {
  EXPECT_EQ(std::get<rpc_value>(read_one(ask_chain_id{}, R"("0x2105")")), rpc_value{std::uint64_t{8453}});
  block_header header;
  header.number = 436;
  header.hash = all<32>(0xAA);
  header.parent_hash = all<32>(0xBB);
  header.at = {0x65f00000};
  EXPECT_EQ(std::get<rpc_value>(read_one(block_wanted, header_json())), rpc_value{header});
  EXPECT_EQ(std::get<rpc_value>(read_one(block_wanted, header_json({{"logsBloom", "null"}}))), rpc_value{header});
  header.bloom = all<256>(0xEE);
  EXPECT_EQ(std::get<rpc_value>(read_one(block_wanted, header_json({{"logsBloom", quoted(digits('E', 256))}}))),
            rpc_value{header});
  EXPECT_EQ(std::get<rpc_value>(read_one(logs_wanted, "[]")), rpc_value{std::vector<chain_log>{}});
  EXPECT_EQ(std::get<rpc_value>(read_one(logs_wanted, "[" + log_json() + "]")), rpc_value{std::vector{expected_log()}});
  auto bare = expected_log();
  bare.topics.clear(), bare.data.clear(), bare.at.reset(), bare.removed = true;
  EXPECT_EQ(
    std::get<rpc_value>(read_one(
      logs_wanted,
      "[" + log_json({{"topics", "[]"}, {"data", R"("0x")"}, {"blockTimestamp", ""}, {"removed", "true"}}) + "]")),
    rpc_value{std::vector{bare}});
  auto untold = expected_log();
  untold.at.reset();
  EXPECT_EQ(std::get<rpc_value>(read_one(logs_wanted, "[" + log_json({{"blockTimestamp", R"("0x0")"}}) + "]")),
            rpc_value{std::vector{untold}})
    << "some nodes do not know the time of a log, and write 0";
  EXPECT_EQ(std::get<rpc_value>(read_one(ask_call{}, R"("0x0102")")),
            (rpc_value{std::vector<std::byte>{std::byte{1}, std::byte{2}}}));
  const ask_transaction tx{all<32>(0xCC)};
  EXPECT_EQ(
    std::get<rpc_value>(read_one(tx, R"({"hash":")" + digits('c', 32) + R"(","blockNumber":null,"blockHash":null})")),
    rpc_value{known_transaction{}});
  EXPECT_EQ(std::get<rpc_value>(
              read_one(tx, R"({"hash":")" + digits('c', 32) + R"(","blockNumber":"0x1b4","blockHash":"0x"})")),
            rpc_value{known_transaction{436}});
}

TEST(ChainRpc, ReadsReceipts) {
  const auto value = std::get<rpc_value>(read_one(receipt_wanted, receipt_json()));
  const auto& receipt = std::get<chain::tx_receipt>(value);
  EXPECT_EQ(receipt.block, 436U);
  EXPECT_EQ(receipt.tx_index, 29U);
  EXPECT_EQ(receipt.from.bytes, all<20>(0x44));
  EXPECT_EQ(receipt.to->bytes, all<20>(0x55));
  EXPECT_FALSE(receipt.contract);
  EXPECT_EQ(decimal(receipt.cumulative_gas_used), "4722366482869645213696");
  EXPECT_EQ(receipt.gas_used, 158302U);
  EXPECT_TRUE(receipt.succeeded);
  EXPECT_EQ(receipt.logs, std::vector{expected_log()});
  const auto reverted = std::get<rpc_value>(
    read_one(receipt_wanted, receipt_json({{"status", R"("0x0")"}, {"logs", "[]"}, {"to", "null"}})));
  EXPECT_FALSE(std::get<chain::tx_receipt>(reverted).succeeded);
  EXPECT_EQ(std::get<rpc_value>(read_one(receipt_wanted, receipt_json({{"blockHash", "null"}}))),
            rpc_value{rpc_nothing{}})
    << "not in a block yet";
  const auto all_of_block = std::get<rpc_value>(read_one(ask_block_receipts{436}, "[" + receipt_json() + "]"));
  EXPECT_EQ(std::get<std::vector<chain::tx_receipt>>(all_of_block), std::vector{receipt});
}

TEST(ChainRpc, NullIsNothingWhereThereMayBeNothing) {
  for (const rpc_request& request : {rpc_request{block_wanted}, rpc_request{receipt_wanted},
                                     rpc_request{ask_block_receipts{1}}, rpc_request{ask_transaction{}}})
    EXPECT_EQ(std::get<rpc_value>(read_one(request, "null")), rpc_value{rpc_nothing{}});
  for (const rpc_request& request :
       {rpc_request{logs_wanted}, rpc_request{ask_chain_id{}}, rpc_request{ask_block_logs{}}, rpc_request{ask_call{}}})
    EXPECT_TRUE(is_flaw(read_one(request, "null")));
}

TEST(ChainRpc, RefusesLogsThatMakeNoSense) {
  const std::pair<const char*, std::string> rows[]{
    {"address", ""},
    {"address", "null"},
    {"address", "17"},
    {"address", R"("0x11")"},
    {"address", R"("11111111111111111111111111111111111111111")"},
    {"topics", ""},
    {"topics", "null"},
    {"topics", "{}"},
    {"topics", "[17]"},
    {"topics", R"(["0x22"])"},
    {"topics", "[null]"},
    {"data", ""},
    {"data", R"("")"},
    {"data", R"("0x0")"},
    {"data", R"("00")"},
    {"data", R"("0x0g")"},
    {"data", "[]"},
    {"blockNumber", "null"},
    {"blockNumber", "436"},
    {"blockNumber", R"("436")"},
    {"blockNumber", R"("0x")"},
    {"blockNumber", quoted("0x" + std::string(62, '0') + "1b4")},
    {"blockNumber", R"("0x10000000000000000")"},
    {"blockNumber", R"("0xg")"},
    {"blockNumber", R"("-0x1")"},
    {"blockHash", "null"},
    {"transactionHash", R"("0xcc")"},
    {"transactionIndex", R"("0x80000000")"},
    {"logIndex", R"("0x80000000")"},
    {"logIndex", ""},
    {"removed", R"("no")"},
    {"removed", "0"},
    {"blockTimestamp", "1700000000"},
    {"blockTimestamp", R"("0x3afff44180")"},
  };
  for (const auto& [name, value] : rows)
    EXPECT_TRUE(is_flaw(read_one(logs_wanted, "[" + log_json() + "," + log_json({{name, value}}) + "]")))
      << name << " " << value;
  for (const auto* result : {"{}", "17", R"("0x")", "[17]", "[null]", "[[]]", "true"})
    EXPECT_TRUE(is_flaw(read_one(logs_wanted, result))) << result;
}

TEST(ChainRpc, TakesZerosInFrontOfQuantities) {
  for (const auto& number : {std::string{"0x01b4"}, "0x" + std::string(61, '0') + "1b4"})
    EXPECT_EQ(std::get<rpc_value>(read_one(logs_wanted, "[" + log_json({{"blockNumber", quoted(number)}}) + "]")),
              rpc_value{std::vector{expected_log()}})
      << number;
  EXPECT_FALSE(is_flaw(read_one(receipt_wanted, receipt_json({{"status", R"("0x00")"}, {"logs", "[]"}}))));
}

TEST(ChainRpc, RefusesBlocksAndReceiptsThatMakeNoSense) {
  for (const auto* name : {"number", "hash", "parentHash", "timestamp"})
    for (const auto* value : {"", "null", R"("0x")", R"("0xzz")", "7"})
      EXPECT_TRUE(is_flaw(read_one(block_wanted, header_json({{name, value}})))) << name << " " << value;
  EXPECT_TRUE(is_flaw(read_one(block_wanted, header_json({{"number", R"("0x1b5")"}})))) << "another block";
  EXPECT_FALSE(is_flaw(read_one(ask_block{block_tag::latest}, header_json({{"number", R"("0x1b5")"}}))));
  EXPECT_TRUE(is_flaw(read_one(block_wanted, header_json({{"logsBloom", R"("0x00")"}}))));
  EXPECT_TRUE(is_flaw(read_one(block_wanted, header_json({{"timestamp", R"("0x3afff44180")"}})))) << "the year 10000";
  EXPECT_FALSE(is_flaw(read_one(block_wanted, header_json({{"timestamp", R"("0x3afff4417f")"}}))));
  for (const auto* name :
       {"transactionHash", "transactionIndex", "from", "cumulativeGasUsed", "gasUsed", "status", "logs"})
    for (const auto* value : {"", "null", R"("0x")", "7"})
      EXPECT_TRUE(is_flaw(read_one(receipt_wanted, receipt_json({{name, value}})))) << name << " " << value;
  EXPECT_TRUE(is_flaw(read_one(receipt_wanted, receipt_json({{"status", R"("0x2")"}}))));
  EXPECT_TRUE(is_flaw(read_one(receipt_wanted, receipt_json({{"gasUsed", quoted("0x1" + std::string(64, '0'))}}))));
  EXPECT_TRUE(is_flaw(read_one(ask_receipt{all<32>(0xCD)}, receipt_json()))) << "another transaction";
  EXPECT_TRUE(is_flaw(read_one(
    receipt_wanted,
    receipt_json(
      {{"logs", "[" + log_json({{"logIndex", R"("0x1")"}, {"transactionHash", quoted(digits('d', 32))}}) + "]"}}))));
  EXPECT_TRUE(is_flaw(read_one(ask_block_receipts{437}, "[" + receipt_json() + "]")));
  EXPECT_TRUE(is_flaw(read_one(ask_transaction{}, R"({"hash":")" + digits('c', 32) + R"("})")));
}

TEST(ChainRpc, MatchesABatchByItsIds) {
  const std::vector<rpc_request> requests{ask_chain_id{}, block_wanted, logs_wanted, ask_chain_id{}};
  const auto out =
    read_rpc("[" + answer(12, "[]") + R"(,{"id":11,"jsonrpc":"2.0","error":{"code":-32000,"message":"slow down"}},)"
               + answer(10, R"("0x1")") + R"(,{"id":null,"error":{"code":-32600,"message":"?"}}])",
             requests, 10);
  const auto& found = std::get<std::vector<rpc_answer>>(out);
  ASSERT_EQ(found.size(), 4U);
  EXPECT_EQ(std::get<rpc_value>(found[0]), rpc_value{std::uint64_t{1}});
  EXPECT_EQ(std::get<rpc_error>(found[1]), (rpc_error{-32000, "slow down", {}}));
  EXPECT_EQ(std::get<rpc_value>(found[2]), rpc_value{std::vector<chain_log>{}});
  EXPECT_TRUE(std::holds_alternative<rpc_missing>(found[3]));
}

TEST(ChainRpc, AFlawSpoilsItsOwnRequestOnly) {
  const std::vector<rpc_request> requests{ask_chain_id{}, ask_chain_id{}};
  const auto out = read_rpc("[" + answer(1, "7") + "," + answer(2, R"("0x1")") + "]", requests, 1);
  const auto& found = std::get<std::vector<rpc_answer>>(out);
  EXPECT_TRUE(is_flaw(found[0]));
  EXPECT_EQ(std::get<rpc_value>(found[1]), rpc_value{std::uint64_t{1}});
}

TEST(ChainRpc, IdsThatWereNotAskedSpoilTheWhole) {
  const std::vector<rpc_request> requests{ask_chain_id{}, ask_chain_id{}};
  for (const auto& body :
       {"[" + answer(3, "1") + "]", "[" + answer(0, "1") + "]",
        "[" + answer(1, R"("0x1")") + "," + answer(1, R"("0x1")") + "]", std::string{R"([{"id":"1","result":"0x1"}])"},
        std::string{R"([{"id":1.0,"result":"0x1"}])"}, std::string{R"([{"result":"0x1"}])"}, std::string{"[17]"},
        answer(1, R"("0x1")"), std::string{"{}"}})
    EXPECT_TRUE(std::holds_alternative<rpc_flaw>(read_rpc(body, requests, 1))) << body;
  EXPECT_TRUE(
    std::holds_alternative<rpc_flaw>(read_rpc(answer(2, R"("0x1")"), std::vector<rpc_request>{ask_chain_id{}}, 1)));
}

TEST(ChainRpc, OneErrorStandsForAWholeBatch) {
  const std::string body = R"({"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch too large"}})";
  const std::vector<rpc_request> two{ask_chain_id{}, ask_chain_id{}};
  EXPECT_EQ(std::get<rpc_error>(read_rpc(body, two, 1)), (rpc_error{-32600, "batch too large", {}}));
  const auto alone = read_rpc(body, std::vector<rpc_request>{ask_chain_id{}}, 1);
  EXPECT_EQ(std::get<rpc_error>(std::get<std::vector<rpc_answer>>(alone).at(0)).code, -32600);
  const auto none = read_rpc("[]", two, 1);
  EXPECT_TRUE(std::holds_alternative<rpc_missing>(std::get<std::vector<rpc_answer>>(none).at(1)));
}

TEST(ChainRpc, ErrorsAreReadWithinBounds) {
  const auto error = [](const std::string& json) {
    return read_rpc(R"({"id":1,"error":)" + json + "}", std::vector<rpc_request>{ask_chain_id{}}, 1);
  };
  const auto read = [&](const std::string& json) { return std::get<std::vector<rpc_answer>>(error(json)).at(0); };
  std::string many;
  for (int i = 0; i < 1000; ++i)
    many += "\xE2\x82\xAC";
  const auto cut = std::get<rpc_error>(read(R"({"code":3,"message":")" + many + "\"}"));
  EXPECT_EQ(cut.message, many.substr(0, 999));
  EXPECT_EQ(std::get<rpc_error>(read(R"({"code":3})")).message, "");
  for (const auto* json : {"17", "[]", "{}", R"({"code":"3"})", R"({"code":1.5})", R"({"code":3,"message":[]})"})
    EXPECT_TRUE(is_flaw(read(json))) << json;
}

TEST(ChainRpc, RefusesWhatIsNoAnswer) {
  const std::vector<rpc_request> requests{logs_wanted};
  const auto deep = answer(1, std::string(100, '[') + std::string(100, ']'));
  for (const auto& body :
       {std::string{}, std::string{"{"}, std::string{"<html>"}, std::string{"null"}, std::string{"17"},
        answer(1, "[]") + "x", answer(1, "[]").substr(1), answer(1, "\"\xFF\""), deep})
    EXPECT_TRUE(std::holds_alternative<rpc_flaw>(read_rpc(body, requests, 1))) << body;
  auto long_one = answer(1, "[]");
  EXPECT_FALSE(std::holds_alternative<rpc_flaw>(read_rpc(long_one, requests, 1)));
  long_one.append(rpc_body_bytes_max + 1 - long_one.size(), ' ');
  EXPECT_TRUE(std::holds_alternative<rpc_flaw>(read_rpc(long_one, requests, 1))) << "a good one that is too long";
  const auto whole = answer(1, "[" + log_json() + "]");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_TRUE(std::holds_alternative<rpc_flaw>(read_rpc(std::string_view{whole}.substr(0, size), requests, 1)))
      << size;
}

TEST(ChainRpc, ReadsLargeAnswersToo) {
  std::string list = log_json({{"data", quoted("0x" + std::string(2 * 1024 * 1024, 'f'))}});
  for (int i = 0; i < 2000; ++i)
    list += "," + log_json();
  const auto value = std::get<rpc_value>(read_one(logs_wanted, "[" + list + "]"));
  const auto& logs = std::get<std::vector<chain_log>>(value);
  ASSERT_EQ(logs.size(), 2001U);
  EXPECT_EQ(logs[0].data.size(), 1024U * 1024);
  EXPECT_EQ(logs[2000], expected_log());
}

/// Code and text of errors by which nodes and providers say that a request for logs covers too much.
constexpr std::pair<std::int64_t, const char*> range_refusals[]{
  {-32005, "query returned more than 10000 results. Try with this block range [0x1000, 0x10ff]."},
  {-32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on "
           "the response size, or you can request any block range with a cap of 10K logs in the response."},
  {-32614, "eth_getLogs is limited to a 10,000 range"},
  {-32000, "query exceeds max results 20000, retry with the range 24200000-24200100"},
  {-32602, "query exceeds max block range 100000"},
  {-32000, "block range too large, range: 6001, max: 5000"},
  {-32000, "exceed maximum block range: 5000"},
  {-32000, "Requested range exceeds maximum RPC range limit"},
  {-32000, "requested too many blocks from 1 to 20000, maximum is set to 2048"},
  {-32000, "maximum [from, to] blocks distance: 10000"},
  {-32011, "backend response too large"},
  {-32020, "backend response too large"},
  {-32008, "Response is too big"},
  {-32000, "response size should not greater than 10000000 bytes"},
  {-32000, "query block range exceeds server limit, narrow your filter: 1000"},
  {-32000, "block range is too wide"},
  {-32000, "ranges over 10000 blocks are not supported on freetier"},
  {35, "Block range limit exceeded. See more details at the documentation"},
  {-32000, "range is too large, max is 1k blocks"},
  {-32000, "Too many logs requested. Max logs per response is 20000."},
  {-32000, "query timeout exceeded"},
  {-32000, "block range exceeds configured limit"},
  {-32000, "exceed max block range: 50000"},
  {-32000, "exceeds max block range of 1000"},
  {-32000, "query exceeds maximum block range: 50000"},
  {-32000, "exceeded maximum block range: 5000"},
  {-32000, "the requested range exceeds the range allowed"},
  {-32000, "number of logs exceeds the limit"},
  {-32000, "exceeded max limit of 10000"},
  {-32000, "exceeded max range limit of 1024"},
  {-32000, "exceed max range 2000"},
  {-32000, "exceeds max range 2000"},
  {-32000, "invalid range: max range: 3000"},
  {-32000, "too many blocks requested"},
  {-32000, "logs matched by query exceeds limit of 10000"},
  {-32000, "block range is too large"},
  {-32000, "block range too wide"},
  {-32000, "block range should work within 1024"},
  {-32000, "block range greater than 5000 max"},
  {-32000, "range too large, at most 1000 blocks"},
  {-32000, "range too wide"},
  {-32000, "please limit the query to at most 1000 blocks"},
  {-32000, "query must be smaller than size 1024"},
  {-32000, "response is too large"},
  {-32000, "result too large"},
  {-32000, "query timed out"},
  {-32000, "range of 5001 is greater than the limit of 5000"},
  {413, "Request Entity Too Large"},
  {-32600, ""},
  {-32602, "invalid params"},
};

TEST(ChainRpcErrors, KnowWhatProvidersSayOfRangesThatAreTooLarge) {
  for (const auto& [code, text] : range_refusals)
    EXPECT_EQ(trouble_with_logs({code, text, {}}), rpc_trouble::range_too_large) << code << " " << text;
  EXPECT_EQ(trouble_of({-32602, "invalid params", {}}), rpc_trouble::other)
    << "of other methods no range can be too large";
}

TEST(ChainRpcErrors, TellOtherTroubleApart) {
  const std::tuple<std::int64_t, const char*, rpc_trouble> rows[]{
    {-32005, "daily request count exceeded, request rate limited", rpc_trouble::rate_limited},
    {429, "", rpc_trouble::rate_limited},
    {-32016, "over rate limit", rpc_trouble::rate_limited},
    {-32000, "unknown block", rpc_trouble::unknown_block},
    {-32001, "Unknown block", rpc_trouble::unknown_block},
    {-32602, "block not found: hash 0xab", rpc_trouble::unknown_block},
    {-32000, "header not found", rpc_trouble::unknown_block},
    {-32601, "", rpc_trouble::not_supported},
    {-32601, "the method eth_getBlockReceipts does not exist/is not available", rpc_trouble::not_supported},
    {3, "execution reverted: no", rpc_trouble::reverted},
    {-32000, "execution reverted", rpc_trouble::reverted},
    {-32000, "internal error", rpc_trouble::other},
    {-32603, "no backend is currently healthy to serve traffic", rpc_trouble::other},
  };
  for (const auto& [code, text, trouble] : rows) {
    EXPECT_EQ(trouble_with_logs({code, text, {}}), trouble) << code << " " << text;
    EXPECT_EQ(trouble_of({code, text, {}}), trouble) << code << " " << text;
  }
}

TEST(ChainRpcErrors, FindTheRangeThatIsSuggested) {
  using range = chain::block_range;
  EXPECT_EQ(suggested_range("Try with this block range [0x1000, 0x10ff]."), (range{0x1000, 0x10ff}));
  EXPECT_EQ(suggested_range("this block range should work: [0x0, 0xA]"), (range{0, 10}));
  EXPECT_EQ(suggested_range("retry with the range 24200000-24200100"), (range{24200000, 24200100}));
  EXPECT_EQ(suggested_range("up to a 2K block range or 10K logs. This block range should work: [0x1,0x2]"),
            (range{1, 2}));
  for (const auto* text : {"", "range", "block range too large", "eth_getLogs is limited to a 10,000 range",
                           "range limited to 1,024 blocks", "the range [0x1, 0xg]", "from 1 to 2",
                           "range 99999999999999999999-1", "range: 6001, max: 5000", "range 2.1-3"})
    EXPECT_FALSE(suggested_range(text)) << text;
}

using namespace std::chrono_literals;

const address watched{{std::byte{7}}};

/// A node that gives one answer, whatever it is asked. Requests are numbered from 1.
struct ChainRpcNode : testing::Test {
  void answers(std::string body, std::string head = "200 OK") { server.answer(std::move(body), std::move(head)); }
  chain::range_logs logs() { return node.logs_in({5, 9}, std::span{&watched, 1}); }

  static std::string block(int id, int number) {
    const std::string hash(64, 'a');
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":{"number":"0x)" + std::to_string(number)
           + R"(","hash":"0x)" + hash + R"(","parentHash":"0x)" + hash + R"(","timestamp":"0x5"}})";
  }
  static std::string error(int id, const std::string& code, const std::string& message) {
    return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"error":{"code":)" + code + R"(,"message":")"
           + message + R"("}})";
  }

  std::atomic<bool> given_up{false};
  test::key_server server{"[]"};
  chain_rpc_node node{server.url(), 20s, given_up};
};

TEST_F(ChainRpcNode, BlocksWithNamesThatItDoesNotKnowAreNone) {
  answers("[" + block(1, 9) + "," + block(2, 4) + "," + error(3, "-39001", "safe block not found")
          + R"(,{"jsonrpc":"2.0","id":4,"result":null}])");
  const auto heads = node.heads(4);
  EXPECT_EQ(heads.latest.number, 9u);
  ASSERT_TRUE(heads.block);
  EXPECT_EQ(heads.block->number, 4u);
  EXPECT_FALSE(heads.safe);
  EXPECT_FALSE(heads.finalized);
}

TEST_F(ChainRpcNode, SaysThatARangeIsTooLargeAndWhatIsNot) {
  answers("[" + block(1, 9) + ","
          + error(2, "-32005", "query returned more than 10000 results. Try with this block range [0x5, 0x6].") + "]");
  try {
    logs();
    FAIL() << "nothing was thrown";
  } catch (const chain::range_too_large& why) {
    EXPECT_EQ(why.suggested, (chain::block_range{5, 6}));
  }
}

TEST_F(ChainRpcNode, WithoutTheLastBlockItIsBehind) {
  answers(R"([{"jsonrpc":"2.0","id":1,"result":null},{"jsonrpc":"2.0","id":2,"result":[]}])");
  EXPECT_FALSE(logs().last);
}

TEST_F(ChainRpcNode, IsLeftAloneForAsLongAsItSays) {
  answers("slow down", "429 Too Many Requests\r\nRetry-After: 7");
  try {
    logs();
    FAIL() << "nothing was thrown";
  } catch (const chain::node_busy& why) {
    EXPECT_EQ(why.length, 7s);
  }
}

TEST_F(ChainRpcNode, NonsenseIsItsFailure) {
  for (const auto* body : {"<html>", "{}", "[1]", R"([{"jsonrpc":"2.0","id":77,"result":[]}])"}) {
    answers(body);
    chain_rpc_node fresh{server.url(), 20s, given_up};
    EXPECT_THROW(fresh.chain_id(), chain::node_error) << body;
  }
}

TEST_F(ChainRpcNode, AKeyInTheUrlIsNotTold) {
  const auto url = [&] {
    test::key_server gone{""};
    return gone.url();
  }();
  chain_rpc_node nobody{url + "/a-secret-key", 20s, given_up};
  try {
    nobody.chain_id();
    FAIL() << "nothing was thrown";
  } catch (const chain::node_error& why) {
    EXPECT_EQ(std::string{why.what()}.find("secret"), std::string::npos) << why.what();
    EXPECT_NE(std::string{why.what()}.find("127.0.0.1"), std::string::npos) << why.what();
  }
}

settings::chain good() {
  settings::chain out;
  out.endpoints = secret{"https://one.example/key, http://127.0.0.1:8545"};
  out.start_block = 5;
  out.contracts = {"review=0x6D3A8Fd5cF89f9a429BFaDFd970968F646AFF325",
                   "vouchV2=0x0000000000000000000000000000000000000001"};
  return out;
}

TEST(ChainSettings, AreReadIntoContractsAndNodes) {
  EXPECT_TRUE(chain_mistakes(good()).empty());
  EXPECT_TRUE(chain_mistakes({}).empty()) << "no chain";
  const std::atomic<bool> given_up{false};
  EXPECT_EQ(chain_nodes(good(), given_up).size(), 2u);
  const auto how = follow_settings_of(good());
  EXPECT_EQ(chain::text_of(how.contracts),
            "review=0x6d3a8fd5cf89f9a429bfadfd970968f646aff325,vouchV2=0x0000000000000000000000000000000000000001");
}

TEST(ChainSettings, NodesOfPrivateNetworksNeedNoTls) {
  auto with = good();
  for (const auto* url : {"http://10.0.0.5:8545", "http://172.16.0.1", "http://172.31.255.1", "http://192.168.1.9:8545",
                          "http://[fd00::5]:8545", "http://localhost:8545", "http://[::1]:8545"}) {
    with.endpoints = secret{url};
    EXPECT_TRUE(chain_mistakes(with).empty()) << url;
  }
  for (const auto* url : {"http://11.0.0.5", "http://172.32.0.1", "http://192.169.0.1", "http://[2001:db8::1]:8545",
                          "http://node.internal:8545", "http://10.0.0.5.example:8545"}) {
    with.endpoints = secret{url};
    EXPECT_EQ(chain_mistakes(with).size(), 1u) << url;
  }
}

TEST(ChainSettings, MistakesAreNamedWithoutKeys) {
  const auto mistake = [](auto change) {
    auto with = good();
    change(with);
    const auto all = chain_mistakes(with);
    return all.size() == 1 ? all[0] : std::to_string(all.size()) + " mistakes";
  };
  EXPECT_EQ(mistake([](auto& s) {
              s.endpoints = secret{"https://one.example,http://two.example/key"};
            }).find("number 2 of chain.endpoints is ***"),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.endpoints = {}; }).find("chain.endpoints is empty, but chain.contracts is given"),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.contracts.clear(); }).find("chain.contracts is empty"), 0u);
  EXPECT_EQ(mistake([](auto& s) { s.contracts[0] = "revue=0x01"; }).find("chain.contracts holds 'revue=0x01'"), 0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.contracts[1] = "review=0x0000000000000000000000000000000000000001";
            }).find("chain.contracts holds 'review="),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.start_block = 0; }).find("chain.start_block is 0"), 0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.kinds = {"identity", "revue"};
            }).find("chain.kinds holds 'revue', but may hold identity, review, vote, reply"),
            0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.bond_getter = "bonds(uint256)";
            }).find("chain.reads.bond is 'bonds(uint256)', but must be a function"),
            0u);
  EXPECT_EQ(mistake([](auto& s) {
              s.invite_getter = "of(uint256) returns (bool a)";
            }).find("chain.reads.invite is 'of(uint256)"),
            0u);
  EXPECT_EQ(mistake([](auto& s) { s.kinds = {"reply"}; }).find("chain.kinds holds 'reply' without identity"), 0u);
}

TEST(ChainSettings, SayWhichFeesWereInForceAtFirstAndWhatIsRead) {
  auto with = good();
  EXPECT_TRUE(follow_settings_of(with).invites) << "as the contract was published";
  EXPECT_FALSE(follow_settings_of(with).bonds);
  EXPECT_EQ(follow_settings_of(with).fees_at_first.pool, 400u);
  with.vouch_fees = "1/2/3/4";
  with.bond_getter = "bonds(uint256) returns (uint256 subject)";
  EXPECT_TRUE(chain_mistakes(with).empty());
  const auto how = follow_settings_of(with);
  EXPECT_TRUE(how.bonds);
  EXPECT_EQ(how.fees_at_first.protocol, 1u);
  EXPECT_EQ(how.fees_at_first.donation, 2u);
  EXPECT_EQ(how.fees_at_first.pool, 3u);
  EXPECT_EQ(how.fees_at_first.exit, 4u);
}

TEST(ChainSettings, KindsOfRecordsAreFollowedByName) {
  auto with = good();
  with.kinds = {"identity", "reply", "vouch"};
  EXPECT_TRUE(chain_mistakes(with).empty());
  const auto followed = follow_settings_of(with).kinds;
  EXPECT_EQ(chain::text_of(followed), "identity,reply,vouch");
  EXPECT_TRUE(followed.contains(chain::contract_kind::discussion));
  EXPECT_TRUE(followed.contains(chain::contract_kind::vouch_v2));
  EXPECT_FALSE(followed.contains(chain::contract_kind::review));
}

/// A node that gives one answer, whatever it is asked. Requests are numbered from 1.
struct WalletRpcNode : testing::Test {
  /// Answers a quote: everything is well but the gas of the call.
  void gas_is(const std::string& error) {
    const auto result = [](int id, const std::string& value) {
      return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"result":)" + value + "},";
    };
    server.answer(
      "[" + result(1, R"("0x0")") + result(2, R"("0x0")") + result(3, R"("0x5")")
        + result(4, R"({"oldestBlock":"0x1","baseFeePerGas":["0x1","0x1"],"gasUsedRatio":[0],"reward":[["0x1"]]})")
        + R"({"jsonrpc":"2.0","id":5,"error":)" + error + "}]",
      "200 OK");
  }
  wallets::node_quote quote() {
    wallet_rpc_node fresh{server.url(), 20s, given_up};
    return fresh.quote({});
  }

  std::atomic<bool> given_up{false};
  test::key_server server{"[]"};
};

TEST_F(WalletRpcNode, WhatAContractSaysOfTooManyRequestsIsItsOwnWord) {
  for (const auto* error : {R"({"code":3,"message":"execution reverted: rate limit","data":"0x08c379a0"})",
                            R"({"code":-32000,"message":"execution reverted: too many requests"})"}) {
    gas_is(error);
    EXPECT_EQ(quote().gas, 0u) << error;
    EXPECT_NE(quote().why.find("reverted"), std::string::npos) << error;
  }
}

TEST_F(WalletRpcNode, ACallThatEndsBadlyIsNoFailureOfTheNode) {
  for (const auto* text :
       {"invalid opcode: INVALID", "out of gas", "stack underflow (0 <=> 1)", "execution aborted (timeout = 5s)"}) {
    gas_is(R"({"code":-32000,"message":")" + std::string{text} + "\"}");
    EXPECT_THROW(quote(), wallets::node_refusal) << text;
  }
}

TEST_F(WalletRpcNode, ARateLimitIsAFailureOfTheNode) {
  gas_is(R"({"code":-32005,"message":"daily request count exceeded, request rate limited"})");
  try {
    quote();
    FAIL() << "nothing was thrown";
  } catch (const wallets::node_refusal& why) {
    FAIL() << why.what();
  } catch (const wallets::node_failure&) {
  }
}

TEST_F(WalletRpcNode, SaysWhetherItKnowsATransaction) {
  server.answer(R"({"jsonrpc":"2.0","id":1,"result":null})", "200 OK");
  EXPECT_FALSE((wallet_rpc_node{server.url(), 20s, given_up}.knows({})));
  server.answer("<html>", "502 Bad Gateway");
  EXPECT_THROW((wallet_rpc_node{server.url(), 20s, given_up}.knows({})), wallets::node_failure);
}

TEST(SendErrors, ATypeThatANodeDoesNotKnowIsRefused) {
  EXPECT_EQ(result_of({-32000, "unknown transaction type", {}}), wallets::send_result::refused);
  EXPECT_EQ(result_of({-32000, "known transaction: 0xab", {}}), wallets::send_result::already_known);
}

} // namespace
} // namespace credence::http
