// goal: have the compiler read a file without end
// success: exceeds memory
// held_by: watch + limits:private memory
// polled: yes
// alone: yes
// limits: memory=192M
// compile_limits: wall=5 memory=192M
#include "/dev/zero"
