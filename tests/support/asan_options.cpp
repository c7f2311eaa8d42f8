// How the address sanitizer of the tests is set up. ASAN_OPTIONS of the environment goes before it.

extern "C" const char* __asan_default_options();

// The sanitizer runtime of gcc 12 takes some blocks of thread-local storage for ones that a glibc
// before 2.25 has laid out, by their address, and its search for leaks then reads nonsense as their
// size: a test that has passed ends with "Tracer caught signal 11". Runtimes from LLVM 17 on do not
// ask; until then nobody shall.
extern "C" const char* __asan_default_options() { return "intercept_tls_get_addr=0"; }
