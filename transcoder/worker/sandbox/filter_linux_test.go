//go:build amd64 || arm64

package sandbox

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// run does what the kernel does with a program: it returns what becomes of a call.
func run(t *testing.T, program []unix.SockFilter, abi, number uint32, args ...uint64) uint32 {
	t.Helper()
	data := [16]uint32{number, abi}
	for i, v := range args {
		data[4+2*i], data[5+2*i] = uint32(v), uint32(v>>32)
	}
	var value uint32
	for at := 0; at < len(program); at++ {
		in := program[at]
		yes := false
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			value = data[in.K/4]
			continue
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			value &= in.K
			continue
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		case unix.BPF_JMP | unix.BPF_JA:
			at += int(in.K)
			continue
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			yes = value == in.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			yes = value >= in.K
		default:
			t.Fatalf("instruction %#x", in.Code)
		}
		if yes {
			at += int(in.Jt)
		} else {
			at += int(in.Jf)
		}
	}
	t.Fatal("the program has no end")
	return 0
}

func program(t *testing.T, list []call) []unix.SockFilter {
	t.Helper()
	p, err := filter(abi, list)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

const (
	allowed   = unix.SECCOMP_RET_ALLOW
	forbidden = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	unknown   = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// Of every number of every ABI, those of the list pass and no others.
func TestTheListIsWhatPasses(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]call{
		"serving": serving(), "driving": driving(), "opening": opening(), "opening a GPU": openingGPU(),
		"watching": watching(),
	} {
		p := program(t, list)
		on := make(map[uint32]bool)
		for _, c := range merged(list) {
			on[c.number] = len(c.alternatives) == 0 && !c.absent
		}
		for n := range uint32(2048) {
			got := run(t, p, abi, n, ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0))
			if (got == allowed) != on[n] {
				t.Errorf("%s: call %d: %#x, on the list: %t", name, n, got, on[n])
			}
			if got != allowed && n >= newCalls && got != unknown {
				t.Errorf("%s: call %d, which is new, ends with %#x", name, n, got)
			}
			const x32 = 1 << 30
			for _, bit := range []uint32{x32, 1 << 31} {
				if got := run(t, p, abi, n|bit); got != unknown {
					t.Errorf("%s: call %d with bit %#x: %#x", name, n, bit, got)
				}
			}
			for _, other := range []uint32{unix.AUDIT_ARCH_I386, unix.AUDIT_ARCH_ARM, unix.AUDIT_ARCH_PPC64, 0} {
				if got := run(t, p, other, n); got != forbidden {
					t.Errorf("%s: call %d of ABI %#x: %#x", name, n, other, got)
				}
			}
		}
	}
}

func TestArgumentsThatPass(t *testing.T) {
	t.Parallel()
	const thread = threadFlags | unix.CLONE_SETTLS | unix.CLONE_PARENT_SETTID | unix.CLONE_CHILD_CLEARTID
	own := uint64(os.Getpid())
	cpu, gpu := program(t, serving()), program(t, driving())
	for _, row := range []struct {
		what     string
		number   uint32
		args     []uint64
		cpu, gpu uint32
	}{
		{"a thread", unix.SYS_CLONE, []uint64{thread}, allowed, allowed},
		{"the Go runtime's thread", unix.SYS_CLONE, []uint64{threadFlags}, allowed, allowed},
		{"a process", unix.SYS_CLONE, []uint64{uint64(unix.SIGCHLD)}, forbidden, forbidden},
		{"a thread in a namespace", unix.SYS_CLONE, []uint64{thread | unix.CLONE_NEWUSER}, forbidden, forbidden},
		{"a thread with a high bit", unix.SYS_CLONE, []uint64{thread | 1<<33}, forbidden, forbidden},
		{"clone3", unix.SYS_CLONE3, nil, unknown, unknown},
		{"statx", unix.SYS_STATX, nil, unknown, unknown},
		{"a signal within", unix.SYS_TGKILL, []uint64{own, own, 23}, allowed, allowed},
		{"a signal to another", unix.SYS_TGKILL, []uint64{own + 1, own, 23}, forbidden, forbidden},
		{"a signal to a long", unix.SYS_TGKILL, []uint64{(own + 1) | own<<32}, forbidden, forbidden},
		{"memory", unix.SYS_MMAP, []uint64{0, 4096, 3, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS}, allowed, allowed},
		{"memory that grows downwards", unix.SYS_MMAP,
			[]uint64{0, 4096, 3, unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_GROWSDOWN}, forbidden, allowed},
		{"memory to share", unix.SYS_MMAP, []uint64{0, 4096, 3, unix.MAP_SHARED | unix.MAP_ANONYMOUS}, forbidden,
			allowed},
		{"a library", unix.SYS_MMAP, []uint64{0, 4096, 5, unix.MAP_PRIVATE}, forbidden, allowed},
		{"memory to write and run", unix.SYS_MMAP, []uint64{0, 4096, 7}, forbidden, forbidden},
		{"memory that grows down and runs", unix.SYS_MPROTECT, []uint64{0, 4096, 0x01000004}, forbidden, forbidden},
		{"a lock", unix.SYS_FUTEX, []uint64{0, 128}, allowed, allowed},
		{"a lock with a deadline", unix.SYS_FUTEX, []uint64{0, 9 | 128 | 256}, allowed, allowed},
		{"a lock that lends priority", unix.SYS_FUTEX, []uint64{0, 6 | 128}, forbidden, allowed},
		{"a request to a GPU", unix.SYS_IOCTL, []uint64{3, 0xc020462a}, forbidden, allowed},
		{"a request to unified memory", unix.SYS_IOCTL, []uint64{3, 0x30000001}, forbidden, allowed},
		{"a keystroke", unix.SYS_IOCTL, []uint64{0, unix.TIOCSTI}, forbidden, forbidden},
		{"a keystroke with a high bit", unix.SYS_IOCTL, []uint64{0, 1<<32 | unix.TIOCSTI}, forbidden, forbidden},
		{"no waiting", unix.SYS_IOCTL, []uint64{0, fionBIO}, forbidden, allowed},
		{"a copy of a descriptor", unix.SYS_FCNTL, []uint64{3, unix.F_DUPFD_CLOEXEC}, forbidden, allowed},
		{"signals of a descriptor", unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, own}, forbidden, forbidden},
		{"own limits", unix.SYS_PRLIMIT64, []uint64{0, 7, 0, 4096}, allowed, allowed},
		{"limits lowered", unix.SYS_PRLIMIT64, []uint64{0, 7, 4096, 0}, forbidden, forbidden},
		{"limits of another", unix.SYS_PRLIMIT64, []uint64{own + 1, 7, 0, 4096}, forbidden, forbidden},
		{"a name", unix.SYS_PRCTL, []uint64{unix.PR_SET_NAME}, allowed, allowed},
		{"to be seen", unix.SYS_PRCTL, []uint64{unix.PR_SET_DUMPABLE, 1}, forbidden, forbidden},
		{"a path", unix.SYS_OPENAT, []uint64{0, 4096}, forbidden, allowed},
		{"a datagram to an address", unix.SYS_SENDTO, []uint64{3, 0, 0, 0, 4096, 16}, forbidden, forbidden},
	} {
		if got := run(t, cpu, abi, row.number, row.args...); got != row.cpu {
			t.Errorf("CPU: %s: %#x, want %#x", row.what, got, row.cpu)
		}
		if got := run(t, gpu, abi, row.number, row.args...); got != row.gpu {
			t.Errorf("GPU: %s: %#x, want %#x", row.what, got, row.gpu)
		}
	}
}

func TestWhatAnOlderLandlockLacks(t *testing.T) {
	t.Parallel()
	for version, want := range map[int]string{
		1: "the kernel has version 1, which does not guard truncating files, TCP, requests to devices, " +
			"signals and abstract sockets",
		5: "the kernel has version 5, which does not guard signals and abstract sockets",
		6: "", 11: "",
	} {
		got := ""
		if err := landlockLacks(version); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("version %d: %q, want %q", version, got, want)
		}
	}
}
