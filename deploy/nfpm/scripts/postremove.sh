#!/bin/sh
# After removal. Keys, ledger and unredeemed tickets in /var/lib/tutti are worth money:
# no removal deletes them, not even a purge.
set -e
[ ! -d /run/systemd/system ] || systemctl daemon-reload || true
# The configuration and the copies of it that dpkg, ucf and editors leave; the rest of the
# folder is the operator's. dpkg sets DPKG_ROOT where it installs into another tree.
if [ "${1:-}" = purge ]; then
	conf=${DPKG_ROOT:-}/etc/tutti/tutti.conf
	for copy in "$conf" "$conf~" "$conf.bak" "$conf".dpkg-* "$conf".ucf-*; do
		[ ! -e "$copy" ] || rm "$copy"
	done
	rmdir "${DPKG_ROOT:-}/etc/tutti" 2>/dev/null || true
fi
case "${1:-}" in
remove | purge | 0)
	if [ -d "${DPKG_ROOT:-}/var/lib/tutti" ]; then
		echo "tutti: the state in /var/lib/tutti, with the keys, is kept"
	fi
	;;
esac
