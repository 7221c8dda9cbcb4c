package main

import (
	"bytes"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const cgroups = "/sys/fs/cgroup"

// privateMounts keeps what the engine mounts out of the rest of the machine,
// shows /proc of the new PID namespace, and mounts control groups on a machine
// whose init has not.
func privateMounts() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount /proc: %w", err)
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	if bytes.Contains(mounts, []byte(" - cgroup")) {
		return nil
	}
	if err := unix.Mount("cgroup2", cgroups, "cgroup2", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("mount control groups: %w", err)
	}
	return nil
}
