// Nothing: its target keeps the headers of the tests that are not optimised (tests/CMakeLists.txt).
