package sandbox

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/test/adversary"
)

// attempt is a system call with arguments that mean harm.
type attempt struct {
	what   string
	number uint64
	args   []uint64
	// also are errors, beyond EPERM and ENOSYS, that mean that it was stopped.
	also []unix.Errno
	// CPU: the attempt is one in the worker of the CPU alone. That of a GPU
	// may do it for its driver.
	processor bool
}

// here stands for the current folder where a folder's descriptor is wanted.
const here = ^uint64(99) // AT_FDCWD

// hidden are the errors of a path that is not in the worker's root, or that Landlock
// guards.
var hidden = []unix.Errno{unix.ENOENT, unix.EACCES, unix.EROFS}

// TestAttacks does what an intruder would like to do, with arguments that work
// elsewhere.
func TestAttacks(t *testing.T) {
	rounds := 1
	if adversary.Long() {
		rounds = 200
	}
	for _, device := range devices {
		t.Run(device.name, func(t *testing.T) {
			data := t.TempDir()
			node, pid := device.node(t, data)
			victim := filepath.Join(data, "victim")
			if err := os.WriteFile(victim, []byte("key"), 0o666); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(victim)
			if err != nil {
				t.Fatal(err)
			}
			c := attach(t, pid)
			attempts := slices.Concat(c.onFiles(victim), c.onProcesses(uint64(node.PID())), c.outward(), c.onKernel(),
				c.onMemory())
			for range rounds {
				for _, a := range attempts {
					if a.processor && device.name != "processor" {
						continue
					}
					got, errno := c.call(a.number, a.args...)
					if errno != unix.EPERM && errno != unix.ENOSYS && !slices.Contains(a.also, errno) {
						t.Errorf("%s: %d, %v", a.what, got, errno)
					}
				}
			}
			c.foreign(t, victim)
			c.detach()
			after, err := os.Stat(victim)
			if err != nil || after.Mode() != before.Mode() || after.Size() != before.Size() {
				t.Errorf("the operator's file is now %v, %v", after, err)
			}
			if now := workerOf(t, node.PID()); now != pid {
				t.Errorf("the worker was replaced: %d, was %d", now, pid)
			}
		})
	}
}

// onFiles are attempts on a file that everybody may write, and on the machine's.
func (c *tracee) onFiles(victim string) []attempt {
	path := c.put(0, []byte(victim))
	passwd, other, shadow := c.put(512, []byte("/etc/passwd")), c.put(600, []byte(victim+"2")), c.put(1200, []byte("/"))
	how := make([]byte, 24)
	binary.LittleEndian.PutUint64(how, unix.O_RDWR)
	openHow := c.put(1300, how)
	out := []attempt{
		{what: "open /etc/passwd", number: unix.SYS_OPEN, args: []uint64{passwd, unix.O_RDONLY}},
		{what: "openat of the operator's file", number: unix.SYS_OPENAT, args: []uint64{here, path, unix.O_RDWR}},
		{what: "open the root", number: unix.SYS_OPEN, args: []uint64{shadow, unix.O_RDONLY | unix.O_DIRECTORY}},
		{what: "openat2", number: unix.SYS_OPENAT2, args: []uint64{here, path, openHow, 24}},
		{what: "creat", number: unix.SYS_CREAT, args: []uint64{other, 0o600}},
		{what: "make a file", number: unix.SYS_OPENAT, args: []uint64{here, other, unix.O_RDWR | unix.O_CREAT, 0o600}},
		{what: "chmod", number: unix.SYS_CHMOD, args: []uint64{path, 0o777}},
		{what: "fchmodat", number: unix.SYS_FCHMODAT, args: []uint64{here, path, 0o777}},
		{what: "fchmodat2", number: unix.SYS_FCHMODAT2, args: []uint64{here, path, 0o777, 0}},
		{what: "chown", number: unix.SYS_CHOWN, args: []uint64{path, 1, 1}},
		{what: "truncate", number: unix.SYS_TRUNCATE, args: []uint64{path, 0}},
		{what: "unlink", number: unix.SYS_UNLINK, args: []uint64{path}},
		{what: "unlinkat", number: unix.SYS_UNLINKAT, args: []uint64{here, path, 0}},
		{what: "rename", number: unix.SYS_RENAME, args: []uint64{path, other}},
		{what: "link", number: unix.SYS_LINK, args: []uint64{path, other}},
		{what: "symlink", number: unix.SYS_SYMLINK, args: []uint64{path, other}},
		{what: "mkdir", number: unix.SYS_MKDIR, args: []uint64{other, 0o700}},
		{what: "mknod", number: unix.SYS_MKNOD, args: []uint64{other, unix.S_IFIFO | 0o600}},
		{what: "utimensat", number: unix.SYS_UTIMENSAT, args: []uint64{here, path, 0, 0}},
		{what: "setxattr", number: unix.SYS_SETXATTR, args: []uint64{path, path, path, 1, 0}},
		{what: "setxattrat", number: 463, args: []uint64{here, path, 0, path, path, 16}},
		{what: "file_setattr", number: 469, args: []uint64{here, path, path, 24, 0}},
		{what: "stat", number: unix.SYS_STAT, args: []uint64{path, c.memory + 4096}},
		{what: "statx", number: unix.SYS_STATX, args: []uint64{here, path, 0, 0xfff, c.memory + 4096}},
		{what: "readlink", number: unix.SYS_READLINK, args: []uint64{path, c.memory + 4096, 64}},
		{what: "access", number: unix.SYS_ACCESS, args: []uint64{path, 0}},
		{what: "inotify", number: unix.SYS_INOTIFY_INIT1, args: []uint64{0}},
		{what: "name_to_handle_at", number: unix.SYS_NAME_TO_HANDLE_AT, args: []uint64{here, path, path, path, 0}},
	}
	for i := range out {
		out[i].also = hidden
	}
	return out
}

// onProcesses are attempts on the node, in whose memory the keys are.
func (c *tracee) onProcesses(node uint64) []attempt {
	vector := make([]byte, 16)
	binary.LittleEndian.PutUint64(vector, c.memory+4096)
	binary.LittleEndian.PutUint64(vector[8:], 64)
	iov := c.put(2048, vector)
	info := c.put(2200, make([]byte, 128))
	return []attempt{
		{what: "kill the node", number: unix.SYS_KILL, args: []uint64{node, 0}},
		{what: "tkill", number: unix.SYS_TKILL, args: []uint64{node, uint64(unix.SIGURG)}},
		{what: "tgkill", number: unix.SYS_TGKILL, args: []uint64{node, node, uint64(unix.SIGURG)}},
		{what: "tgkill with a long for an int", number: unix.SYS_TGKILL, args: []uint64{1<<32 | node, node, 0}},
		{what: "rt_sigqueueinfo", number: unix.SYS_RT_SIGQUEUEINFO, args: []uint64{node, uint64(unix.SIGURG), info}},
		{what: "rt_tgsigqueueinfo", number: unix.SYS_RT_TGSIGQUEUEINFO, args: []uint64{node, node, 23, info}},
		{what: "pidfd_open", number: unix.SYS_PIDFD_OPEN, args: []uint64{node, 0}},
		{what: "process_vm_readv", number: unix.SYS_PROCESS_VM_READV, args: []uint64{node, iov, 1, iov, 1, 0}},
		{what: "process_vm_writev", number: unix.SYS_PROCESS_VM_WRITEV, args: []uint64{node, iov, 1, iov, 1, 0}},
		{what: "ptrace", number: unix.SYS_PTRACE, args: []uint64{unix.PTRACE_SEIZE, node, 0, 0}},
		{what: "process_madvise", number: unix.SYS_PROCESS_MADVISE, args: []uint64{0, iov, 1, unix.MADV_COLD, 0}},
		{what: "kcmp", number: unix.SYS_KCMP, args: []uint64{node, node, 2, 0, 0}},
		{what: "limits of the node", number: unix.SYS_PRLIMIT64, args: []uint64{node, unix.RLIMIT_NOFILE, 0, info}},
		{what: "own limits", number: unix.SYS_PRLIMIT64, args: []uint64{0, unix.RLIMIT_NOFILE, info, 0}},
		{what: "CPU cores of the node", number: unix.SYS_SCHED_SETAFFINITY, args: []uint64{node, 8, info}},
		{what: "priority of the node", number: unix.SYS_SETPRIORITY, args: []uint64{unix.PRIO_PROCESS, node, 19}},
		{what: "memory of the node moved", number: unix.SYS_MOVE_PAGES, args: []uint64{node, 1, iov, 0, info, 0}},
		{what: "signals by a descriptor", number: unix.SYS_FCNTL, args: []uint64{5, unix.F_SETOWN, node}},
		{what: "get_robust_list", number: unix.SYS_GET_ROBUST_LIST, args: []uint64{node, info, info}},
		{what: "fork", number: unix.SYS_FORK},
		{what: "vfork", number: unix.SYS_VFORK},
		{what: "clone of a process", number: unix.SYS_CLONE, args: []uint64{uint64(unix.SIGCHLD)}},
		{what: "clone of a thread in a new namespace", number: unix.SYS_CLONE,
			args: []uint64{unix.CLONE_THREAD | unix.CLONE_VM | unix.CLONE_SIGHAND | unix.CLONE_NEWNET}},
		{what: "clone of a process that shares memory", number: unix.SYS_CLONE, args: []uint64{unix.CLONE_VM}},
		{what: "its own memory as a file", number: unix.SYS_OPEN,
			args: []uint64{c.put(2600, []byte("/proc/self/mem")), unix.O_RDWR}, also: hidden},
		{what: "its own users", number: unix.SYS_OPEN,
			args: []uint64{c.put(2700, []byte("/proc/self/uid_map")), unix.O_RDWR}, also: hidden},
		{what: "its own program", number: unix.SYS_OPEN,
			args: []uint64{c.put(2800, []byte("/proc/self/exe")), unix.O_RDONLY}, also: hidden},
		{what: "clone3", number: unix.SYS_CLONE3, args: []uint64{info, 88}},
		{what: "execve", number: unix.SYS_EXECVE, args: []uint64{c.put(2500, []byte("/bin/true")), 0, 0}},
		{what: "execveat", number: unix.SYS_EXECVEAT, args: []uint64{here, c.memory + 2500, 0, 0, 0}},
	}
}

// outward are attempts to reach others.
func (c *tracee) outward() []attempt {
	var out []attempt
	for name, family := range map[string]uint64{"unix": unix.AF_UNIX, "IPv4": unix.AF_INET, "IPv6": unix.AF_INET6,
		"netlink": unix.AF_NETLINK, "packet": unix.AF_PACKET, "vsock": unix.AF_VSOCK, "alg": unix.AF_ALG} {
		out = append(out, attempt{what: "socket " + name, number: unix.SYS_SOCKET, args: []uint64{family,
			unix.SOCK_DGRAM}})
	}
	pair := c.put(3000, make([]byte, 8))
	return append(out,
		attempt{what: "socketpair", number: unix.SYS_SOCKETPAIR,
			args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM, 0, pair}},
		attempt{what: "connect", number: unix.SYS_CONNECT, args: []uint64{5, pair, 8}},
		attempt{what: "accept4", number: unix.SYS_ACCEPT4, args: []uint64{5, 0, 0, 0}},
		attempt{what: "io_uring_setup", number: unix.SYS_IO_URING_SETUP,
			args: []uint64{8, c.put(3100, make([]byte, 120))}},
		attempt{what: "a message with a descriptor", number: unix.SYS_SENDMSG, args: []uint64{99, pair, 0},
			also: []unix.Errno{unix.EBADF}},
		attempt{what: "mq_open", number: unix.SYS_MQ_OPEN, args: []uint64{pair, unix.O_CREAT, 0o600, 0}},
		attempt{what: "shmget", number: unix.SYS_SHMGET, args: []uint64{0, 4096, 0o1600}},
		attempt{what: "msgget", number: unix.SYS_MSGGET, args: []uint64{0, 0o1600}},
		attempt{what: "semget", number: unix.SYS_SEMGET, args: []uint64{0, 1, 0o1600}},
	)
}

// onKernel are attempts on what is hard to guard.
func (c *tracee) onKernel() []attempt {
	none, buffer := c.put(4000, []byte("none")), c.put(4100, make([]byte, 256))
	root := c.put(4400, []byte("/"))
	return []attempt{
		{what: "unshare", number: unix.SYS_UNSHARE, args: []uint64{unix.CLONE_NEWUSER}},
		{what: "unshare files", number: unix.SYS_UNSHARE, args: []uint64{unix.CLONE_FS}},
		{what: "setns", number: unix.SYS_SETNS, args: []uint64{0, 0}},
		{what: "mount", number: unix.SYS_MOUNT, args: []uint64{none, root, none, unix.MS_REC | unix.MS_PRIVATE, 0}},
		{what: "umount2", number: unix.SYS_UMOUNT2, args: []uint64{root, unix.MNT_DETACH}},
		{what: "pivot_root", number: unix.SYS_PIVOT_ROOT, args: []uint64{root, root}},
		{what: "chroot", number: unix.SYS_CHROOT, args: []uint64{root}},
		{what: "open_tree", number: unix.SYS_OPEN_TREE, args: []uint64{here, root, 1}},
		{what: "fsopen", number: unix.SYS_FSOPEN, args: []uint64{none, 0}},
		{what: "bpf", number: unix.SYS_BPF, args: []uint64{0, buffer, 72}},
		{what: "perf_event_open", number: unix.SYS_PERF_EVENT_OPEN,
			args: []uint64{buffer, 0, ^uint64(0), ^uint64(0), 0}},
		{what: "userfaultfd", number: unix.SYS_USERFAULTFD, args: []uint64{1}},
		{what: "keyctl", number: unix.SYS_KEYCTL, args: []uint64{0, ^uint64(3), 1}},
		{what: "add_key", number: unix.SYS_ADD_KEY, args: []uint64{none, none, none, 4, ^uint64(3)}},
		{what: "another filter", number: unix.SYS_SECCOMP, args: []uint64{2, 0, buffer}},
		{what: "landlock", number: unix.SYS_LANDLOCK_CREATE_RULESET, args: []uint64{0, 0, 1}},
		{what: "capset", number: unix.SYS_CAPSET, args: []uint64{buffer, buffer}},
		{what: "setuid", number: unix.SYS_SETUID, args: []uint64{0}},
		{what: "setresuid", number: unix.SYS_SETRESUID, args: []uint64{0, 0, 0}},
		{what: "setgroups", number: unix.SYS_SETGROUPS, args: []uint64{0, 0}},
		{what: "personality", number: unix.SYS_PERSONALITY, args: []uint64{8}},
		{what: "modify_ldt", number: unix.SYS_MODIFY_LDT, args: []uint64{0, buffer, 16}},
		{what: "not to end with the node", number: unix.SYS_PRCTL, args: []uint64{unix.PR_SET_PDEATHSIG, 0}},
		{what: "to be traced", number: unix.SYS_PRCTL, args: []uint64{unix.PR_SET_PTRACER, ^uint64(0)}},
		{what: "a keystroke for a terminal", number: unix.SYS_IOCTL, args: []uint64{0, unix.TIOCSTI, buffer}},
		{what: "a request to a terminal", number: unix.SYS_IOCTL, args: []uint64{2, unix.TCGETS, buffer}},
		{what: "a request to a network device", number: unix.SYS_IOCTL, args: []uint64{5, unix.SIOCGIFCONF, buffer}},
		{what: "splice", number: unix.SYS_SPLICE, args: []uint64{0, 0, 1, 0, 1, 0}},
		{what: "a timer", number: unix.SYS_TIMER_CREATE, args: []uint64{0, 0, buffer}},
		{what: "quotactl", number: unix.SYS_QUOTACTL, args: []uint64{0, none, 0, buffer}},
		{what: "fanotify", number: unix.SYS_FANOTIFY_INIT, args: []uint64{0, 0}},
		{what: "syslog", number: unix.SYS_SYSLOG, args: []uint64{10, 0, 0}},
	}
}

// onMemory are attempts to make a program of data.
func (c *tracee) onMemory() []attempt {
	const anonymous, all = unix.MAP_PRIVATE | unix.MAP_ANONYMOUS, ^uint64(0)
	return []attempt{
		{what: "memory to write and run", number: unix.SYS_MMAP,
			args: []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE | unix.PROT_EXEC, anonymous, all, 0}},
		{what: "written memory to run", number: unix.SYS_MPROTECT,
			args: []uint64{c.memory, 4096, unix.PROT_READ | unix.PROT_EXEC}},
		{what: "the same with a key", number: unix.SYS_PKEY_MPROTECT, args: []uint64{c.memory, 4096, 5, all}},
		{what: "a file in memory", number: unix.SYS_MEMFD_CREATE, args: []uint64{c.put(6000, []byte("x")), 0},
			processor: true},
		{what: "a lock that lends priority", number: unix.SYS_FUTEX, args: []uint64{c.memory, 6, 0, 0},
			processor: true},
		{what: "what files the machine has in memory", number: unix.SYS_MINCORE,
			args: []uint64{c.memory, 4096, c.memory}},
		{what: "memory to run", number: unix.SYS_MMAP,
			args: []uint64{0, 4096, unix.PROT_READ | unix.PROT_EXEC, anonymous, all, 0}, processor: true},
		{what: "memory that stays when it is unmapped", number: unix.SYS_MMAP,
			args: []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_ANONYMOUS, all,
				0},
			processor: true},
		{what: "the same, checked", number: unix.SYS_MMAP,
			args: []uint64{0, 4096, unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED_VALIDATE | unix.MAP_ANONYMOUS,
				all, 0},
			also: []unix.Errno{unix.EOPNOTSUPP, unix.EINVAL}},
		{what: "a secret file in memory", number: unix.SYS_MEMFD_SECRET, args: []uint64{0}},
		{what: "remap_file_pages", number: unix.SYS_REMAP_FILE_PAGES, args: []uint64{c.memory, 4096, 0, 0, 0}},
	}
}

// lowMemory is memory that short pointers reach: where the heap was put there, elsewhere.
func (c *tracee) lowMemory(t *testing.T) uint64 {
	t.Helper()
	for at := uint64(0x10000000); at < 0x70000000; at += 0x10000000 {
		got, errno := c.call(unix.SYS_MMAP, at, memorySize, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED_NOREPLACE, ^uint64(0), 0)
		if errno == 0 && uint64(got) == at {
			return at
		}
	}
	t.Fatal("no memory for 32-bit attempts")
	return 0
}

// foreign does the same through the entry of 32-bit programs, whose numbers are others
// and whose pointers are short.
func (c *tracee) foreign(t *testing.T, victim string) {
	t.Helper()
	lowMemory := c.lowMemory(t)
	c.write(lowMemory, append([]byte(victim), 0))
	for what, call := range map[string][]uint64{
		"open": {5, lowMemory, unix.O_RDWR}, "chmod": {15, lowMemory, 0o777}, "unlink": {10, lowMemory},
		"fork": {2}, "socket": {359, unix.AF_INET, unix.SOCK_STREAM, 0}, "unshare": {310, unix.CLONE_NEWUSER},
		"getpid": {20}, "kill": {37, 0, 0}, "socketcall": {102, 1, lowMemory}, "execve": {11, lowMemory, 0, 0},
		"memfd_create": {356, lowMemory, 0}, "ptrace": {26, 0, 0, 0, 0},
	} {
		if got, errno := c.call32(call[0], call[1:]...); errno != unix.EPERM && errno != unix.ENOSYS {
			t.Errorf("32-bit %s: %d, %v", what, got, errno)
		}
	}
}
