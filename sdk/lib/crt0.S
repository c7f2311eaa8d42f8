// The start of every program. The machine gives sp and the argument block's address in a0; it has
// loaded .data and zeroed .bss, so what is left is gp, constructors, main, and the end of the PE.
  .section .text.start, "ax", @progbits
  .globl _start
  .type _start, @function
_start:
  .option push
  .option norelax  // gp cannot be set relative to itself
  lla gp, __global_pointer$
  .option pop
  mv s2, a0
  lla s0, __init_array_start
  lla s1, __init_array_end
1:
  bgeu s0, s1, 2f
  lw t0, 0(s0)
  addi s0, s0, 4
  jalr t0
  j 1b
2:
  mv a0, s2
  call main
  li a7, 93
  ecall
  .size _start, . - _start
