//go:build amd64 || arm64

package sandbox

import (
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// A media worker makes the calls of these lists and no others. They come from traces
// of the corpus and of the simulated driver (test/gpu/trace), from what the Go
// runtime, the C library and the race detector document, and for real drivers from
// what is known of CUDA. oldCalls adds, per architecture, old calls that newer ones replace.

// newerCalls are reported as absent: the Go runtime and the C library try them first and fall back to older ones.
func newerCalls() []call {
	return absent(unix.SYS_STATX, unix.SYS_PREADV2, unix.SYS_PWRITEV2, unix.SYS_COPY_FILE_RANGE)
}

// serving lists the calls that stay once media arrives: to compute, to allocate, to run
// threads, and to use open descriptors. No call names a path, another process or
// an address.
func serving() []call {
	list := slices.Concat(newerCalls(), oldCalls(), always(
		// The socket to the node, standard error, and the wait for them.
		unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_CLOSE, unix.SYS_FSTAT,
		unix.SYS_LSEEK, unix.SYS_PREAD64, unix.SYS_PWRITE64,
		unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PPOLL,
		unix.SYS_SHUTDOWN,
		// Threads: their end, their CPU affinity and their names.
		unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_GETTID, unix.SYS_GETPID,
		unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_SET_ROBUST_LIST, unix.SYS_RSEQ, unix.SYS_SET_TID_ADDRESS,
		unix.SYS_MEMBARRIER, unix.SYS_GETCPU, unix.SYS_RESTART_SYSCALL,
		unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX,
		unix.SYS_SCHED_GET_PRIORITY_MIN,
		// Signals within the process.
		unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_SIGALTSTACK,
		// Memory that is not executable.
		unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MADVISE, unix.SYS_BRK,
		// Time, and properties of the process and the machine.
		unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP,
		unix.SYS_GETTIMEOFDAY, unix.SYS_GETRANDOM, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRUSAGE,
		unix.SYS_TIMES, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID,
	))
	return append(list,
		// Shared memory stays, uncounted, after the process unmaps it; memory that grows
		// downwards counts as stack and not against the limit of data.
		where(unix.SYS_MMAP, none(2, unix.PROT_EXEC), condition{3, mapKind | unix.MAP_GROWSDOWN, []uint32{unix.MAP_PRIVATE}}),
		where(unix.SYS_MPROTECT, none(2, unix.PROT_EXEC)),
		where(unix.SYS_FUTEX, condition{1, wholeInt &^ (futexPrivate | futexRealtime), plainLocks()}),
		newThread(),
		ownThread(),
		where(unix.SYS_FCNTL, anInt(1, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL)),
		where(unix.SYS_PRCTL, anInt(0, unix.PR_SET_NAME, unix.PR_GET_NAME, unix.PR_SET_VMA)),
		ownLimits(),
	)
}

// newThread admits clone for threads of this process in the namespaces that it has. The flags of clone3 are in
// memory, which a filter cannot read: clone3 is reported as absent, and the C library falls back.
func newThread() call {
	return where(unix.SYS_CLONE, condition{0, wholeLong &^ threadOptions, []uint32{threadFlags}})
}

// ownThread admits signals to threads of this process: the Go runtime interrupts its threads by them, and a failed
// assertion ends the process.
func ownThread() call { return where(unix.SYS_TGKILL, anInt(0, uint32(os.Getpid()))) }

// ownLimits admits reading the limits of this process, which are lowered before.
func ownLimits() call {
	return where(unix.SYS_PRLIMIT64, anInt(0, 0), condition{2, wholeLong, []uint32{0}})
}

// plainLocks are the operations of the locks that the Go runtime and the C library use:
// wait, wake, requeue, and their newer forms. Locks with priority inheritance are not among them.
func plainLocks() []uint32 { return []uint32{0, 1, 3, 4, 5, 9, 10} }

// mapKind is the part of a mapping's flags that tells private from shared.
const mapKind = 0xf

// Flags of operations on locks.
const futexPrivate, futexRealtime = 128, 256

// Every thread has threadFlags, and may have threadOptions: where its ID and its
// thread-local variables are.
const (
	threadFlags = unix.CLONE_VM | unix.CLONE_FS | unix.CLONE_FILES | unix.CLONE_SIGHAND | unix.CLONE_THREAD |
		unix.CLONE_SYSVSEM
	threadOptions = unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID |
		unix.CLONE_CHILD_SETTID | unix.CLONE_DETACHED
)

// driving adds the calls of a GPU's driver while media is transcoded: it opens its devices
// for every context, loads libraries late, and caches the kernels that it compiled. Which
// paths it may open is decided by the process's own root and by Landlock.
func driving() []call {
	list := slices.Concat(serving(), oldPaths(), always(
		// Device nodes, libraries, files in /proc and /sys.
		unix.SYS_OPENAT, unix.SYS_FACCESSAT, unix.SYS_READLINKAT, statAt, unix.SYS_GETDENTS64,
		unix.SYS_STATFS, unix.SYS_FSTATFS, unix.SYS_GETCWD, unix.SYS_FADVISE64,
		// The cache of compiled kernels: create, find, lock and remove files.
		unix.SYS_MKDIRAT, unix.SYS_UNLINKAT, unix.SYS_RENAMEAT2, unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE,
		unix.SYS_FLOCK, unix.SYS_FSYNC, unix.SYS_FDATASYNC,
		// Memory that processes and devices share, its NUMA node, and pinning.
		unix.SYS_MEMFD_CREATE, unix.SYS_MLOCK, unix.SYS_MLOCK2, unix.SYS_MUNLOCK, unix.SYS_MSYNC,
		unix.SYS_MBIND, unix.SYS_GET_MEMPOLICY, unix.SYS_SET_MEMPOLICY,
		unix.SYS_FUTEX,
		// Events of the device reach the driver's own threads by pipes, timers and copies
		// of descriptors.
		unix.SYS_PIPE2, unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PSELECT6,
		unix.SYS_TIMERFD_CREATE, unix.SYS_TIMERFD_SETTIME, unix.SYS_TIMERFD_GETTIME,
		// The service that shares a GPU (MPS), through the socket that was opened with the
		// device.
		unix.SYS_SENDMSG, unix.SYS_RECVMSG, unix.SYS_RECVFROM, unix.SYS_GETSOCKOPT, unix.SYS_GETSOCKNAME,
		unix.SYS_GETPEERNAME,
	))
	return append(list,
		// Libraries are mapped executable. No memory may be both writable and executable.
		where(unix.SYS_MMAP, condition{2, unix.PROT_WRITE | unix.PROT_EXEC, []uint32{0, unix.PROT_WRITE,
			unix.PROT_EXEC}}),
		where(unix.SYS_IOCTL, condition{1, ioctlKind, deviceKinds()}),
		where(unix.SYS_IOCTL, anInt(1, fionRead, fionBIO, fionClEx, fioClEx)),
		where(unix.SYS_FCNTL, anInt(1, unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW,
			unix.F_ADD_SEALS, unix.F_GET_SEALS)),
		where(unix.SYS_SENDTO, condition{4, wholeLong, []uint32{0}}),
		where(unix.SYS_SCHED_SETAFFINITY, anInt(0, 0)),
	)
}

// ioctlKind is the part of an ioctl number that names the kind of device. Checking it
// excludes requests to terminals, sockets, file systems and disks.
const ioctlKind = 0xff00

// deviceKinds are the kinds that drivers of GPUs have: NVIDIA's unified memory, which
// does not use the part, its GPUs, its outputs, the kernel's direct rendering, the buffers and fences that devices
// share, and Windows' GPU under Linux.
func deviceKinds() []uint32 {
	return []uint32{0, 'F' << 8, 'm' << 8, 'd' << 8, 'b' << 8, '>' << 8, 'G' << 8}
}

// Requests to every descriptor: bytes that can be read, non-blocking mode, close-on-exec.
const fionRead, fionBIO, fionClEx, fioClEx = 0x541b, 0x5421, 0x5450, 0x5451

// opening lists the calls that open the engine and apply the other restrictions, before media
// arrives. Programs and networks are excluded already.
func opening() []call { return slices.Concat(driving(), loading(), restricting()) }

// loading lists the calls of the C library and of drivers while they are loaded: they map
// programs, ask for limits of threads, create files.
func loading() []call {
	return slices.Concat(oldOpening(), always(
		unix.SYS_MMAP, unix.SYS_MPROTECT, unix.SYS_FCNTL, unix.SYS_IOCTL, unix.SYS_PRCTL, unix.SYS_PRLIMIT64,
		unix.SYS_FACCESSAT2, unix.SYS_SCHED_SETAFFINITY, unix.SYS_GETPPID, unix.SYS_GETPGID,
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_UMASK,
	))
}

// restricting lists the calls that apply the restrictions.
func restricting() []call {
	return always(
		unix.SYS_TKILL, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOUNT_SETATTR, unix.SYS_CHDIR,
		unix.SYS_SYMLINKAT, unix.SYS_CAPGET, unix.SYS_CAPSET, unix.SYS_SECCOMP,
		unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_ADD_RULE, unix.SYS_LANDLOCK_RESTRICT_SELF,
	)
}

// openingGPU returns what drivers of GPUs do beyond that before media arrives.
func openingGPU() []call { return slices.Concat(opening(), asking()) }

// watching returns what the driver of GPUs may do in the process that watches them, where it
// was opened before and meets no media.
func watching() []call { return slices.Concat(driving(), loading(), asking()) }

// asking returns how drivers reach others: a program that makes device nodes, and services of
// the machine through sockets that are files or names.
func asking() []call {
	return slices.Concat(oldStarts(), always(
		unix.SYS_CLONE, unix.SYS_EXECVE, unix.SYS_WAIT4, unix.SYS_WAITID, unix.SYS_SETPGID,
		unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT4, unix.SYS_SENDTO, unix.SYS_SETSOCKOPT,
		unix.SYS_MKNODAT, unix.SYS_FCHOWNAT, unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMDT, unix.SYS_SHMCTL,
	), []call{
		where(unix.SYS_SOCKET, anInt(0, unix.AF_UNIX)),
		where(unix.SYS_SOCKETPAIR, anInt(0, unix.AF_UNIX)),
	})
}

// anInt returns a condition on an int.
func anInt(argument int, values ...uint32) condition { return condition{argument, wholeInt, values} }

// none returns the condition that a bit is not set.
func none(argument int, bit uint64) condition { return condition{argument, bit, []uint32{0}} }
