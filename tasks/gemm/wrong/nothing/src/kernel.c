// Ends at once. What the output holds then is not the product.
#include <simfarm.h>

SF_MAIN(arguments) { return (int)arguments->version - 1; }
