# goal: unpack a few kilobytes that turn into hundreds of megabytes on the disk
# success: exceeds disk
# held_by: limits:file size + watch
# polled: yes
# limits: wall=5 scratch=48M file_size=24M
head -c 150000000 /dev/zero | gzip -1 >packed.gz
gunzip -c packed.gz >large
sleep 1
