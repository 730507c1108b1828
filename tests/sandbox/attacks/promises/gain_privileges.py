# goal: keep the way open to become another user through a set-uid program
# success: says
# promise: files
# held_by: no_new_privileges
import ctypes

GET_NO_NEW_PRIVILEGES = 39
if ctypes.CDLL(None).prctl(GET_NO_NEW_PRIVILEGES, 0, 0, 0, 0) == 0:
    print("ATTACK-SUCCEEDED set-uid programs still give their owner's rights")
