// Writes nothing and hopes for the best.
#include <simfarm.h>

SF_MAIN(arguments) { return arguments->version == 1 ? 0 : 1; }
