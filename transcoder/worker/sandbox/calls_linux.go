package sandbox

import (
	"fmt"
	"os"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// forbidden are the system calls that media work never needs and an intruder
// would want. A list of what is forbidden, not of what is allowed, because GPU
// drivers change what they call from version to version.
var forbidden = []string{
	// Network and other ways to reach out.
	"socket", "socketpair", "connect", "bind", "listen", "accept", "accept4",
	"io_uring_setup", "io_uring_enter", "io_uring_register",
	// Programs and other processes.
	"execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev",
	"kill", "tkill", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "process_madvise",
	"setpgid", "setsid",
	// Files and mounts.
	"mount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsmount", "fsconfig", "fspick", "mount_setattr",
	"mknod", "mknodat", "open_by_handle_at", "name_to_handle_at", "chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat",
	"setxattr", "lsetxattr", "fsetxattr", "quotactl", "quotactl_fd", "swapon", "swapoff", "fanotify_init",
	// Namespaces, identity, keys.
	"unshare", "setns", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid", "capset",
	"add_key", "request_key", "keyctl", "personality",
	// The kernel.
	"bpf", "perf_event_open", "userfaultfd", "init_module", "finit_module", "delete_module", "kexec_load", "kexec_file_load",
	"reboot", "syslog", "acct", "iopl", "ioperm", "modify_ldt", "sethostname", "setdomainname",
	"settimeofday", "clock_settime", "clock_adjtime", "adjtimex", "vhangup", "nfsservctl", "lookup_dcookie", "uselib",
}

// restrictCalls makes the forbidden calls fail with EPERM in every thread.
func restrictCalls() error {
	info, err := arch.GetInfo("")
	if err != nil {
		return err
	}
	deny := seccomp.SyscallGroup{Action: seccomp.ActionErrno, Names: known(info, forbidden)}
	// clone stays for threads, not for processes.
	// The C library asks for its own limits through prlimit64; those of others are
	// none of its business.
	deny.NamesWithCondtions = []seccomp.NameWithConditions{{
		Name:       "clone",
		Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsNotSet, Value: unix.CLONE_THREAD}},
	}, {
		Name:       "prlimit64",
		Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.NotEqual, Value: 0}},
	}}
	// The Go runtime signals threads of its own process. Landlock keeps signals within
	// the process only from version 6 on, so this does not rely on it.
	for _, name := range known(info, []string{"tgkill", "rt_tgsigqueueinfo", "rt_sigqueueinfo"}) {
		deny.NamesWithCondtions = append(deny.NamesWithCondtions, seccomp.NameWithConditions{
			Name: name,
			Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.NotEqual,
				Value: uint64(os.Getpid())}},
		})
	}
	if err := load(deny); err != nil {
		return err
	}
	// The flags of clone3 lie in memory, out of a filter's reach. ENOSYS makes the
	// C library fall back to clone. It is a filter of its own: one policy of this
	// library evaluates its first group only.
	return load(seccomp.SyscallGroup{Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS), Names: known(info, []string{"clone3"})})
}

func load(group seccomp.SyscallGroup) error {
	err := seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy:     seccomp.Policy{DefaultAction: seccomp.ActionAllow, Syscalls: []seccomp.SyscallGroup{group}},
	})
	if err != nil {
		return fmt.Errorf("load filter: %w", err)
	}
	return nil
}

// known leaves out what this processor's table does not have.
func known(info *arch.Info, names []string) []string {
	var out []string
	for _, n := range names {
		if _, ok := info.SyscallNames[n]; ok {
			out = append(out, n)
		}
	}
	return out
}
