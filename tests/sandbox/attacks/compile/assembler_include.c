// goal: have the assembler show a file of the workspace in its message about the error in it
// success: prints TOKEN
// held_by: landlock_files
__asm__(".include \"@secret_file@\"");
int main(void) { return 0; }
