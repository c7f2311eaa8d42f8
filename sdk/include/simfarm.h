// The simfarm SDK: everything that a kernel needs, for C (C99 and later) and C++ (17 and later).
// docs/sdk.md is the reference; docs/machine.md says what each instruction does and costs.
//
// Assembly files may include it too: they get the same instructions as assembler macros.
#ifndef SIMFARM_H
#define SIMFARM_H

#ifdef __ASSEMBLER__
#include "simfarm/asm.h"
#else
#include "simfarm/arguments.h"
#include "simfarm/base.h"
#include "simfarm/console.h"
#include "simfarm/dma.h"
#include "simfarm/loop.h"
#include "simfarm/sync.h"
#include "simfarm/wide.h"
#include "simfarm/xcv.h"
#endif

#endif
