#!/bin/sh
# Stops the service when the package is removed, not when it is upgraded: dpkg passes "remove", rpm 0.
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now kontor.service || true
	fi
	;;
esac
