#include "actors/domain/ids.hpp"
#include "actors/domain/text.hpp"
#include "actors/domain/time.hpp"
#include "actors/domain/wei.hpp"
#include "actors/people/lookup_types.hpp"

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <unordered_set>

namespace credence {
namespace {

const std::string largest =
  "115792089237316195423570985008687907853269984665640564039457584007913129639935"; // 2^256 - 1

TEST(Wei, IsReadAndWrittenToTheLastDigit) {
  for (const std::string text :
       {"0", "1", "9", "10", "6607563687658171", "9999999999999999999", "10000000000000000000", "18446744073709551615",
        "18446744073709551616", "100000000000000000000000000000000000000", "340282366920938463463374607431768211455",
        "340282366920938463463374607431768211456"}) {
    const auto read = parse_wei(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(boost::multiprecision::checked_uint256_t{text}.str(), decimal(*read));
    EXPECT_EQ(decimal(*read), text);
  }
  ASSERT_TRUE(parse_wei(largest));
  EXPECT_EQ(*parse_wei(largest), std::numeric_limits<wei>::max());
  EXPECT_EQ(decimal(*parse_wei(largest)), largest);
}

TEST(Wei, OfEveryLengthComesBackAsItWas) {
  std::mt19937_64 random{1};
  for (unsigned bits = 0; bits < 256; ++bits)
    for (int i = 0; i < 20; ++i) {
      const auto number = uint256{limbs256{random(), random(), random(), random()}} >> bits;
      EXPECT_EQ(parse_wei(decimal(number)), number);
      EXPECT_EQ(boost::multiprecision::checked_uint256_t{decimal(number)}.str(), decimal(number));
    }
}

TEST(Wei, TakesPlainDigitsBelowTheEndOnly) {
  auto end = largest; // 2^256
  end.back() = '6';
  for (const std::string text :
       {"", "-1", "+1", "00", "01", " 1", "1 ", "1n", "n", "0x1", "1e3", "1.0", "1,000", "\xd9\xa1"})
    EXPECT_FALSE(parse_wei(text)) << text;
  EXPECT_FALSE(parse_wei(end));
  EXPECT_FALSE(parse_wei(std::string(78, '9')));
  EXPECT_FALSE(parse_wei(largest + "0"));
  EXPECT_FALSE(parse_wei("1" + std::string(1000, '0')));
  EXPECT_FALSE(parse_wei(std::string_view{"1\0"
                                          "1",
                                          3}));
}

TEST(BigInt, MayHaveOneNBehind) {
  EXPECT_EQ(parse_bigint("213n"), wei{213});
  EXPECT_EQ(parse_bigint("213"), wei{213});
  EXPECT_EQ(parse_bigint("0n"), wei{0});
  EXPECT_EQ(parse_bigint(largest + "n"), std::numeric_limits<wei>::max());
  for (const std::string text : {"n", "1nn", "1N", "n1", "-1n", "01n", ""})
    EXPECT_FALSE(parse_bigint(text)) << text;
}

TEST(WeiChange, IsWrittenWithItsSign) {
  EXPECT_EQ(decimal(wei_change{0}), "0");
  EXPECT_EQ(decimal(wei_change{-1}), "-1");
  EXPECT_EQ(decimal(wei_change{*parse_wei(largest)}), largest);
  EXPECT_EQ(decimal(-wei_change{*parse_wei(largest)}), "-" + largest);
}

using oracle = boost::multiprecision::checked_uint256_t;
using signed_oracle = boost::multiprecision::checked_int256_t;

oracle oracle_of(const uint256& number) { return oracle{decimal(number)}; }
signed_oracle oracle_of(const wei_change& number) { return signed_oracle{decimal(number)}; }

/// What came out as text, or which kind of error: `<` below zero, `>` beyond the end or by zero.
template <class Work>
std::string outcome_of(Work work) {
  std::ostringstream out;
  try {
    out << work();
  } catch (const std::range_error&) {
    return "<";
  } catch (const std::overflow_error&) {
    return ">";
  }
  return out.str();
}

oracle euclid(oracle a, oracle b) {
  while (b != 0)
    a = std::exchange(b, oracle{a % b});
  return a;
}

/// Numbers of every length, those at the ends of limbs among them.
std::vector<uint256> numbers(std::uint64_t seed) {
  std::vector<uint256> out{0, 1, 2, 10, 1'000'000'007};
  for (const unsigned bits : {63U, 64U, 65U, 127U, 128U, 129U, 191U, 192U, 193U, 255U}) {
    const auto power = uint256{1} << bits;
    out.insert(out.end(), {power - 1, power, power + 1});
  }
  out.push_back(std::numeric_limits<uint256>::max());
  std::mt19937_64 random{seed};
  for (unsigned bits = 0; bits < 256; bits += 5)
    out.push_back(uint256{limbs256{random(), random(), random(), random()}} >> bits);
  return out;
}

TEST(Wei, CountsAsALibraryOfLargeNumbersDoes) {
  for (const auto& a : numbers(1))
    for (const auto& b : numbers(2)) {
      const auto x = oracle_of(a), y = oracle_of(b);
      const bool by_zero = y == 0; // the library ends the process
      ASSERT_EQ(outcome_of([&] { return a + b; }), outcome_of([&] { return oracle{x + y}; })) << a << " + " << b;
      ASSERT_EQ(outcome_of([&] { return a - b; }), x < y ? "<" : outcome_of([&] { return oracle{x - y}; }))
        << a << " - " << b;
      ASSERT_EQ(outcome_of([&] { return a * b; }), outcome_of([&] { return oracle{x * y}; })) << a << " * " << b;
      ASSERT_EQ(outcome_of([&] { return a / b; }), by_zero ? ">" : outcome_of([&] { return oracle{x / y}; }))
        << a << " / " << b;
      ASSERT_EQ(outcome_of([&] { return a % b; }), by_zero ? ">" : outcome_of([&] { return oracle{x % y}; }))
        << a << " % " << b;
      ASSERT_EQ(outcome_of([&] { return gcd(a, b); }), euclid(x, y).str()) << a << ", " << b;
      ASSERT_EQ(a < b, x < y) << a << " < " << b;
      ASSERT_EQ(a == b, x == y) << a << " == " << b;
    }
}

TEST(Wei, IsShiftedWithoutLosingDigits) {
  for (const auto& number : numbers(3)) {
    const auto x = oracle_of(number);
    EXPECT_EQ(bit_width(number), number == 0 ? 0 : msb(x) + 1);
    for (unsigned bits = 0; bits < 256; bits += 7) {
      EXPECT_EQ(decimal(number >> bits), oracle{x >> bits}.str()) << number << " >> " << bits;
      const bool fits = bit_width(number) + bits <= 256 || number == 0;
      EXPECT_EQ(outcome_of([&] { return number << bits; }),
                fits ? boost::multiprecision::uint512_t(boost::multiprecision::uint512_t{x} << bits).str() : ">")
        << number << " << " << bits;
    }
  }
}

TEST(Wei, IsMultipliedAndDividedWithAllDigitsInBetween) {
  using boost::multiprecision::uint512_t;
  const auto end = uint512_t{1} << 256;
  for (const auto& a : numbers(4))
    for (const auto& b :
         {uint256{1}, uint256{1'000'000'000'000'000'000U}, uint256{1} << 200, std::numeric_limits<uint256>::max()})
      for (const auto& divisor : numbers(5)) {
        if (divisor == 0) {
          EXPECT_THROW(static_cast<void>(multiply_divide(a, b, divisor)), std::overflow_error);
          continue;
        }
        const uint512_t exact = uint512_t{oracle_of(a)} * uint512_t{oracle_of(b)} / uint512_t{oracle_of(divisor)};
        const auto is = multiply_divide(a, b, divisor);
        ASSERT_EQ(is ? decimal(*is) : "beyond", exact < end ? exact.str() : "beyond")
          << a << " * " << b << " / " << divisor;
      }
}

TEST(WeiChange, CountsAsALibraryOfLargeNumbersDoes) {
  std::vector<wei_change> all;
  for (const auto& number : numbers(6)) {
    all.emplace_back(number);
    all.push_back(-wei_change{number});
  }
  for (std::size_t i = 0; i < all.size(); i += 2)
    for (std::size_t k = 0; k < all.size(); k += 3) {
      const auto &a = all[i], &b = all[k];
      const auto x = oracle_of(a), y = oracle_of(b);
      const bool by_zero = y == 0; // the library ends the process
      const auto same = [](const std::string& is, const std::string& should) {
        return is == should || (is == ">" && should == "<");
      };
      ASSERT_PRED2(same, outcome_of([&] { return a + b; }), outcome_of([&] { return signed_oracle{x + y}; }))
        << a << " + " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a - b; }), outcome_of([&] { return signed_oracle{x - y}; }))
        << a << " - " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a * b; }), outcome_of([&] { return signed_oracle{x * y}; }))
        << a << " * " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a / b; }),
                   by_zero ? ">" : outcome_of([&] { return signed_oracle{x / y}; }))
        << a << " / " << b;
      ASSERT_PRED2(same, outcome_of([&] { return a % b; }),
                   by_zero ? ">" : outcome_of([&] { return signed_oracle{x % y}; }))
        << a << " % " << b;
      ASSERT_EQ(a < b, x < y) << a << " < " << b;
      ASSERT_EQ(a == b, x == y) << a << " == " << b;
      ASSERT_EQ(a.sign(), x.sign()) << a;
    }
}

TEST(Wei, BecomesABuiltInNumberOnlyWhereItFits) {
  const auto greatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(static_cast<std::int64_t>(uint256{greatest}), greatest);
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(uint256{greatest} + 1)), std::overflow_error);
  EXPECT_EQ(static_cast<std::uint64_t>(uint256{greatest} + 1), std::uint64_t{1} << 63);
  EXPECT_THROW(static_cast<void>(static_cast<std::uint64_t>(uint256{1} << 64)), std::overflow_error);
  EXPECT_THROW(static_cast<void>(static_cast<std::int32_t>(uint256{1} << 31)), std::overflow_error);
  EXPECT_EQ(static_cast<std::int64_t>(-wei_change{greatest} - 1), std::numeric_limits<std::int64_t>::min());
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(-wei_change{greatest} - 2)), std::overflow_error);
  EXPECT_THROW(static_cast<void>(static_cast<std::int64_t>(wei_change{greatest} + 1)), std::overflow_error);
  EXPECT_FALSE(static_cast<bool>(uint256{0}));
  EXPECT_TRUE(static_cast<bool>(uint256{1} << 255));
  EXPECT_THROW(uint256{-1}, std::range_error);
  EXPECT_THROW(uint256{wei_change{-1}}, std::range_error);
  EXPECT_EQ(wei_change{std::numeric_limits<std::int64_t>::min()}, -wei_change{uint256{1} << 63});
}

TEST(Wei, IsNearlyTheSameAsADouble) {
  for (const auto& number : numbers(7)) {
    const auto exact = oracle_of(number).convert_to<double>();
    EXPECT_NEAR(static_cast<double>(number), exact, exact * 1e-15) << number;
  }
}

TEST(Wei, NeverWrapsAround) {
  wei one = 1, all = std::numeric_limits<wei>::max();
  EXPECT_THROW(static_cast<void>(wei{all + one}), std::overflow_error);
  EXPECT_THROW(static_cast<void>(wei{all * 2}), std::overflow_error);
  EXPECT_THROW(static_cast<void>(wei{one - all}), std::range_error);
  EXPECT_THROW(all += one, std::overflow_error);
  EXPECT_THROW(one -= all, std::range_error);
  EXPECT_THROW(all *= all, std::overflow_error);
  EXPECT_EQ(all, std::numeric_limits<wei>::max()) << "what throws changes nothing";
  EXPECT_EQ(one, 1);
}

TEST(SipHash, AgreesWithTheVectorsOfItsAuthors) {
  const sip_key key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  std::string bytes(15, '\0');
  std::iota(bytes.begin(), bytes.end(), '\0');
  EXPECT_NE(sip_hash(key, bytes), sip_hash({key[1], key[0]}, bytes));
  EXPECT_EQ((sip_hash<2, 4>(key, "")), 0x726fdb47dd0e0e31u);
  EXPECT_EQ((sip_hash<2, 4>(key, bytes)), 0xa129ca6149be45e5u);
}

constexpr std::size_t buckets = 4099;
constexpr std::size_t keys = 1500;
/// Of so many keys among so many buckets, spread by chance, no bucket holds more.
constexpr std::size_t bucket_size_max = 12;

/// Keys that a stranger has chosen: all in one bucket of a table that uses `known`.
template <class Key>
std::vector<Key> chosen_for(const std::function<std::size_t(const Key&)>& known,
                            const std::function<Key(std::uint32_t)>& make) {
  std::vector<Key> out;
  for (std::uint32_t i = 1; out.size() < keys; ++i)
    if (auto key = make(i); known(key) % buckets == 7)
      out.push_back(std::move(key));
  return out;
}

template <class Key, class Hash = std::hash<Key>>
std::size_t fullest_bucket(const std::vector<Key>& of) {
  std::unordered_set<Key, Hash> table(buckets);
  table.insert(of.begin(), of.end());
  EXPECT_EQ(table.size(), keys);
  std::size_t most = 0;
  for (std::size_t i = 0; i < table.bucket_count(); ++i)
    most = std::max(most, table.bucket_size(i));
  return most;
}

TEST(KeyedHash, SpreadsIdsThatCollideWhenMultiplied) {
  const auto ids = chosen_for<profile_id>(
    [](const profile_id& who) { return static_cast<std::size_t>(who.value) * 0x9E3779B97F4A7C15ull; },
    [](std::uint32_t i) { return profile_id{static_cast<std::int32_t>(i)}; });
  EXPECT_LE(fullest_bucket(ids), bucket_size_max);
}

TEST(KeyedHash, SpreadsTextsThatCollideInTheLibrary) {
  const auto texts = chosen_for<std::string>([](const std::string& text) { return std::hash<std::string>{}(text); },
                                             [](std::uint32_t i) { return "handle" + std::to_string(i); });
  EXPECT_LE((fullest_bucket<std::string, keyed_hash>(texts)), bucket_size_max);
}

TEST(KeyedHash, SpreadsAddressesThatCollideInTheLibrary) {
  const auto addresses = chosen_for<address>(
    [](const address& of) {
      return std::hash<std::string_view>{}({reinterpret_cast<const char*>(of.bytes.data()), of.bytes.size()});
    },
    [](std::uint32_t i) {
      address out;
      std::memcpy(out.bytes.data(), &i, sizeof i);
      return out;
    });
  EXPECT_LE(fullest_bucket(addresses), bucket_size_max);
}

TEST(KeyedHash, SpreadsWhatPeopleAreLookedUpBy) {
  const auto lookups = chosen_for<people::lookup_key>(
    [](const people::lookup_key& key) { return std::hash<std::string>{}(key.text); },
    [](std::uint32_t i) {
      return people::lookup_key{people::lookup_key::form::username, {}, 0, "name" + std::to_string(i)};
    });
  EXPECT_LE(fullest_bucket(lookups), bucket_size_max);
  const auto numbers = chosen_for<people::lookup_key>(
    [](const people::lookup_key& key) { return static_cast<std::size_t>(key.number) * 0x9E3779B97F4A7C15ull; },
    [](std::uint32_t i) {
      return people::lookup_key{people::lookup_key::form::profile, {}, static_cast<std::int32_t>(i), {}};
    });
  EXPECT_LE(fullest_bucket(numbers), bucket_size_max);
}

TEST(KeyedHash, SpreadsDigestsWithTheSameBeginning) {
  const auto digests = chosen_for<digest32>(
    [](const digest32& of) {
      std::size_t first;
      std::memcpy(&first, of.data(), sizeof first);
      return first;
    },
    [](std::uint32_t i) {
      digest32 out{};
      out[0] = std::byte{7};
      std::memcpy(out.data() + 8, &i, sizeof i);
      return out;
    });
  EXPECT_LE((fullest_bucket<digest32, keyed_hash>(digests)), bucket_size_max);
}

using namespace std::chrono_literals;

constexpr auto boot = 1000s;
constexpr timestamp noon{1'767'000'000s};

clock_verdict at_once(clock_judge& judge, timestamp ours, timestamp theirs, std::chrono::nanoseconds booted) {
  return judge.judge(ours, theirs, ours, booted);
}

TEST(ClockJudge, BelievesWhatIsNearTheDatabasesClock) {
  clock_judge judge;
  for (const auto off : {0s, 5s, -5s})
    EXPECT_EQ(at_once(judge, noon, noon + off, boot), clock_verdict::good) << off.count();
  for (const auto off : {6s, -6s, 100'000'000s})
    EXPECT_EQ(at_once(judge, noon, noon + off, boot), clock_verdict::differs) << off.count();
}

TEST(ClockJudge, AnAnswerThatTookLongProvesNoDifference) {
  clock_judge judge;
  EXPECT_EQ(judge.judge(noon, noon + 1s, noon + 30s, boot), clock_verdict::good);
  EXPECT_EQ(judge.difference(), 0s);
  EXPECT_EQ(judge.judge(noon, noon + 40s, noon + 30s, boot), clock_verdict::differs);
  EXPECT_EQ(judge.difference(), -10s) << "so much behind at least";
}

TEST(ClockJudge, AStepThatTheDatabaseTakesAlongIsBelievedOnlyWhenItIsSmall) {
  clock_judge judge;
  ASSERT_EQ(at_once(judge, noon, noon, boot), clock_verdict::good);
  const auto corrected = noon + 1h;
  EXPECT_EQ(at_once(judge, corrected, corrected, boot), clock_verdict::good);
  const auto years = noon + 24h * 366 * 3;
  EXPECT_EQ(at_once(judge, years, years, boot), clock_verdict::stepped);
  EXPECT_EQ(*judge.ahead(), std::chrono::duration_cast<std::chrono::microseconds>(corrected.time_since_epoch() - boot))
    << "what was good still is";
  EXPECT_EQ(at_once(judge, corrected + 10s, corrected + 10s, boot + 10s), clock_verdict::good) << "it is right again";
}

TEST(ClockJudge, TimeThatPassesIsNoStep) {
  clock_judge judge;
  ASSERT_EQ(at_once(judge, noon, noon, boot), clock_verdict::good);
  const auto month = 24h * 31; // without a look
  EXPECT_EQ(at_once(judge, noon + month, noon + month, boot + month), clock_verdict::good);
}

TEST(ClockJudge, TheFirstLookHasNothingToCompareWithButTheDatabase) {
  clock_judge judge;
  EXPECT_EQ(judge.ahead(), std::nullopt);
  EXPECT_EQ(at_once(judge, noon, noon + 1h, boot), clock_verdict::differs);
  EXPECT_EQ(judge.ahead(), std::nullopt);
}

struct folding {
  const char* name;
  std::string_view text;
  std::string_view folded;
};
void PrintTo(const folding& which, std::ostream* out) { *out << which.text; }

class Folded : public testing::TestWithParam<folding> {};

TEST_P(Folded, IsTheSameHoweverItIsWritten) { EXPECT_EQ(folded(GetParam().text), GetParam().folded); }

std::string name_of(const testing::TestParamInfo<folding>& which) { return which.param.name; }

INSTANTIATE_TEST_SUITE_P(Texts, Folded,
                         testing::Values(folding{"Nothing", "", ""}, folding{"Case", "JoHn", "john"},
                                         folding{"Accents", "Élodie ÖZTÜRK", "elodie ozturk"},
                                         folding{"AccentsOfTheirOwn", "E\u0301lodie", "elodie"},
                                         folding{"SharpS", "Straße", "strasse"}, folding{"Greek", "ΣΊΣΥΦΟΣ", "σισυφοσ"},
                                         folding{"FullWidth", "ＪＯＳÉ", "jose"}, folding{"Ligatures", "ﬁn", "fin"},
                                         folding{"Unseen", "a\u200bb\u200d", "ab"}, folding{"LineEnds", "a\nb", "a b"},
                                         folding{"OtherScripts", "東京", "東京"}, folding{"Vowels", "रोम ที่", "रोम ที่"},
                                         folding{"VoicedKana", "が", "か\u3099"}, folding{"Pictures", "🦊", "🦊"},
                                         folding{"NotText", "a\xff", "a\xff"},
                                         folding{"CutOff", "\xe2\x82", "\xe2\x82"}),
                         name_of);

} // namespace
} // namespace credence
