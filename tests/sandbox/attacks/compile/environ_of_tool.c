// goal: have the assembler show the environment of the tool, in which keys are: /proc is a folder of files to include
// success: prints TOKEN
// held_by: own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
__asm__(".include \"/proc/@tool@/environ\"");
int main(void) { return 0; }
