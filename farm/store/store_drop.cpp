// Blobs that rows name and that are not kept, on purpose; and rows that are about to name one.
#include <fmt/format.h>

#include "farm/store/store.h"

namespace simfarm::farm {

Result<std::optional<Dropped>> Store::dropped(const std::string& digest) {
  std::optional<Dropped> found;
  Query query(database_, "SELECT time, why FROM dropped WHERE digest = ?", {digest});
  if (query.next()) found = Dropped{query.integer(0), query.text(1)};
  if (const auto read = query.end(); !read) return read.error();
  return found;
}

Result<void> Store::about_to_name(const std::string& digest) {
  // Old blobs that no row names are removed inside a write transaction (gc.h), so what is there now
  // stays.
  if (!blobs_.exists(digest))
    return Error{Error::Kind::temporary,
                 fmt::format("{}: went away before anything named it; nothing was changed; do it "
                             "once more",
                             blobs_.path(digest))};
  return database_.run("DELETE FROM dropped WHERE digest = ?", {digest});
}

}  // namespace simfarm::farm
