// The lane context of generated code (pe/bodies/lane.h): a body that runs over it emits the
// instructions that compute it. A value that is equal in all lanes is one i32, any other 16 of
// them; an operation on both spreads the single one. Code for one PE has single values only.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "pe/bodies/host_isa.h"
#include "pe/bodies/lane.h"

namespace simfarm::fast::jit {

inline constexpr u32 gang_lanes = 16;

class Lanes;

/// 32 bits a lane. Without a lane context: an operand that the instruction does not have.
struct Value {
  Lanes* lanes = nullptr;
  llvm::Value* value = nullptr;
  bool uniform() const { return !value->getType()->isVectorTy(); }
};

/// A condition of each lane.
struct Mask {
  llvm::Value* value = nullptr;
  bool uniform() const { return !value->getType()->isVectorTy(); }
};

class Lanes {
 public:
  using V = Value;
  using M = Mask;

  Lanes(llvm::IRBuilder<>& builder, bodies::HostIsa isa) : b_(builder), isa_(isa) {}

  llvm::IRBuilder<>& builder() { return b_; }
  /// The same in every lane of a vector.
  llvm::Value* spread(const V& a);
  V wrap(llvm::Value* value) { return {this, value}; }

  V value(u32 a) { return wrap(b_.getInt32(a)); }
  V binary(llvm::Instruction::BinaryOps op, const V& a, const V& b);
  V sar(const V& a, const V& n) { return binary(llvm::Instruction::AShr, a, n); }
  V sar(const V& a, u32 n) { return sar(a, value(n)); }
  V rotate_right(const V& a, const V& n);
  V rotate_right(const V& a, u32 n) { return rotate_right(a, value(n)); }

  M compare(llvm::CmpInst::Predicate predicate, const V& a, const V& b);
  M equal(const V& a, const V& b) { return compare(llvm::CmpInst::ICMP_EQ, a, b); }
  M less(const V& a, const V& b) { return compare(llvm::CmpInst::ICMP_SLT, a, b); }
  M less_unsigned(const V& a, const V& b) { return compare(llvm::CmpInst::ICMP_ULT, a, b); }
  M invert(const M& m) { return {b_.CreateNot(m.value)}; }
  V select(const M& m, const V& a, const V& b);

  V min(const V& a, const V& b) { return extreme(llvm::Intrinsic::smin, a, b); }
  V max(const V& a, const V& b) { return extreme(llvm::Intrinsic::smax, a, b); }
  V min_unsigned(const V& a, const V& b) { return extreme(llvm::Intrinsic::umin, a, b); }
  V max_unsigned(const V& a, const V& b) { return extreme(llvm::Intrinsic::umax, a, b); }

  bodies::Wide<V> multiply_wide(const V& a, const V& b) { return wide(true, a, b); }
  bodies::Wide<V> multiply_wide_unsigned(const V& a, const V& b) { return wide(false, a, b); }
  V divide(const V& a, const V& b);
  V divide_unsigned(const V& a, const V& b);
  V remainder(const V& a, const V& b);
  V remainder_unsigned(const V& a, const V& b);

  V count_ones(const V& a);
  V leading_zeros(const V& a);
  V trailing_zeros(const V& a);
  V shuffle_bytes(const V& a, const V& which);
  V shuffle_bytes(const V& a, u32 which);

  template <class P>
  V add(P, const V& a, const V& b) {
    return parts<P>(a, b, [this](auto* x, auto* y) { return b_.CreateAdd(x, y); });
  }
  template <class P>
  V subtract(P, const V& a, const V& b) {
    return parts<P>(a, b, [this](auto* x, auto* y) { return b_.CreateSub(x, y); });
  }
  template <class P>
  V min(P, const V& a, const V& b) {
    return extreme_parts<P>(llvm::Intrinsic::smin, a, b);
  }
  template <class P>
  V max(P, const V& a, const V& b) {
    return extreme_parts<P>(llvm::Intrinsic::smax, a, b);
  }
  template <class P>
  V min_unsigned(P, const V& a, const V& b) {
    return extreme_parts<P>(llvm::Intrinsic::umin, a, b);
  }
  template <class P>
  V max_unsigned(P, const V& a, const V& b) {
    return extreme_parts<P>(llvm::Intrinsic::umax, a, b);
  }
  template <class P>
  V mask_equal(P, const V& a, const V& b) {
    return mask_parts<P>(llvm::CmpInst::ICMP_EQ, a, b);
  }
  template <class P>
  V mask_less(P, const V& a, const V& b) {
    return mask_parts<P>(llvm::CmpInst::ICMP_SLT, a, b);
  }
  template <class P>
  V mask_less_unsigned(P, const V& a, const V& b) {
    return mask_parts<P>(llvm::CmpInst::ICMP_ULT, a, b);
  }
  template <class P>
  V dot_signed(P, const V& sum, const V& a, const V& b) {
    return dot(P::bits, true, true, sum, a, b);
  }
  template <class P>
  V dot_unsigned(P, const V& sum, const V& a, const V& b) {
    return dot(P::bits, false, false, sum, a, b);
  }
  template <class P>
  V dot_unsigned_signed(P, const V& sum, const V& a, const V& b) {
    return dot(P::bits, false, true, sum, a, b);
  }

 private:
  struct Pair {
    llvm::Value* a;
    llvm::Value* b;
  };
  /// Both single, or both spread.
  Pair same(const V& a, const V& b);
  V extreme(llvm::Intrinsic::ID id, const V& a, const V& b);
  bodies::Wide<V> wide(bool is_signed, const V& a, const V& b);
  /// A divisor that no host traps on, where the quotient is said without it.
  V safe_divisor(const V& a, const V& b);

  /// As a vector of parts.
  llvm::Value* split(llvm::Value* a, u32 bits);
  V join(llvm::Value* parts);
  template <class P, class F>
  V parts(const V& a, const V& b, F f) {
    const Pair pair = same(a, b);
    return join(f(split(pair.a, P::bits), split(pair.b, P::bits)));
  }
  template <class P>
  V extreme_parts(llvm::Intrinsic::ID id, const V& a, const V& b) {
    return parts<P>(a, b, [&](auto* x, auto* y) { return b_.CreateBinaryIntrinsic(id, x, y); });
  }
  template <class P>
  V mask_parts(llvm::CmpInst::Predicate predicate, const V& a, const V& b) {
    return parts<P>(a, b, [&](auto* x, auto* y) {
      return b_.CreateSExt(b_.CreateICmp(predicate, x, y), x->getType());
    });
  }

  V dot(u32 bits, bool a_signed, bool b_signed, const V& sum, const V& a, const V& b);
  /// The host's own products of bytes (vpdpbusd): the first unsigned, the second signed.
  V dot_host(const V& sum, const V& a, const V& b);
  V dot_bytes_host(bool a_signed, bool b_signed, const V& sum, const V& a, const V& b);
  /// raw - correction, remembered: a dot product that goes on from it corrects once for both.
  V corrected(const V& raw, const V& correction);
  /// Sums of the products of neighbouring halves, signed (pmaddwd); both are spread.
  llvm::Value* multiply_add_halves(llvm::Value* a, llvm::Value* b);
  llvm::Value* extended_bytes(llvm::Value* a, bool odd, bool is_signed);
  V dot_parts(u32 bits, bool a_signed, bool b_signed, const V& a, const V& b);

  struct Corrected {
    llvm::Value* result = nullptr;
    V raw, correction;
  };

  llvm::IRBuilder<>& b_;
  bodies::HostIsa isa_;
  Corrected last_;
};

inline Value operator+(const Value& a, const Value& b) {
  return a.lanes->binary(llvm::Instruction::Add, a, b);
}
inline Value operator-(const Value& a, const Value& b) {
  return a.lanes->binary(llvm::Instruction::Sub, a, b);
}
inline Value operator*(const Value& a, const Value& b) {
  return a.lanes->binary(llvm::Instruction::Mul, a, b);
}
inline Value operator&(const Value& a, const Value& b) {
  return a.lanes->binary(llvm::Instruction::And, a, b);
}
inline Value operator|(const Value& a, const Value& b) {
  return a.lanes->binary(llvm::Instruction::Or, a, b);
}
inline Value operator^(const Value& a, const Value& b) {
  return a.lanes->binary(llvm::Instruction::Xor, a, b);
}
inline Value operator~(const Value& a) { return a ^ a.lanes->value(~0u); }
inline Value operator<<(const Value& a, const Value& n) {
  return a.lanes->binary(llvm::Instruction::Shl, a, n);
}
inline Value operator<<(const Value& a, u32 n) { return a << a.lanes->value(n); }
inline Value operator>>(const Value& a, const Value& n) {
  return a.lanes->binary(llvm::Instruction::LShr, a, n);
}
inline Value operator>>(const Value& a, u32 n) { return a >> a.lanes->value(n); }

static_assert(bodies::LaneContext<Lanes>);

}  // namespace simfarm::fast::jit
