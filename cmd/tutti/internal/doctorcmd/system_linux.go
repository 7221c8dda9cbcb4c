package doctorcmd

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core/doctor"
	"github.com/tuttinode/tutti/transcoder/worker/sandbox"
)

// remote are the file systems of other machines, by their magic numbers. Read-only.
var remote = map[int64]string{
	unix.NFS_SUPER_MAGIC: "NFS", unix.SMB_SUPER_MAGIC: "SMB", unix.SMB2_SUPER_MAGIC: "SMB", unix.CIFS_SUPER_MAGIC: "SMB",
	unix.CEPH_SUPER_MAGIC: "CephFS", unix.FUSE_SUPER_MAGIC: "FUSE", unix.AFS_SUPER_MAGIC: "AFS", unix.V9FS_MAGIC: "9P",
}

// programSuffix is how names of programs end.
const programSuffix = ""

func volumeOf(dir string) (volume, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return volume{}, err
	}
	return volume{int64(s.Bavail) * s.Bsize, int64(s.Blocks) * s.Bsize, remote[s.Type]}, nil
}

// writable is why this user cannot make files in a directory.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// mode returns a file's permissions.
func mode(info fs.FileInfo) uint32 { return uint32(info.Mode().Perm()) }

func runnable(info fs.FileInfo) bool { return info.Mode().Perm()&0o111 != 0 }

// clock asks the kernel.
func clock() doctor.Clock {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return doctor.Clock{} // a container may forbid the question
	}
	return doctor.Clock{
		Known: true, Synchronized: state != unix.TIME_ERROR && t.Status&unix.STA_UNSYNC == 0,
		Off: time.Duration(t.Esterror) * time.Microsecond,
	}
}

func ownMemory() (all, free int64) { return sandbox.MachineMemory("/") }

// mostFiles returns how many a process may have open; Go raises the soft limit to the hard one
// in every program.
func mostFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return limit.Max
}

// holder returns the process that has the lock, "" for none. The kernel's table has it:
// taking the lock to find out could keep a node from starting.
func holder(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	table, err := os.ReadFile("/proc/locks")
	own, ok := info.Sys().(*syscall.Stat_t)
	if err != nil || !ok {
		return ""
	}
	inode := fmt.Sprintf(":%d", own.Ino)
	for line := range strings.Lines(string(table)) {
		fields := strings.Fields(line)
		if len(fields) < 6 || fields[1] != "FLOCK" || !strings.HasSuffix(fields[5], inode) {
			continue
		}
		text, _ := os.ReadFile(path)
		if pid := strings.TrimSpace(string(text)); pid != "" {
			return pid
		}
		return fields[4]
	}
	return ""
}

// groupReads reports whether root owns a file that another group may read: so a package
// gives the node, which runs as a user of its own, its configuration.
func groupReads(info fs.FileInfo) bool {
	own, ok := info.Sys().(*syscall.Stat_t)
	return ok && own.Uid == 0 && own.Gid != 0 && info.Mode().Perm()&0o040 != 0
}
