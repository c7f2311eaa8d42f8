// Does not compile.
#include <simfarm.h>

SF_MAIN(arguments) { return gemm_int8(arguments); }
