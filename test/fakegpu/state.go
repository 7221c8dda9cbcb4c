package fakegpu

import (
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The layout of the state file, as driver/core.h has it.
const (
	magic        = 0x7475747469677075
	maxDevices   = 8
	maxProcesses = 64
	scriptBytes  = 16384
	countersAt   = 64
	counterSize  = 32 * 8
	processesAt  = countersAt + maxDevices*counterSize
	heldKinds    = 4
	processSize  = 8 + maxDevices*heldKinds*8
	scriptAt     = processesAt + maxProcesses*processSize
	stateBytes   = scriptAt + 2*scriptBytes
)

// state is the mapped file. The file stays open: closing it would drop the record
// locks of this process, should the driver be loaded into it.
type state struct {
	file  *os.File
	bytes []byte
}

func newState(path string) (*state, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	// The GPU's process may be another user's, as with the devices of a real one.
	if err := file.Chmod(0o666); err != nil {
		return nil, err
	}
	if err := file.Truncate(stateBytes); err != nil {
		return nil, err
	}
	bytes, err := unix.Mmap(int(file.Fd()), 0, stateBytes, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", path, err)
	}
	s := &state{file: file, bytes: bytes}
	s.word(0).Store(magic)
	return s, nil
}

func (s *state) close() {
	unix.Munmap(s.bytes)
	s.file.Close()
}

func (s *state) word(at int) *atomic.Uint64 { return (*atomic.Uint64)(unsafe.Pointer(&s.bytes[at])) }

// publish writes the half that is not being read and then says that it is the one.
func (s *state) publish(text string) {
	if len(text) >= scriptBytes {
		panic("fakegpu: the script is too long")
	}
	next := s.word(8).Load() + 1
	half := s.bytes[scriptAt+int(next&1)*scriptBytes:][:scriptBytes]
	clear(half)
	copy(half, text)
	s.word(8).Store(next)
}

// alive says whether the process of a slot still runs: it holds a lock while it does.
func (s *state) alive(slot int) bool {
	if s.word(processesAt+slot*processSize).Load() == uint64(os.Getpid()) {
		return true
	}
	lock := unix.Flock_t{Type: unix.F_WRLCK, Start: int64(1 + slot), Len: 1}
	return unix.FcntlFlock(s.file.Fd(), unix.F_GETLK, &lock) == nil && lock.Type != unix.F_UNLCK
}
