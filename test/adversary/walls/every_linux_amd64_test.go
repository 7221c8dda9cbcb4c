package walls

import (
	"slices"
	"strconv"
	"testing"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// processorCalls are the calls of 64-bit programs that do something in the worker of
// the processor, whatever their arguments. Nothing among them names a path, a process
// or an address.
var processorCalls = []string{
	"brk", "clock_getres", "clock_gettime", "clock_nanosleep", "close", "epoll_create1", "epoll_ctl", "epoll_pwait",
	"epoll_wait", "eventfd2", "exit", "exit_group", "fstat", "getcpu", "getegid", "geteuid", "getgid", "getpid",
	"getrandom", "getrusage", "gettid", "gettimeofday", "getuid", "lseek", "madvise", "membarrier", "mremap",
	"munmap", "nanosleep", "poll", "ppoll", "pread64", "pwrite64", "read", "readv", "restart_syscall", "rseq",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sched_get_priority_max", "sched_get_priority_min",
	"sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_yield", "set_robust_list", "set_tid_address",
	"shutdown", "sigaltstack", "sysinfo", "time", "times", "uname", "write", "writev",
}

// driverCalls do something in the worker of a GPU beyond these. Which paths there are
// is for its root and for Landlock.
var driverCalls = []string{
	"access", "dup", "dup2", "dup3", "eventfd", "faccessat", "fadvise64", "fallocate", "fdatasync", "flock", "fstatfs",
	"fsync", "ftruncate", "futex", "get_mempolicy", "getcwd", "getdents", "getdents64", "getpeername", "getsockname", "getsockopt",
	"lstat", "mbind", "memfd_create", "mkdir", "mkdirat", "mlock", "mlock2", "msync", "munlock", "newfstatat", "open",
	"openat", "pipe", "pipe2", "pselect6", "readlink", "readlinkat", "recvfrom", "recvmsg", "rename", "renameat",
	"renameat2", "rmdir", "select", "sendmsg", "set_mempolicy", "stat", "statfs", "timerfd_create", "timerfd_gettime",
	"timerfd_settime", "unlink", "unlinkat",
}

// watcherCalls do something in the process that watches GPUs beyond these: it may start
// the driver's helper and speak to services of the machine.
var watcherCalls = []string{
	"accept4", "arch_prctl", "bind", "chmod", "chown", "clone", "connect", "execve", "faccessat2", "fchmod", "fchmodat",
	"fchownat", "fcntl", "fork", "getpgid", "getppid", "getrlimit", "ioctl", "listen", "mknod", "mknodat", "mmap",
	"mprotect", "prctl", "prlimit64", "sched_setaffinity", "sendto", "setpgid", "setsockopt", "shmat", "shmctl", "shmdt",
	"shmget", "symlink", "umask", "vfork", "wait4", "waitid",
}

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

// TestEverySystemCallOfTheWatcher: the process in which the driver is asked how its GPUs
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
