// From LLVM's intermediate code to an object file in memory.
#pragma once
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "pe/bodies/host_isa.h"

namespace simfarm::fast::jit {

inline constexpr const char* host_triple = "x86_64-unknown-linux-gnu";

/// Code generation for this host, with no more than the instructions of `isa`. Null: `error` says
/// why.
std::unique_ptr<llvm::TargetMachine> make_target(bodies::HostIsa isa, std::string& error);

/// The few passes that pay for regions: registers into SSA, common subexpressions. What combining
/// instructions or moving them out of loops adds to code generation's own is not to be measured,
/// but for the time that it takes.
void optimise(llvm::Module& module, llvm::TargetMachine& target);

/// False: the target cannot.
bool make_object(llvm::Module& module, llvm::TargetMachine& target,
                 llvm::SmallVectorImpl<char>& object);

}  // namespace simfarm::fast::jit
