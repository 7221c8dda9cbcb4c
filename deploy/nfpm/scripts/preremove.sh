#!/bin/sh
# Before removal, not before an upgrade: the services are stopped, which finishes the
# segments in hand.
set -e
case "${1:-}" in
remove | deconfigure | 0) ;;
*) exit 0 ;;
esac
if [ -d /run/systemd/system ]; then
	systemctl disable --now tutti.socket tutti-gateway.socket tutti.service tutti-gpu.service tutti-containers.service ||
		true
	systemctl stop 'tutti@*.service' || true
fi
