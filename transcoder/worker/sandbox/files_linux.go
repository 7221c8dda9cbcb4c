package sandbox

import (
	"errors"
	"os"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What may still be read. The GPU driver opens libraries late, at the first
// stream. From /proc and /sys the C library and the driver count processors and
// find devices; other processes' directories in /proc stay closed.
var readable = []string{
	"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/nvidia", "/usr/local/cuda", "/opt/nvidia",
	"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/nvidia", "/etc/localtime",
	"/proc/self", "/proc/sys", "/proc/driver", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/devices",
	"/proc/filesystems", "/proc/modules", "/proc/version", "/sys/devices", "/sys/bus", "/sys/class", "/sys/module", "/sys/kernel/mm",
}

// devices may also be written.
var devices = []string{"/dev/null", "/dev/zero", "/dev/urandom"}

func restrictFiles(o Options) error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < 1 {
		return errors.New("the kernel has none")
	}
	open, usable := readable, devices
	if o.GPU {
		nodes, err := gpuNodes()
		if err != nil {
			return err
		}
		open, usable = slices.Concat(open, gpuReadable, libraryFolders(o.Libraries)), slices.Concat(usable, nodes)
	}
	var rules []landlock.Rule
	for _, path := range open {
		rules = append(rules, allow(path, ll.AccessFSReadFile))
	}
	if o.GPU {
		// Rules belong to what a path leads to now. Held open, that stays the same for
		// as long as the process lives.
		if _, err := unix.Open(threadNames, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
			return err
		}
		rules = append(rules, allow(threadNames, ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSTruncate))
	}
	if o.GPU && o.Cache != "" {
		rules = append(rules, allow(o.Cache, cacheRights))
	}
	for _, path := range usable {
		rules = append(rules, allow(path, ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSTruncate|ll.AccessFSIoctlDev))
	}
	// The newest version that the kernel knows: best effort never goes below the
	// file rules, which every version has.
	return landlock.V11.BestEffort().Restrict(rules...)
}

// cacheRights are what the driver does with the files of its cache and the folders
// that it sorts them into. There is no running them, and no links out.
const cacheRights = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSReadDir |
	ll.AccessFSMakeReg | ll.AccessFSMakeDir | ll.AccessFSRemoveFile | ll.AccessFSRemoveDir

// allow grants rights on a path; a directory may be listed too. What is not
// there needs no rule.
func allow(path string, rights landlock.AccessFSSet) landlock.Rule {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		rights |= ll.AccessFSReadDir
	}
	return landlock.PathAccess(rights, path).IgnoreIfMissing()
}
