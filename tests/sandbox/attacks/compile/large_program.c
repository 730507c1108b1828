// goal: have the compiler fill the disk: two lines that make a program of hundreds of megabytes
// success: exceeds disk
// held_by: limits:file size + watch
// polled: yes
// limits: scratch=64M
// compile_limits: wall=10 scratch=64M file_size=48M
int table[30000000] = {1};
int main(void) { return table[1]; }
