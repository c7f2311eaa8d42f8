// Dot products of the parts of a lane. x86 has one product of bytes that sums four of them, with
// the first operand unsigned and the second signed (vpdpbusd); the other signs are made from it by
// moving an operand by 128 and correcting the sum, and the correction depends on one operand only,
// so that it is computed once where that operand is used again. Without it, bytes are widened to
// halves, whose products the host sums in pairs (pmaddwd).
#include <llvm/IR/IntrinsicsX86.h>

#include "engine/fast/jit/llvm/lanes.h"

namespace simfarm::fast::jit {

using bodies::HostIsa;

Value Lanes::dot_host(const V& sum, const V& a, const V& b) {
  if (!sum.uniform() || !a.uniform() || !b.uniform()) {
    return wrap(b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpdpbusd_512, {},
                                   {spread(sum), spread(a), spread(b)}));
  }
  llvm::Value* zeros = llvm::Constant::getNullValue(llvm::FixedVectorType::get(b_.getInt32Ty(), 4));
  const auto first = [&](const V& x) { return b_.CreateInsertElement(zeros, x.value, u64{0}); };
  llvm::Value* product = b_.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpdpbusd_128, {},
                                            {first(sum), first(a), first(b)});
  return wrap(b_.CreateExtractElement(product, u64{0}));
}

Value Lanes::corrected(const V& raw, const V& correction) {
  const V result = raw - correction;
  last_ = {result.value, raw, correction};
  return result;
}

Value Lanes::dot_bytes_host(bool a_signed, bool b_signed, const V& sum, const V& a, const V& b) {
  const V flip = value(0x8080'8080);
  if (!a_signed && b_signed) return dot_host(sum, a, b);
  const bool goes_on = last_.result != nullptr && last_.result == sum.value;
  const V from = goes_on ? last_.raw : sum;
  const V before = goes_on ? last_.correction : value(0);
  // a + 128 is unsigned: 128 times the sum of b too much.
  if (a_signed) return corrected(dot_host(from, a ^ flip, b), dot_host(before, flip, b));
  // b - 128 is signed, and so is -128: 128 times the sum of a too little.
  return corrected(dot_host(from, a, b ^ flip), dot_host(before, a, flip));
}

llvm::Value* Lanes::multiply_add_halves(llvm::Value* a, llvm::Value* b) {
  llvm::Intrinsic::ID id = llvm::Intrinsic::x86_sse2_pmadd_wd;
  u32 pieces = 4;
  if (isa_ == HostIsa::avx2) {
    id = llvm::Intrinsic::x86_avx2_pmadd_wd;
    pieces = 2;
  } else if (isa_ == HostIsa::avx512) {
    id = llvm::Intrinsic::x86_avx512_pmaddw_d_512;
    pieces = 1;
  }
  const u32 length = 32 / pieces;
  llvm::Value* result = nullptr;
  for (u32 piece = 0; piece < pieces; ++piece) {
    llvm::SmallVector<int, 32> order;
    for (u32 k = 0; k < length; ++k) order.push_back(static_cast<int>(piece * length + k));
    llvm::Value* part = b_.CreateIntrinsic(
        id, {}, {b_.CreateShuffleVector(a, order), b_.CreateShuffleVector(b, order)});
    if (pieces == 1) return part;
    // Into its place: widened, then chosen.
    llvm::SmallVector<int, gang_lanes> widened, chosen;
    for (u32 k = 0; k < gang_lanes; ++k) {
      const bool here = k / (length / 2) == piece;
      widened.push_back(here ? static_cast<int>(k % (length / 2)) : -1);
      chosen.push_back(static_cast<int>(here ? gang_lanes + k : k));
    }
    llvm::Value* wide = b_.CreateShuffleVector(part, widened);
    result = result == nullptr ? wide : b_.CreateShuffleVector(result, wide, chosen);
  }
  return result;
}

llvm::Value* Lanes::extended_bytes(llvm::Value* a, bool odd, bool is_signed) {
  llvm::Value* halves = split(a, 16);
  if (is_signed) return b_.CreateAShr(odd ? halves : b_.CreateShl(halves, 8), 8);
  return odd ? b_.CreateLShr(halves, 8)
             : b_.CreateAnd(halves, llvm::ConstantInt::get(halves->getType(), 0xff));
}

Value Lanes::dot_parts(u32 bits, bool a_signed, bool b_signed, const V& a, const V& b) {
  V sum = value(0);
  const auto part = [&](const V& x, u32 shift, bool is_signed) {
    const u32 above = 32 - bits - shift;
    return is_signed ? sar(x << above, 32 - bits) : x << above >> (32 - bits);
  };
  for (u32 shift = 0; shift < 32; shift += bits)
    sum = sum + part(a, shift, a_signed) * part(b, shift, b_signed);
  return sum;
}

Value Lanes::dot(u32 bits, bool a_signed, bool b_signed, const V& sum, const V& a, const V& b) {
  if (bits == 8 && isa_ == HostIsa::avx512) return dot_bytes_host(a_signed, b_signed, sum, a, b);
  const bool single = a.uniform() && b.uniform();
  if (single || (bits == 16 && !(a_signed && b_signed)))
    return sum + dot_parts(bits, a_signed, b_signed, a, b);
  llvm::Value* x = spread(a);
  llvm::Value* y = spread(b);
  if (bits == 16) return sum + wrap(multiply_add_halves(split(x, 16), split(y, 16)));
  const auto products = [&](bool odd) {
    return wrap(
        multiply_add_halves(extended_bytes(x, odd, a_signed), extended_bytes(y, odd, b_signed)));
  };
  return sum + products(false) + products(true);
}

}  // namespace simfarm::fast::jit
