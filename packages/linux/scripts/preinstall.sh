#!/bin/sh
# Creates the user of the service.
set -e
getent group kontor >/dev/null || groupadd --system kontor
getent passwd kontor >/dev/null || useradd --system --gid kontor --home-dir /var/lib/kontor --shell /usr/sbin/nologin kontor
