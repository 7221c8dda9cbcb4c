//go:build unix

package adminview

import "golang.org/x/sys/unix"

// diskSpace returns what is left for us on a directory's file system, and its size, in bytes.
func diskSpace(dir string) (free, size uint64, err error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, 0, err
	}
	block := uint64(s.Bsize)
	return uint64(s.Bavail) * block, s.Blocks * block, nil
}
