#!/bin/sh
# Creates the folder of the service. The service starts when the administrator says so: `systemctl enable --now kontor`.
set -e
install -d -m 0700 -o kontor -g kontor /var/lib/kontor
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	# An upgrade restarts a server that runs.
	systemctl try-restart kontor.service || true
fi
