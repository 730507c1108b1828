# goal: unpack a few kilobytes that turn into hundreds of megabytes on the disk
# success: exceeds disk
# held_by: limits:file size + watch
# polled: yes
# limits: wall=4 scratch=64M file_size=32M
head -c 200000000 /dev/zero | tr '\0' x | gzip -1 >packed.gz
gunzip -c packed.gz >large
sleep 1
