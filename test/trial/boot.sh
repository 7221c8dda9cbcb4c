#!/usr/bin/env bash
# Runs systemd of a root file system as process 1 of namespaces of its own, with a
# loopback of its own:
#
#   boot.sh ROOT CGROUP     CGROUP is a cgroup 2 directory that is made for it
#
# It ends with this process, and takes everything that it started along.
set -euo pipefail
root=$1 cgroup=$2
mkdir -p "$cgroup"
echo $$ >"$cgroup/cgroup.procs"
# shellcheck disable=SC2016 # the inner shell's variable
exec unshare --net --pid --mount --uts --ipc --cgroup --fork --kill-child --propagation private bash -eu -c '
root=$1
mount --rbind "$root" "$root"
ip link set lo up
hostname bare
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys" -o ro
mount -t tmpfs tmpfs "$root/sys/fs/cgroup" -o mode=755 2>/dev/null || true
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs tmpfs "$root/run" -o mode=755
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/dev" -o mode=755,dev
for node in null zero full random urandom tty; do cp -a "/dev/$node" "$root/dev/"; done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts devpts "$root/dev/pts" -o newinstance,ptmxmode=0666
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
mknod "$root/dev/kmsg" c 1 11
cd "$root"
mkdir -p .old
pivot_root . .old
umount -l /.old
mount --make-rshared /
exec /usr/bin/env -i container=trial PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --log-target=journal \
	--show-status=0
' boot "$root"
