package worker

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// sharedMemory returns a file in memory that neither side can resize.
func sharedMemory(size int64) (*os.File, error) {
	fd, err := unix.MemfdCreate("tutti-worker", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, fmt.Errorf("make shared memory: %w", err)
	}
	file := os.NewFile(uintptr(fd), "arena")
	if err := file.Truncate(size); err != nil {
		file.Close()
		return nil, fmt.Errorf("size shared memory: %w", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS,
		unix.F_SEAL_GROW|unix.F_SEAL_SHRINK|unix.F_SEAL_SEAL); err != nil {
		file.Close()
		return nil, fmt.Errorf("seal shared memory: %w", err)
	}
	return file, nil
}

// MapArena maps the inherited arena.
func MapArena(fd int) (*ArenaView, error) {
	b, err := unix.Mmap(fd, 0, arenaSlots*slotSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map shared memory: %w", err)
	}
	return &ArenaView{mapped: b}, nil
}
