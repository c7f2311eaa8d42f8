#include "farm/store/named_blobs.h"

namespace simfarm::farm {

Result<std::map<std::string, std::string>> named_blobs(const Database& database) {
  std::map<std::string, std::string> named;
  Query query(database,
              "SELECT digest, 'package of task ' || name FROM tasks UNION ALL "
              "SELECT archive, 'archive of submission ' || id FROM submissions UNION ALL "
              "SELECT elf, 'program of result ' || key FROM evaluations WHERE elf <> '' UNION ALL "
              "SELECT description, 'what engines say of submission ' || submission "
              "FROM promotions WHERE description <> ''");
  while (query.next()) named.emplace(query.text(0), query.text(1));
  if (const auto read = query.end(); !read) return read.error();
  return named;
}

}  // namespace simfarm::farm
