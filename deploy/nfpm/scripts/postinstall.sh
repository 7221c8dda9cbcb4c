#!/bin/sh
# After installation and after an upgrade, for deb and rpm. Nothing is started; a
# service that runs goes on with its old program until it is told to change.
set -e

# configure is the deb's word, a number of installed versions the rpm's.
case "${1:-}" in
configure | 1 | 2 | '') ;;
*) exit 0 ;;
esac

if command -v systemd-sysusers >/dev/null 2>&1; then
	systemd-sysusers tutti.conf
elif ! getent passwd tutti >/dev/null; then
	getent group tutti >/dev/null || groupadd --system tutti
	useradd --system --gid tutti --home-dir /var/lib/tutti --no-create-home --shell /usr/sbin/nologin tutti
fi
if command -v systemd-tmpfiles >/dev/null 2>&1; then
	systemd-tmpfiles --create tutti.conf || true
fi
# The deb has the configuration here, so that dpkg never asks about one in use.
if [ ! -e /etc/tutti/tutti.conf ] && [ -e /usr/share/tutti/tutti.conf ]; then
	mkdir -p /etc/tutti
	cp /usr/share/tutti/tutti.conf /etc/tutti/tutti.conf
	chmod 0640 /etc/tutti/tutti.conf
fi
# The node reads its configuration, and nobody else has to.
[ ! -e /etc/tutti/tutti.conf ] || chgrp tutti /etc/tutti/tutti.conf

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
	if systemctl is-active --quiet tutti.service; then
		echo "tutti: the service goes on with the program from before. Change over without losing a segment:"
		echo "  tutti_cli upgrade --yes        (as root)"
		exit 0
	fi
fi
if [ -n "${2:-}" ] || [ "${1:-}" = 2 ]; then exit 0; fi
echo "tutti is installed and not started. Next:"
echo "  tutti init                       asks what is needed, as root"
echo "or edit /etc/tutti/tutti.conf, then: tutti config check"
