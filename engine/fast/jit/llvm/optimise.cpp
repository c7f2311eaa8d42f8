#include "engine/fast/jit/llvm/optimise.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

namespace simfarm::fast::jit {
namespace {

struct Level {
  const char* cpu;
  const char* features;
};

Level level(bodies::HostIsa isa) {
  switch (isa) {
    case bodies::HostIsa::baseline:
      break;
    case bodies::HostIsa::avx2:
      return {"x86-64-v3", ""};
    case bodies::HostIsa::avx512:
      return {"x86-64-v4",
              "+avx512vnni,+avx512vbmi,+avx512bitalg,+avx512vpopcntdq,-prefer-256-bit"};
  }
  return {"x86-64", ""};
}

}  // namespace

std::unique_ptr<llvm::TargetMachine> make_target(bodies::HostIsa isa, std::string& error) {
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(host_triple, error);
  if (target == nullptr) return nullptr;
  const Level its = level(isa);
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      host_triple, its.cpu, its.features, llvm::TargetOptions(), llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default, true));
}

void optimise(llvm::Module& module, llvm::TargetMachine& target) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&target);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager passes;
  passes.addPass(llvm::PromotePass());
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) passes.run(function, functions);
}

bool make_object(llvm::Module& module, llvm::TargetMachine& target,
                 llvm::SmallVectorImpl<char>& object) {
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  if (target.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return false;
  passes.run(module);
  return true;
}

}  // namespace simfarm::fast::jit
