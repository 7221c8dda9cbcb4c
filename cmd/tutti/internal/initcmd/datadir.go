package initcmd

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tuttinode/tutti/core/fault"
)

// openServiceDir makes and opens a data directory of the packages' service. Root calls it, and the service owns
// the folder above: a link that the service made would lead root elsewhere. So links are refused, at dir and
// below it.
func openServiceDir(dir string) (*os.Root, error) {
	const op = "open the service's data directory"
	above, name := filepath.Split(filepath.Clean(dir))
	if err := os.MkdirAll(above, 0o755); err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, op, err)
	}
	parent, err := os.OpenRoot(above)
	if err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, op, err)
	}
	defer func() { _ = parent.Close() }()
	if err := parent.MkdirAll(name, 0o700); err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, op, err)
	}
	if info, err := parent.Lstat(name); err != nil || !info.IsDir() {
		return nil, isLink(op, dir)
	}
	inside, err := parent.OpenRoot(name)
	if err != nil {
		return nil, fault.Wrap(fault.DataDirUnusable, op, err)
	}
	err = fs.WalkDir(inside.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type()&fs.ModeSymlink != 0 {
			return isLink(op, filepath.Join(dir, path))
		}
		return err
	})
	if err != nil {
		_ = inside.Close()
		return nil, err
	}
	return inside, nil
}

func isLink(op, path string) error {
	return fault.New(fault.DataDirUnusable, op, path+" is a link; put a directory, or a bind mount, in its place")
}

// giveToService gives everything in an open data directory to the packages' service.
func giveToService(inside *os.Root, uid, gid int) error {
	return fs.WalkDir(inside.FS(), ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("give %s to %s: %w", inside.Name(), serviceUser, err)
		}
		return inside.Lchown(path, uid, gid)
	})
}
