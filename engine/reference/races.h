// Who may not touch what, and until when (docs/machine.md, section 6). Only there when a run checks
// races: it changes nothing but whether a race is found.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.h"
#include "engine/machine.h"
#include "engine/reference/byte_set.h"
#include "engine/reference/execute.h"
#include "engine/reference/request.h"
#include "pe/trap.h"

namespace simfarm::reference {

class Races {
 public:
  explicit Races(const Machine& machine);

  /// A gp.dma has queued this transfer.
  void queued(const Request& request);
  /// It starts in cycle `now`; the trap if it conflicts with one under way.
  std::optional<Trap> started(const Request& request, Cycle now);
  /// Its bytes are complete at a receiver.
  void completed_at(const Request& request, PeId receiver);
  /// It is complete.
  void completed(const Request& request);
  /// A gp.wait of `pe` on `semaphore` issues, which makes the bytes of these transfers visible.
  void acquired(PeId pe, u32 semaphore, const std::vector<TransferId>& transfers);

  /// The PE reads or writes its local memory.
  std::optional<Fault> load(PeId pe, u32 address, u64 bytes) const;
  std::optional<Fault> store(PeId pe, u32 address, u64 bytes) const;

 private:
  /// What is known of a transfer, for as long as anybody may run into it.
  struct Transfer {
    TransferId id;
    u32 descriptor = 0;
    u32 pc = 0;
    Cycle queued = 0;
    dma::Operation operation{};
    AddressMap::Space source_space{};
    AddressMap::Space destination_space{};
    u32 own_release = 0;  ///< bit of the semaphore, or 0
    Footprint footprint;
    bool complete = false;
    /// Local memories that it writes and where it has not completed, ascending.
    std::vector<PeId> writing_at;
  };
  using Shared = std::shared_ptr<Transfer>;

  /// What must not be touched in one PE's local memory.
  struct Guards {
    std::vector<Shared> destinations;
    std::vector<Shared> sources;
    std::vector<u16> destination_count;  ///< by unit of 8 bytes: how many of them touch it
    std::vector<u16> source_count;
  };
  void guard(std::vector<u16>& counts, const ByteSet& bytes) const;
  void unguard(std::vector<u16>& counts, const ByteSet& bytes) const;
  void guard_destination(PeId pe, const Shared& transfer);
  /// False: no guard is anywhere near.
  bool counted(const std::vector<u16>& counts, u32 address, u64 bytes) const;

  struct Conflict {
    u32 address = 0;
    const char* what = "";   ///< "writes", "reads": what the younger one does
    const char* older = "";  ///< and the older one
  };
  std::optional<Conflict> conflict(const Transfer& younger, const Transfer& older) const;
  bool write_in_one_memory(const Transfer& a, const Transfer& b) const;
  bool reads_where_it_writes(const Transfer& reader, const Transfer& writer) const;

  std::vector<Shared>::iterator find_active(TransferId id);
  std::string told(const Transfer& transfer) const;
  /// The race of an access with one of `guards`, if there is one.
  std::optional<Fault> fault(const std::vector<Shared>& guards, bool source, const char* access,
                             u32 address, u64 bytes) const;

  const Machine& machine_;
  std::vector<Guards> guards_;
  std::map<TransferId, Shared> waiting_;  ///< queued, not started
  std::vector<Shared> active_;            ///< started, not complete; in order of age
};

}  // namespace simfarm::reference
