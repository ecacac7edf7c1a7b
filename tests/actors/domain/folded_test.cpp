#include "actors/domain/text.hpp"

#include <gtest/gtest.h>

namespace credence {
namespace {

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
