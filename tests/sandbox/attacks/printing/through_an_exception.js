// goal: print a command by way of stderr, as the message of an exception
// success: logs
// held_by: always:printing
throw new Error("it failed\n::add-mask::e\n::error file=src/main.py,line=1::really");
