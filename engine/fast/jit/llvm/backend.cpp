// The library's front: plans in, regions out. One just-in-time linker for the process's backend,
// one target for each instruction set that is asked for.
#include "engine/fast/jit/backend.h"

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>

#include <array>
#include <mutex>

#include "engine/fast/jit/llvm/optimise.h"
#include "engine/fast/jit/llvm/region_emitter.h"

namespace simfarm::fast::jit {
namespace {

class CompiledRegion : public Region {
 public:
  CompiledRegion(std::shared_ptr<llvm::orc::LLJIT> linker, llvm::orc::ResourceTrackerSP code,
                 llvm::orc::ExecutorAddr entry, std::vector<Leaf> leaves, const Plan& plan)
      : linker_(std::move(linker)), code_(std::move(code)) {
    function_ = entry.toPtr<u32 (*)(Frame*)>();
    leaves_ = std::move(leaves);
    for (const u32 index : plan.entries) entries_.push_back(plan.nodes[index].node);
  }
  ~CompiledRegion() override { llvm::consumeError(code_->remove()); }

 private:
  std::shared_ptr<llvm::orc::LLJIT> linker_;
  llvm::orc::ResourceTrackerSP code_;
};

class LlvmBackend : public Backend {
 public:
  std::unique_ptr<Region> compile(const Plan& plan, const Config& config) override {
    if (!bodies::runs_here(config.isa)) return fail("the host lacks these instructions");
    if (plan.nodes.empty()) return fail("no nodes");
    std::unique_ptr<llvm::TargetMachine>& target = targets_[static_cast<u32>(config.isa)];
    if (target == nullptr) target = make_target(config.isa, error_);
    if (target == nullptr || !start()) return nullptr;

    llvm::LLVMContext context;
    context.setDiscardValueNames(true);
    llvm::Module module("region", context);
    module.setTargetTriple(target->getTargetTriple().str());
    module.setDataLayout(target->createDataLayout());
    const std::string name = "region_" + std::to_string(next_++);
    RegionEmitter emitter(module, plan, config);
    emitter.emit(name);
    optimise(module, *target);
    llvm::SmallVector<char, 0> object;
    if (!make_object(module, *target, object)) return fail("the target makes no object files");

    llvm::orc::ResourceTrackerSP code = linker_->getMainJITDylib().createResourceTracker();
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy({object.data(), object.size()}, name);
    if (llvm::Error error = linker_->addObjectFile(code, std::move(buffer)))
      return fail(llvm::toString(std::move(error)));
    llvm::Expected<llvm::orc::ExecutorAddr> entry = linker_->lookup(name);
    if (!entry) return fail(llvm::toString(entry.takeError()));
    return std::make_unique<CompiledRegion>(linker_, std::move(code), *entry, emitter.take_leaves(),
                                            plan);
  }

  const char* error() const override { return error_.c_str(); }

 private:
  std::unique_ptr<Region> fail(std::string reason) {
    error_ = std::move(reason);
    return nullptr;
  }

  bool start() {
    if (linker_ != nullptr) return true;
    // Regions need no symbols but their own.
    auto made = llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(
                        llvm::orc::JITTargetMachineBuilder(llvm::Triple(host_triple)))
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .setLinkProcessSymbolsByDefault(false)
                    .create();
    if (!made) {
      fail(llvm::toString(made.takeError()));
      return false;
    }
    linker_ = std::move(*made);
    return true;
  }

  std::shared_ptr<llvm::orc::LLJIT> linker_;
  std::array<std::unique_ptr<llvm::TargetMachine>, bodies::host_isa_count> targets_;
  std::string error_;
  u64 next_ = 0;
};

}  // namespace
}  // namespace simfarm::fast::jit

extern "C" [[gnu::visibility("default")]] simfarm::fast::jit::Backend* simfarm_jit_backend(
    simfarm::u32 version) {
  if (version != simfarm::fast::jit::backend_version) return nullptr;
  static std::once_flag once;  // threads may ask for a backend each
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  return new simfarm::fast::jit::LlvmBackend;
}
