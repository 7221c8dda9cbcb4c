package sandbox

import (
	"slices"
	"strconv"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// uprobe is what the kernel itself puts into programs that are being traced. It lets it
// past every filter, and refuses it to programs that were not given it.
const uprobe = 336

// Calls that are not tried here, because they would end the thread that tries them, or
// make another process; TestAttacks makes the latter.
var (
	ends64 = []int{unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_RT_SIGRETURN, unix.SYS_FORK, unix.SYS_VFORK}
	ends32 = []int{1, 252, 119, 173} // exit, exit_group, sigreturn, rt_sigreturn
)

// last is the last number that is tried: the kernel is far from it.
const last = 1023

// x32 is the bit of numbers that belong to 32-bit programs in 64-bit registers.
const x32 = 1 << 30

// TestEverySystemCall: of all numbers of all interfaces, only those of the list do
// anything in a media worker.
func TestEverySystemCall(t *testing.T) {
	for _, device := range devices {
		t.Run(device.name, func(t *testing.T) { tryAll(t, device.worker(t), device.calls) })
	}
}

// TestEverySystemCallOfTheWatcher: the process that reads from the driver how its GPUs
// are may start a helper and speak to local services. It has no media, and gets no more.
func TestEverySystemCallOfTheWatcher(t *testing.T) { tryAll(t, watches(t), watcher.calls) }

// tryAll makes a process make every call, and holds what did something against the list
// of what may.
func tryAll(t *testing.T, pid int, may []string) {
	t.Helper()
	c := attach(t, pid)
	defer c.detach()
	did, waited := c.everyNumber(0, ends64, c.call)
	t.Logf("%d calls of 64-bit programs do something", len(did))
	compare(t, did, may)
	if len(waited) > 0 {
		t.Errorf("wait for something in spite of arguments that make no sense: %v", waited)
	}
	did, _ = c.everyNumber(x32, nil, c.call)
	if len(did) > 0 {
		t.Errorf("numbers of x32 that do something: %v", did)
	}
	did, _ = c.everyNumber(0, ends32, c.call32)
	if len(did) > 0 {
		t.Errorf("numbers of 32-bit programs that do something: %v", did)
	}
}

// everyNumber makes every call with arguments that make no sense, and returns those
// that were not refused.
func (c *tracee) everyNumber(bit uint64, not []int, call func(uint64, ...uint64) (int64, unix.Errno)) (did,
	waited []int) {
	const nonsense = ^uint64(0)
	for n := 0; n <= last; n++ {
		if slices.Contains(not, n) {
			continue
		}
		_, errno := call(uint64(n)|bit, nonsense, nonsense, nonsense, nonsense, nonsense, nonsense)
		switch errno {
		case unix.EPERM, unix.ENOSYS:
		case errWaits:
			waited = append(waited, n)
			did = append(did, n)
		default:
			did = append(did, n)
		}
	}
	return did, waited
}

// compare holds what did something against the list of what may.
func compare(t *testing.T, did []int, may []string) {
	t.Helper()
	info, err := arch.GetInfo("")
	if err != nil {
		t.Fatal(err)
	}
	var extra []string
	for _, n := range did {
		if n == uprobe {
			continue
		}
		name, ok := info.SyscallNumbers[n]
		if !ok {
			name = "#" + strconv.Itoa(n)
		}
		if !slices.Contains(may, name) {
			extra = append(extra, name)
		}
	}
	if len(extra) > 0 {
		t.Errorf("do something and are not on the list: %v", extra)
	}
	for _, name := range may {
		if _, ok := info.SyscallNames[name]; !ok {
			t.Errorf("%q is no system call", name)
		}
	}
}
