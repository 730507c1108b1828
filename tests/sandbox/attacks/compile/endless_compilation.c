// goal: keep the compiler busy, so that it goes on when whoever started it has given up
// success: outlives
// held_by: always:kill
// no_control: the usual way removes the folder meanwhile, and so the file that it includes
// compile_limits: wall=2 cpu=2
#if __INCLUDE_LEVEL__ < 190
#if __INCLUDE_LEVEL__ % 4
#include __FILE__
#endif
#include __FILE__
#endif
