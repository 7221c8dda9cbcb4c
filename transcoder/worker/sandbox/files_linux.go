package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What a GPU's driver may still read. It opens libraries late, at the first stream.
// From /proc and /sys the C library and the driver count CPU cores and find devices;
// other processes' directories in /proc stay closed.
func readable() []string {
	return []string{
		"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/nvidia", "/usr/local/cuda", "/opt/nvidia",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/nvidia", "/etc/localtime",
		"/proc/self", "/proc/sys", "/proc/driver", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/devices",
		"/proc/filesystems", "/proc/modules", "/proc/version", "/sys/devices", "/sys/bus", "/sys/class", "/sys/module",
		"/sys/kernel/mm",
	}
}

// devices may also be written.
func devices() []string { return []string{"/dev/null", "/dev/zero", "/dev/urandom"} }

// paths are those that stay usable. They may be links, and need not exist.
type paths struct{ read, use []string }

// pathsOf lists what the engine may open while it serves. The CPU's needs
// nothing: its list of system calls has none that names a path.
func pathsOf(o Options) (paths, error) {
	if !o.GPU {
		return paths{}, nil
	}
	nodes, err := gpuNodes()
	if err != nil {
		return paths{}, err
	}
	p := paths{
		read: slices.Concat(readable(), gpuReadable(), libraryFolders(append(slices.Clone(gpuLibraries()), o.Libraries...))),
		use:  slices.Concat(devices(), nodes),
	}
	if o.Cache != "" {
		p.use = append(p.use, o.Cache)
	}
	return p, nil
}

// restrictFiles lets Landlock guard files: those of pathsOf, and no others.
func restrictFiles(o Options) error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < 1 {
		return errNoLandlock
	}
	open, err := pathsOf(o)
	if err != nil {
		return err
	}
	var rules []landlock.Rule
	for _, path := range open.read {
		rules = append(rules, allow(path, ll.AccessFSReadFile))
	}
	threads, err := threadRule(o)
	if err != nil {
		return err
	}
	rules = append(rules, threads)
	for _, path := range open.use {
		if path == o.Cache {
			rules = append(rules, allow(path, cacheRights))
			continue
		}
		rules = append(rules, allow(path, ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSTruncate|ll.AccessFSIoctlDev))
	}
	// The newest version that the kernel knows: best effort never goes below the
	// file rules, which every version has. olderLandlock says what it lacks.
	return landlock.V11.BestEffort().Restrict(rules...)
}

// threadRule lets the process list its threads, which it does while it restricts them,
// and a driver name them.
func threadRule(o Options) (landlock.Rule, error) {
	if !o.GPU {
		return allow(threadNames, 0), nil
	}
	// A rule applies to the file that a path names now. Held open, the path names the same one
	// for as long as the process lives.
	if _, err := unix.Open(threadNames, unix.O_PATH|unix.O_CLOEXEC, 0); err != nil {
		return nil, err
	}
	return allow(threadNames, ll.AccessFSReadFile|ll.AccessFSWriteFile|ll.AccessFSTruncate), nil
}

var errNoLandlock = errors.New("the kernel has none")

// landlockRights are the rights that a worker's sandbox uses, by the version of Landlock that added them. Version 2
// added moves between folders, which version 1 always refuses; versions after 6 added sockets, which the lists of
// system calls exclude.
func landlockRights() []struct {
	since int
	what  string
} {
	return []struct {
		since int
		what  string
	}{
		{3, "truncating files"}, {4, "TCP"}, {5, "requests to devices"}, {6, "signals and abstract sockets"},
	}
}

// olderLandlock names what the kernel's version of Landlock does not guard. Where
// there is none at all, restrictFiles reports that.
func olderLandlock() error {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < 1 {
		return nil
	}
	return landlockLacks(version)
}

func landlockLacks(version int) error {
	var lacking []string
	for _, r := range landlockRights() {
		if version < r.since {
			lacking = append(lacking, r.what)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("the kernel has version %d, which does not guard %s", version, strings.Join(lacking, ", "))
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
