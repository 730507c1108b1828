# goal: turn off the random layout of memory, for the exploit of a set-uid program or of oneself
# success: says
# held_by: calls:other personalities
import ctypes

NO_RANDOM_LAYOUT, ASK = 0x0040000, 0xFFFFFFFF
libc = ctypes.CDLL(None, use_errno=True)
libc.personality(ctypes.c_ulong(NO_RANDOM_LAYOUT))
if libc.personality(ctypes.c_ulong(ASK)) & NO_RANDOM_LAYOUT:
    print("ATTACK-SUCCEEDED the layout of memory is known")
