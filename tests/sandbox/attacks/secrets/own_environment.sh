# goal: find a secret in the environment that it was started with
# success: prints TOKEN
# held_by: always:environment
# no_control: the usual way to run programs passes on a small environment, too
env
set
