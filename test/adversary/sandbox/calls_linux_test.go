package sandbox

// processorCalls are the calls of 64-bit programs that do something in the worker of
// the CPU, whatever their arguments. Nothing among them names a path, a process
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
	"fsync", "ftruncate", "futex", "get_mempolicy", "getcwd", "getdents", "getdents64", "getpeername", "getsockname",
	"getsockopt",
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
	"mprotect", "prctl", "prlimit64", "sched_setaffinity", "sendto", "setpgid", "setsockopt", "shmat", "shmctl",
	"shmdt",
	"shmget", "symlink", "umask", "vfork", "wait4", "waitid",
}
