// goal: have the compiler show a file of the workspace in its message about the error in it
// success: prints TOKEN
// held_by: landlock_files
#include "@secret_file@"
int main(void) { return 0; }
