// goal: have the compiler fill memory with messages: a file that includes itself twice
// success: exceeds output
// held_by: always:streams
// compile_limits: wall=6
#if __INCLUDE_LEVEL__ < 14
#warning again and again and again and again and again and again and again and again and again and again and again and
#include __FILE__
#include __FILE__
#else
int main(void);
#endif
