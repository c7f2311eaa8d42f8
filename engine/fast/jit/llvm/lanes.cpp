#include "engine/fast/jit/llvm/lanes.h"

#include <llvm/IR/IntrinsicsX86.h>

namespace simfarm::fast::jit {

using bodies::HostIsa;

llvm::Value* Lanes::spread(const V& a) {
  return a.uniform() ? b_.CreateVectorSplat(gang_lanes, a.value) : a.value;
}

Lanes::Pair Lanes::same(const V& a, const V& b) {
  if (a.uniform() == b.uniform()) return {a.value, b.value};
  return {spread(a), spread(b)};
}

Value Lanes::binary(llvm::Instruction::BinaryOps op, const V& a, const V& b) {
  const Pair pair = same(a, b);
  return wrap(b_.CreateBinOp(op, pair.a, pair.b));
}

Value Lanes::rotate_right(const V& a, const V& n) {
  const Pair pair = same(a, n);
  return wrap(
      b_.CreateIntrinsic(llvm::Intrinsic::fshr, {pair.a->getType()}, {pair.a, pair.a, pair.b}));
}

Mask Lanes::compare(llvm::CmpInst::Predicate predicate, const V& a, const V& b) {
  const Pair pair = same(a, b);
  return {b_.CreateICmp(predicate, pair.a, pair.b)};
}

Value Lanes::select(const M& m, const V& a, const V& b) {
  if (!m.uniform()) return wrap(b_.CreateSelect(m.value, spread(a), spread(b)));
  const Pair pair = same(a, b);
  return wrap(b_.CreateSelect(m.value, pair.a, pair.b));
}

Value Lanes::extreme(llvm::Intrinsic::ID id, const V& a, const V& b) {
  const Pair pair = same(a, b);
  return wrap(b_.CreateBinaryIntrinsic(id, pair.a, pair.b));
}

bodies::Wide<Value> Lanes::wide(bool is_signed, const V& a, const V& b) {
  const Pair pair = same(a, b);
  llvm::Type* narrow = pair.a->getType();
  llvm::Type* wide = narrow->getExtendedType();
  const auto extend = [&](llvm::Value* x) {
    return is_signed ? b_.CreateSExt(x, wide) : b_.CreateZExt(x, wide);
  };
  llvm::Value* product = b_.CreateMul(extend(pair.a), extend(pair.b));
  llvm::Value* low = b_.CreateTrunc(product, narrow);
  return {wrap(low), wrap(b_.CreateTrunc(b_.CreateLShr(product, 32), narrow))};
}

Value Lanes::safe_divisor(const V& a, const V& b) {
  const V one = value(1);
  const V nonzero = select(equal(b, value(0)), one, b);
  const V minus_one = select(equal(b, value(~0u)), one, value(0));
  const V lowest = select(equal(a, value(0x8000'0000)), one, value(0));
  // The lowest number divided by 1 is the same as by -1, cut to 32 bits; so is the remainder.
  return select(equal(minus_one & lowest, one), one, nonzero);
}

Value Lanes::divide(const V& a, const V& b) {
  const V quotient = binary(llvm::Instruction::SDiv, a, safe_divisor(a, b));
  return select(equal(b, value(0)), value(~0u), quotient);
}

Value Lanes::divide_unsigned(const V& a, const V& b) {
  const M zero = equal(b, value(0));
  const V quotient = binary(llvm::Instruction::UDiv, a, select(zero, value(1), b));
  return select(zero, value(~0u), quotient);
}

Value Lanes::remainder(const V& a, const V& b) {
  const V rest = binary(llvm::Instruction::SRem, a, safe_divisor(a, b));
  return select(equal(b, value(0)), a, rest);
}

Value Lanes::remainder_unsigned(const V& a, const V& b) {
  const M zero = equal(b, value(0));
  const V rest = binary(llvm::Instruction::URem, a, select(zero, value(1), b));
  return select(zero, a, rest);
}

Value Lanes::count_ones(const V& a) {
  return wrap(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, a.value));
}

Value Lanes::leading_zeros(const V& a) {
  return wrap(b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, a.value, b_.getFalse()));
}

Value Lanes::trailing_zeros(const V& a) {
  return wrap(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, a.value, b_.getFalse()));
}

llvm::Value* Lanes::split(llvm::Value* a, u32 bits) {
  const u32 lanes = a->getType()->isVectorTy() ? gang_lanes : 1;
  return b_.CreateBitCast(a, llvm::FixedVectorType::get(b_.getIntNTy(bits), lanes * 32 / bits));
}

Value Lanes::join(llvm::Value* parts) {
  const u64 bits = parts->getType()->getPrimitiveSizeInBits();
  llvm::Type* type = b_.getInt32Ty();
  if (bits > 32) type = llvm::FixedVectorType::get(type, gang_lanes);
  return wrap(b_.CreateBitCast(parts, type));
}

Value Lanes::shuffle_bytes(const V& a, u32 which) {
  llvm::Value* from = split(a.value, 8);
  const u32 count = llvm::cast<llvm::FixedVectorType>(from->getType())->getNumElements();
  llvm::SmallVector<int, 64> order;
  for (u32 k = 0; k < count; ++k)
    order.push_back(static_cast<int>(k / 4 * 4 + (which >> k % 4 * 8 & 3)));
  return join(b_.CreateShuffleVector(from, order));
}

Value Lanes::shuffle_bytes(const V& a, const V& which) {
  const bool vectors = !a.uniform() || !which.uniform();
  if (vectors && isa_ != HostIsa::baseline) {
    // vpshufb counts bytes in groups of four lanes.
    llvm::SmallVector<llvm::Constant*, gang_lanes> first;
    for (u32 lane = 0; lane < gang_lanes; ++lane)
      first.push_back(b_.getInt32(0x0404'0404u * (lane % 4)));
    llvm::Value* from = split(spread(a), 8);
    llvm::Value* at = b_.CreateOr(spread(which), llvm::ConstantVector::get(first));
    at = split(at, 8);
    if (isa_ == HostIsa::avx512)
      return join(b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_pshuf_b_512, {}, {from, at}));
    llvm::Value* halves[2];
    for (u32 half = 0; half < 2; ++half) {
      llvm::SmallVector<int, 32> order;
      for (u32 k = 0; k < 32; ++k) order.push_back(static_cast<int>(half * 32 + k));
      halves[half] = b_.CreateIntrinsic(
          llvm::Intrinsic::x86_avx2_pshuf_b, {},
          {b_.CreateShuffleVector(from, order), b_.CreateShuffleVector(at, order)});
    }
    llvm::SmallVector<int, 64> all;
    for (int k = 0; k < 64; ++k) all.push_back(k);
    return join(b_.CreateShuffleVector(halves[0], halves[1], all));
  }
  V result = value(0);
  for (u32 shift = 0; shift < 32; shift += 8) {
    const V from = (which >> shift & value(3)) << 3;
    result = result | (a >> from & value(0xff)) << shift;
  }
  return result;
}

}  // namespace simfarm::fast::jit
