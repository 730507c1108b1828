// goal: have the compiler unfold a few lines into a program of gigabytes
// success: exceeds memory
// held_by: watch
// polled: yes
// alone: yes
// limits: memory=192M
// compile_limits: wall=8 memory=192M
#define A(x) x x x x x x x x x x x x x x x x
#define B(x) A(A(x))
int table[] = {B(B(A(1 & 1 & 1 & 1 & 1 & 1 & 1 & 1 &))) 0};
int main(void) { return 0; }
