// JUnit XML, read by somebody else's parser.
#include "farm/junit.h"

#include <gmock/gmock.h>

#include "tests/farm/support.h"

namespace simfarm::farm {
namespace {

Scored junit_entry(const std::string& name, Verdict verdict, std::optional<Verdict> expected = {}) {
  static const auto task = [] {
    LoadedTask loaded;
    loaded.task.name = "small";
    return std::make_shared<const LoadedTask>(loaded);
  }();
  Scored one;
  one.entry.id = name;
  one.entry.task = task;
  one.entry.expected = expected;
  one.entry.rerun = "simfarm try " + name;
  one.evaluation.verdict = verdict;
  if (verdict != Verdict::accepted)
    one.evaluation.failure = "a < b & \"c\" \x1b[2J \u202e \xff \uffff ]]>\nsecond line\n";
  return one;
}

TEST(JUnit, IsReadByOthersWithEveryVerdictInItsPlace) {
  const test::Folder folder;
  const std::vector<Scored> batch = {
      junit_entry("good", Verdict::accepted),
      junit_entry("bad <&\"\x1b>", Verdict::wrong_output),
      junit_entry("must be wrong", Verdict::deadlock, Verdict::deadlock),
      junit_entry("surprise", Verdict::accepted, Verdict::deadlock),
      junit_entry("fault", Verdict::system_error),
      junit_entry("not begun", Verdict::cancelled)};
  folder.write("junit.xml", junit_xml(make_boards(batch)));
  const test::Ran ran = test::python(folder, R"(
import xml.etree.ElementTree as tree
root = tree.parse('junit.xml').getroot()
suite = root.find('testsuite')
print(root.tag, suite.get('name'), *[suite.get(k) for k in ('tests', 'failures', 'errors', 'skipped')])
for case in suite.iter('testcase'):
    print(ascii(case.get('name')), [child.tag for child in case])
print(ascii(suite.findall('testcase/failure')[1].text))
)");
  EXPECT_EQ(
      ran.output,
      "testsuites small 6 2 1 1\n"
      "'good' ['system-out']\n"
      "'surprise' ['failure', 'system-out']\n"
      "'bad <&\"\\\\u{1b}>' ['failure', 'system-out']\n"
      "'fault' ['error', 'system-out']\n"
      "'must be wrong' ['system-out']\n"
      "'not begun' ['skipped', 'system-out']\n"
      "'a < b & \"c\" \\\\u{1b}[2J \\\\u{202e} \\\\x{ff}  ]]>\\nsecond line\\nrerun: simfarm try "
      "bad <&\"\\\\u{1b}>'\n");
}

}  // namespace
}  // namespace simfarm::farm
