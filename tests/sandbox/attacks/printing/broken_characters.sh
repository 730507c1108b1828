# goal: hide a command and an escape among bytes that are no UTF-8
# success: logs
# held_by: always:printing
printf '\xff\xfe\n \xc2\xa0::error::x\n\xc2\x9b31m\xe2\x80\xa8\n'
