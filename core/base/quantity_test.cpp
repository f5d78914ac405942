#include "core/base/quantity.h"
#include "testdata/support.h"

namespace cnsched::quantity_test {

Quantity quantity(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  INFO(text);
  REQUIRE(parsed);
  return *parsed;
}

std::string error_of(std::string_view text) {
  const auto parsed = Quantity::parse(text);
  INFO(text);
  REQUIRE_FALSE(parsed);
  return parsed.error().message;
}

TEST_CASE("equal quantities in different notations are equal") {
  struct Row {
    const char* one;
    const char* other;
  };
  for (const auto& [one, other] : {
           Row{"1", "1000m"},
           Row{"1", "1.0"},
           Row{"1", "1."},
           Row{"1", "+1"},
           Row{"0.5", ".5"},
           Row{"500m", ".5"},
           Row{"1k", "1000"},
           Row{"1M", "1000k"},
           Row{"1G", "1000M"},
           Row{"1T", "1000G"},
           Row{"1P", "1000T"},
           Row{"1E", "1000P"},
           Row{"1Ki", "1024"},
           Row{"1Mi", "1024Ki"},
           Row{"1Gi", "1024Mi"},
           Row{"1Ti", "1024Gi"},
           Row{"1Pi", "1024Ti"},
           Row{"1Ei", "1024Pi"},
           Row{"1.5Gi", "1536Mi"},
           Row{"1e3", "1000"},
           Row{"1E3", "1000"},
           Row{"1e+3", "1k"},
           Row{"1e-3", "1m"},
           Row{"12e03", "12k"},
           Row{"1000u", "1m"},
           Row{"1000n", "1u"},
           Row{"007", "7"},
           Row{"-1", "-1000m"},
           Row{"0", "-0"},
           Row{"0", "0Gi"},
           Row{"0.1Ki", "102.4"},
           Row{"0.5Ei", "512Pi"},
           Row{"1e1000", "1e999"},
           Row{"0e1000", "0"},
           Row{"1.0000000000000000000Gi", "1Gi"},
       }) {
    CAPTURE(one);
    CAPTURE(other);
    CHECK(quantity(one) == quantity(other));
  }
}

TEST_CASE("close quantities differ") {
  CHECK(quantity("1E") < quantity("1Ei"));
  CHECK(quantity("9223372036854775806") < quantity("9223372036854775807"));
  CHECK(quantity("0.000000001") < quantity("0.000000002"));
  CHECK(quantity("1Gi") > quantity("1G"));
  CHECK(quantity("-2") < quantity("-1"));
  CHECK(quantity("4611686018427387905") > quantity("4Ei"));
}

TEST_CASE("1E is exa, 1E3 is a thousand, and M is not Mi") {
  CHECK(quantity("1E") == quantity("1000000000000000000"));
  CHECK(quantity("1E3") == quantity("1000"));
  CHECK(quantity("1M") == quantity("1000000"));
  CHECK(quantity("1Mi") == quantity("1048576"));
}

TEST_CASE("rounds more than nine decimals away from zero") {
  CHECK(quantity("0.0000000001") == quantity("1n"));
  CHECK(quantity("1.0000000001") == quantity("1.000000001"));
  CHECK(quantity("1e-1000") == quantity("1n"));
  CHECK(quantity("-0.0000000001") == quantity("-1n"));
  CHECK(quantity("0.0000000001n") == quantity("1n"));
  CHECK(quantity("0.00000000000000000000000000000000001") == quantity("1n"));
  CHECK(quantity("0.00000000000000000000000000000000000").is_zero());
}

TEST_CASE("caps a quantity at int64") {
  CHECK(quantity("9223372036854775808") == quantity("9223372036854775807"));
  CHECK(quantity("100Ei") == quantity("9223372036854775807"));
  CHECK(quantity("1e1000") == quantity("9223372036854775807"));
  CHECK(quantity("-1e1000") == quantity("-9223372036854775807"));
  CHECK(quantity(std::string(400, '9')) == quantity("9223372036854775807"));
}

TEST_CASE("distinguishes whole, zero and negative quantities") {
  CHECK(quantity("1000m").is_integer());
  CHECK(quantity("2").is_integer());
  CHECK(quantity("1.0").is_integer());
  CHECK_FALSE(quantity("500m").is_integer());
  CHECK_FALSE(quantity("0.5").is_integer());
  CHECK_FALSE(quantity("1e-9").is_integer());
  CHECK(quantity("0.000").is_zero());
  CHECK_FALSE(quantity("1n").is_zero());
  CHECK(quantity("-1n").is_negative());
  CHECK_FALSE(quantity("-0").is_negative());
}

TEST_CASE("a canonical quantity has no fraction, and the largest suffix of its notation") {
  struct Row {
    const char* written;
    const char* canonical;
  };
  // The results of apimachinery 0.34.
  for (const auto& [written, canonical] : {
           Row{"0.5", "500m"},
           Row{"1", "1"},
           Row{"1.0", "1"},
           Row{"1000m", "1"},
           Row{"1500m", "1500m"},
           Row{"1.5", "1500m"},
           Row{"1000", "1k"},
           Row{"1024", "1024"},
           Row{"8000M", "8G"},
           Row{"1024Mi", "1Gi"},
           Row{"1.5Gi", "1536Mi"},
           Row{"2048Ki", "2Mi"},
           Row{"1000Mi", "1000Mi"},
           Row{"0.5Gi", "512Mi"},
           Row{"0.5Ki", "512"},
           Row{"0.1Ki", "102400m"},
           Row{"1.0001Ki", "1024102400u"},
           Row{"3.8Gi", "4080218931200m"},
           Row{"1Ki", "1Ki"},
           Row{"0.9990234375Ki", "1023"},
           Row{"0", "0"},
           Row{"0Gi", "0"},
           Row{"-0", "0"},
           Row{"0e5", "0"},
           Row{"-1Gi", "-1Gi"},
           Row{"-0.5", "-500m"},
           Row{"1e3", "1e3"},
           Row{"1e2", "100"},
           Row{"12e4", "120e3"},
           Row{"1e-3", "1e-3"},
           Row{"1e-1", "100e-3"},
           Row{"1500e0", "1500"},
           Row{"1E", "1E"},
           Row{"1n", "1n"},
           Row{"0.0000000001", "1n"},
           Row{"9223372036854775807", "9223372036854775807"},
           Row{"100Ei", "9223372036854775807"},
       }) {
    CAPTURE(written);
    CHECK(quantity(written).canonical() == canonical);
    CHECK(quantity(quantity(written).canonical()) == quantity(written));
  }
}

TEST_CASE("thousandths of a quantity are rounded away from zero and capped at int64") {
  struct Row {
    const char* text;
    std::int64_t milli;
  };
  for (const auto& [text, milli] : {
           Row{"0", 0},
           Row{"1", 1000},
           Row{"1m", 1},
           Row{"0.1m", 1},
           Row{"1n", 1},
           Row{"1.0001", 1001},
           Row{"-1", -1000},
           Row{"-0.1m", -1},
           Row{"-1.0001", -1001},
           Row{"9223372036854775", 9223372036854775000},
           Row{"9223372036854775.807", INT64_MAX},
           Row{"9223372036854775.808", INT64_MAX},
           Row{"9223372036854776", INT64_MAX},
           Row{"1E", INT64_MAX},
           Row{"8Ei", INT64_MAX},
           Row{"-1E", -INT64_MAX},
       }) {
    CAPTURE(text);
    CHECK(quantity(text).milli_value() == milli);
  }
}

TEST_CASE("an amount of a resource is rounded to thousandths, away from zero") {
  CHECK(quantity("0.1m").rounded_to_milli() == quantity("1m"));
  CHECK(quantity("1.0001").rounded_to_milli() == quantity("1001m"));
  CHECK(quantity("1.5").rounded_to_milli() == quantity("1.5"));
  CHECK(quantity("-0.1m").rounded_to_milli() == quantity("-1m"));
  CHECK(quantity("0").rounded_to_milli() == quantity("0"));
  CHECK(quantity("100Ei").rounded_to_milli() == quantity("100Ei"));
}

TEST_CASE("a sum of quantities is exact, capped, and in the notation of the left one") {
  const auto sum = [](std::string_view a, std::string_view b) {
    Quantity all = quantity(a);
    all += quantity(b);
    return all;
  };
  CHECK(sum("500m", "1n") == quantity("0.500000001"));
  CHECK(sum("1Gi", "1Mi").canonical() == "1025Mi");
  CHECK(sum("1G", "1Gi").canonical() == "2073741824");
  CHECK(sum("1", "-1").is_zero());
  CHECK(sum("9223372036854775806", "1").value() == INT64_MAX);
  CHECK(sum("9223372036854775807", "1").value() == INT64_MAX);
  CHECK(sum("5E", "5E").value() == INT64_MAX);
  CHECK(sum("-5E", "-5E").value() == -INT64_MAX);
}

TEST_CASE("rejects a quantity with an unknown suffix and suggests likely ones") {
  CHECK(error_of("16GB") == "'16GB' has unknown suffix 'GB', did you mean 'Gi' or 'G'?");
  CHECK(error_of("16gi") == "'16gi' has unknown suffix 'gi', did you mean 'Gi' or 'G'?");
  CHECK(error_of("16Gib") == "'16Gib' has unknown suffix 'Gib', did you mean 'Gi' or 'G'?");
  CHECK(error_of("16g") == "'16g' has unknown suffix 'g', did you mean 'Gi' or 'G'?");
  CHECK(error_of("512mb") == "'512mb' has unknown suffix 'mb', did you mean 'Mi' or 'M'?");
  CHECK(error_of("512mi") == "'512mi' has unknown suffix 'mi', did you mean 'Mi' or 'M'?");
  CHECK(error_of("4K") == "'4K' has unknown suffix 'K', did you mean 'Ki' or 'k'?");
  CHECK(error_of("4KB") == "'4KB' has unknown suffix 'KB', did you mean 'Ki' or 'k'?");
  CHECK(error_of("4ki") == "'4ki' has unknown suffix 'ki', did you mean 'Ki'?");
  CHECK(error_of("2t") == "'2t' has unknown suffix 't', did you mean 'Ti' or 'T'?");
  CHECK(error_of("16 Gi") == "'16 Gi' has unknown suffix ' Gi', did you mean 'Gi'?");
  CHECK(error_of("2 cores") == "'2 cores' has unknown suffix ' cores'");
}

TEST_CASE("rejects a text that is not a number with the reason") {
  CHECK(error_of("") == "'' is empty, so it is not a quantity");
  CHECK(error_of("Gi") == "'Gi' is not a quantity: it does not begin with a number");
  CHECK(error_of(".") == "'.' is not a quantity: it does not begin with a number");
  CHECK(error_of("-") == "'-' is not a quantity: it does not begin with a number");
  CHECK(error_of("--1") == "'--1' is not a quantity: it does not begin with a number");
  CHECK(error_of(" 1") == "' 1' is not a quantity: it does not begin with a number");
  CHECK(error_of("1.2.3") == "'1.2.3' is not a quantity: it contains two dots");
}

TEST_CASE("accepts one suffix only and a whole exponent") {
  for (const std::string text : {"1e", "1e+", "1e-", "1e+-3", "1e--3", "1e3.5", "1e3Gi", "1Gi3",
                                 "1MiMi", "1mm", "1,5Gi", "1_000", "0x10", "1 ", "1e 3", "1Gi\n"}) {
    CAPTURE(text);
    CHECK_FALSE(Quantity::parse(text));
  }
}

TEST_CASE("a hostile quantity cannot put control characters into its message") {
  CHECK(error_of("1\x1b[31m") == "'1\\x1b[31m' has unknown suffix '\\x1b[31m'");
}

}  // namespace cnsched::quantity_test
