// The side of a simulation that is in another process (simulators.h has the farm's): a worker,
// which reads nothing that is a stranger's, and forks a child for each request; the child gives
// away every right that it has, and then reads the program. docs/sandbox.md, "The simulator's
// processes".
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/types.h"

namespace simfarm::farm {

/// Bounds on one simulation, for the host's safety: no verdict is made of them but HOST_LIMIT.
struct SimulatorLimits {
  u32 cpu_seconds = 2 * 3600;
  u32 wall_seconds = 3 * 3600;
  u64 address_bytes = u64{8} << 30;  ///< a run on the machine ultra takes about one
  u64 log_bytes = 16u << 10;         ///< kept of what the process says
};

/// What goes over a worker's socket (SOCK_SEQPACKET, its descriptor 3): three integers.
struct SimulatorMessage {
  enum class Kind : u64 {
    ready = 0x1'5f6d'6973,      ///< from the worker, once; `a`: 1 when its children have a filter
    job = 0x2'5f6d'6973,        ///< to it, with a request to read and a pipe for the record; `a`:
                                ///< cpu_seconds, `b`: address_bytes
    exited = 0x3'5f6d'6973,     ///< from it: the child's exit status `a`
    signalled = 0x4'5f6d'6973,  ///< from it: the signal `a` that ended the child
  } kind{};
  u64 a = 0;
  u64 b = 0;
};
inline constexpr int worker_socket = 3;

/// Exit statuses of a child that has no record to show.
namespace simulator_exit {
inline constexpr int failed = 70;     ///< an exception, or nobody reads the record
inline constexpr int no_memory = 71;  ///< of SimulatorLimits::address_bytes
inline constexpr int not_ready = 72;  ///< it could not give up its rights
}  // namespace simulator_exit

/// With descriptors, if the kind has any. False: the other side is gone.
bool send_message(int socket, const SimulatorMessage& message, std::span<const int> descriptors);
/// Nothing: the other side is gone, or said something else. Descriptors that came are the caller's.
std::optional<SimulatorMessage> receive_message(int socket, std::vector<int>& descriptors);

/// From a request's bytes to a record's.
using SimulationBody = std::function<std::vector<u8>(std::span<const u8>)>;

/// The official one: unpack_request, judge_program, pack_record.
std::vector<u8> simulate_request(std::span<const u8> request);

/// Whether a simulation's child can take its filter on this host: some containers forbid that. For
/// a process with one thread.
bool simulation_filter_works();

/// A worker's main program; returns its exit status once the other side is gone. For a process with
/// one thread.
int serve_simulations(int socket, const SimulationBody& body = simulate_request);

}  // namespace simfarm::farm
