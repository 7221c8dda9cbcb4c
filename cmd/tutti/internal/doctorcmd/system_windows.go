package doctorcmd

import (
	"io/fs"
	"math"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/tuttinode/tutti/core/doctor"
)

// programSuffix is how names of programs end.
const programSuffix = ".exe"

func volumeOf(dir string) (volume, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return volume{}, err
	}
	if _, err := os.Stat(dir); err != nil {
		return volume{}, err
	}
	var free, size uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, &size, nil); err != nil {
		return volume{}, err
	}
	return volume{int64(free), int64(size), elsewhere(path)}, nil
}

// elsewhere names the file system of another machine, "" for this one's.
func elsewhere(path *uint16) string {
	root := make([]uint16, windows.MAX_LONG_PATH)
	if windows.GetVolumePathName(path, &root[0], uint32(len(root))) != nil {
		return ""
	}
	if windows.GetDriveType(&root[0]) == windows.DRIVE_REMOTE {
		return "a network drive"
	}
	return ""
}

// writable is why this user cannot make files in a directory. Access lists have no short
// answer, so one is made for a moment.
func writable(dir string) error {
	f, err := os.CreateTemp(dir, ".tutti-doctor-*")
	if err != nil {
		return err
	}
	_ = f.Close()
	return os.Remove(f.Name())
}

// mode: access lists hold the permissions, and those of a home directory are the owner's
// own. Bits that Go makes up say nothing, so they cannot be found wrong.
func mode(fs.FileInfo) uint32 { return 0 }

func runnable(fs.FileInfo) bool { return true }

// clock: Windows shows no program whether its clock is kept right.
func clock() doctor.Clock { return doctor.Clock{} }

// memoryStatus is MEMORYSTATUSEX.
type memoryStatus struct {
	length, load uint32
	total, free  uint64
	_            [5]uint64
}

func ownMemory() (all, free int64) {
	s := memoryStatus{length: uint32(unsafe.Sizeof(memoryStatus{}))}
	ask := windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")
	if ok, _, _ := ask.Call(uintptr(unsafe.Pointer(&s))); ok == 0 {
		return 0, 0
	}
	return int64(s.total), int64(s.free)
}

// mostFiles: Windows sets no limit that a node could meet.
func mostFiles() uint64 { return math.MaxUint32 }

// holder is not known: locks have no table here, and taking one to find out could keep a
// node from starting.
func holder(string) string { return "" }

func groupReads(fs.FileInfo) bool { return false }
