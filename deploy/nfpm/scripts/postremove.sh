#!/bin/sh
# After removal. Keys, ledger and unredeemed tickets in /var/lib/tutti are worth money:
# no removal deletes them, not even a purge.
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload || true
if [ "${1:-}" = purge ]; then
	[ ! -e /etc/tutti/tutti.conf ] || rm /etc/tutti/tutti.conf
	rmdir /etc/tutti 2>/dev/null || true
fi
case "${1:-}" in
remove | purge | 0)
	if [ -d /var/lib/tutti ]; then
		echo "tutti: the state in /var/lib/tutti, with the keys, is kept"
	fi
	;;
esac
