#include "base/result.h"

#include <gtest/gtest.h>

namespace simfarm {
namespace {

TEST(Result, HoldsAValueOrAnError) {
  Result<int> value = 7;
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 7);
  Result<int> failed = input_error("field x is 9, at most 8 is possible");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().kind, Error::Kind::input);
}

}  // namespace
}  // namespace simfarm
