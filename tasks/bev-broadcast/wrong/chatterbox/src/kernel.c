// Floods the console.
#include <simfarm.h>

static const char text[] = "How much may a kernel say? More than this, surely, and then some.\n";

SF_MAIN(arguments) {
  for (uint32_t i = 0; i < 1000000u * arguments->version; ++i)
    sf_console_write(text, sizeof text - 1);
  return 0;
}
