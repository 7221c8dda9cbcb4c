package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// The root is made on one of these folders, whichever there is, and what was the root
// is below it until what is needed was taken from there.
func bases() []string { return []string{"/tmp", "/run", "/var", "/usr"} }

const before = "/.before"

// visiblePath is a path that stays visible. real is the path without links.
type visiblePath struct {
	path, real string
	writable   bool
}

// ownRoot makes a file system with nothing in it the root of the process, bar what a
// GPU's driver opens while it works.
func ownRoot(o Options) error {
	if !o.Mounts {
		return nil // the process that started this one knows, and reports it
	}
	paths, err := visible(o)
	if err != nil {
		return err
	}
	if err := newRoot(); err != nil {
		return err
	}
	var errs []error
	for _, p := range paths {
		if err := p.bind(); err != nil {
			errs = append(errs, fmt.Errorf("keep %s: %w", p.path, err))
		}
	}
	return errors.Join(append(errs, leaveBefore())...)
}

// newRoot changes to an empty root that has the former one in a folder.
func newRoot() error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("keep mounts to itself: %w", err)
	}
	base, err := firstFolder(bases())
	if err != nil {
		return err
	}
	const flags = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("tutti-worker", base, "tmpfs", flags, "mode=755,size=1m,nr_inodes=4k"); err != nil {
		return fmt.Errorf("mount an empty file system: %w", err)
	}
	if err = os.Mkdir(base+before, 0o700); err == nil {
		err = unix.PivotRoot(base, base+before)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("change the root: %w", err), unix.Unmount(base, unix.MNT_DETACH))
	}
	return os.Chdir("/")
}

func firstFolder(paths []string) (string, error) {
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.IsDir() {
			return path, nil
		}
	}
	return "", fmt.Errorf("none of the folders %v: %w", paths, fs.ErrNotExist)
}

// leaveBefore takes the former root away, and makes the new one read-only.
func leaveBefore() error {
	if err := unix.Unmount(before, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the former root: %w", err)
	}
	if err := os.Remove(before); err != nil {
		return err
	}
	const flags = unix.MS_REMOUNT | unix.MS_BIND | unix.MS_RDONLY | unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if err := unix.Mount("", "/", "", flags, ""); err != nil {
		return fmt.Errorf("make the root read-only: %w", err)
	}
	return nil
}

// visible returns the paths of a GPU's driver. The CPU's engine needs none: only the list of
// the process's own threads stays, because the later restrictions are applied to each of them.
func visible(o Options) ([]visiblePath, error) {
	if !o.GPU {
		real, err := filepath.EvalSymlinks(threadNames)
		return []visiblePath{{path: real, real: real}}, err
	}
	paths, err := pathsOf(o)
	if err != nil {
		return nil, err
	}
	var out []visiblePath
	known := make(map[string]bool)
	for _, g := range []struct {
		paths    []string
		writable bool
	}{{[]string{"/proc/self"}, true}, {paths.read, false}, {paths.use, true}} {
		for _, path := range g.paths {
			real, err := filepath.EvalSymlinks(path)
			if err != nil || real == "/" || known[path] {
				continue // it is not there
			}
			known[path] = true
			out = append(out, visiblePath{path: path, real: real, writable: g.writable})
		}
	}
	return out, nil
}

// bind shows the path in the new root.
func (p visiblePath) bind() error {
	if p.path != p.real {
		if err := link(p.real, p.path); err != nil {
			return err
		}
	}
	info, err := os.Stat(before + p.real)
	if err != nil {
		return err
	}
	if err := mountPoint(p.real, info.IsDir()); err != nil {
		return err
	}
	if err := unix.Mount(before+p.real, p.real, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	attributes := uint64(unix.MOUNT_ATTR_NOSUID)
	if p.writable {
		attributes |= unix.MOUNT_ATTR_NOEXEC
	} else {
		attributes |= unix.MOUNT_ATTR_RDONLY
	}
	err = unix.MountSetattr(unix.AT_FDCWD, p.real, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
	if errors.Is(err, unix.ENOSYS) { // before Linux 5.12
		return remount(p.real, uintptr(attributes))
	}
	return err
}

// remount adds attributes to those of a mount, whose flags have the same values. It has
// to repeat what a namespace inherited, which it may not take away.
func remount(path string, attributes uintptr) error {
	var now unix.Statfs_t
	if err := unix.Statfs(path, &now); err != nil {
		return err
	}
	const same = unix.ST_RDONLY | unix.ST_NOSUID | unix.ST_NODEV | unix.ST_NOEXEC | unix.ST_NOATIME | unix.ST_NODIRATIME
	flags := uintptr(now.Flags)&same | attributes
	if now.Flags&unix.ST_RELATIME != 0 {
		flags |= unix.MS_RELATIME
	}
	return unix.Mount("", path, "", unix.MS_REMOUNT|unix.MS_BIND|flags, "")
}

// link makes path lead to real, unless there is something.
func link(real, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.Symlink(real, path); err != nil && !errors.Is(err, os.ErrExist) && !errors.Is(err, unix.EROFS) {
		return err
	}
	return nil
}

// mountPoint makes what a folder or a file can be mounted on, unless it is there.
func mountPoint(path string, folder bool) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if folder {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, nil, 0o444)
}
