package adminview

import "golang.org/x/sys/windows"

// diskSpace returns what is left for us on a directory's volume, and its size, in bytes.
func diskSpace(dir string) (free, size uint64, err error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, 0, err
	}
	var all uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, &size, &all)
	return free, size, err
}
