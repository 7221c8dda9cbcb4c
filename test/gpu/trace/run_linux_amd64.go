package trace

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync"
	"syscall"

	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

const (
	// inherited is the last descriptor that the program gets.
	inherited = 4
	// syscallStop is the bit that tells a stop at a system call from a signal.
	syscallStop = 0x80
	options     = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK |
		unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
)

// run traces a program until it ends and returns its exit status.
func run(path string, args []string, r *recorder, asked func() error) (int, error) {
	info, err := arch.GetInfo("")
	if err != nil {
		return 1, err
	}
	requests := make(chan os.Signal, 1)
	signal.Notify(requests, unix.SIGUSR1)
	defer signal.Stop(requests)
	ended := make(chan struct{})
	var wg sync.WaitGroup
	defer wg.Wait()
	defer close(ended)
	wg.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-requests:
				if err := asked(); err != nil {
					fmt.Fprintln(os.Stderr, "trace:", err)
				}
			}
		}
	})
	// The system accepts requests from the thread that traces, and from no other.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	t := &tracer{recorder: r, names: info.SyscallNumbers, threads: make(map[int]*thread)}
	if err := t.start(path, args); err != nil {
		return 1, err
	}
	return t.follow()
}

// tracer follows the threads of a program.
type tracer struct {
	*recorder
	names   map[int]string
	main    int
	threads map[int]*thread
}

// thread is a thread that may be within a system call.
type thread struct {
	within bool
	name   string
	args   [6]uint64
	phase  *phase
	about  []subject
}

// start starts the program, which stops at its first instruction.
func (t *tracer) start(path string, args []string) error {
	cmd := exec.Command(path)
	cmd.Args, cmd.Stdin, cmd.Stdout, cmd.Stderr = args, os.Stdin, os.Stdout, os.Stderr
	for fd := 3; fd <= inherited; fd++ {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			break
		}
		cmd.ExtraFiles = append(cmd.ExtraFiles, os.NewFile(uintptr(fd), "inherited"))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the program under ptrace: %w", err)
	}
	// The other end of a socket has to see when the program closes it. Without a program
	// it stays open until the record says so: the other end may kill this process then.
	for _, f := range cmd.ExtraFiles {
		f.Close()
	}
	t.main = cmd.Process.Pid
	t.threads[t.main] = &thread{}
	var status unix.WaitStatus
	if _, err := unix.Wait4(t.main, &status, unix.WALL, nil); err != nil {
		return err
	}
	if !status.Stopped() {
		return fmt.Errorf("the program did not stop: status %#x", int(status))
	}
	if err := unix.PtraceSetOptions(t.main, options); err != nil {
		return fmt.Errorf("set the options of ptrace: %w", err)
	}
	return unix.PtraceSyscall(t.main, 0)
}

// follow handles stops until no thread is left.
func (t *tracer) follow() (code int, err error) {
	for {
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.ECHILD):
			return code, nil
		case err != nil:
			return 1, err
		}
		if !status.Stopped() {
			delete(t.threads, tid)
			if tid == t.main {
				code = exitCode(status)
			}
			continue
		}
		deliver := t.stopped(tid, status)
		if err := unix.PtraceSyscall(tid, deliver); err != nil && !errors.Is(err, unix.ESRCH) {
			return 1, fmt.Errorf("let a thread go on: %w", err)
		}
	}
}

// exitCode is a shell's number for how a process ended.
func exitCode(s unix.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}

// stopped handles the stop of a thread and returns the signal that it shall get.
func (t *tracer) stopped(tid int, status unix.WaitStatus) (deliver int) {
	th, known := t.threads[tid]
	if !known {
		// A thread's first stop may come before that of the call which made it.
		th = &thread{}
		t.threads[tid] = th
		if status.StopSignal() == unix.SIGSTOP {
			return 0
		}
	}
	switch s := status.StopSignal(); {
	case s == unix.SIGTRAP|syscallStop:
		t.atCall(tid, th)
		return 0
	case s == unix.SIGTRAP && status.TrapCause() > 0:
		return 0
	default:
		return int(s)
	}
}

// atCall is reached twice per system call, before and after it.
func (t *tracer) atCall(tid int, th *thread) {
	var regs unix.PtraceRegs
	if err := unix.PtraceGetRegs(tid, &regs); err != nil {
		return // it was killed meanwhile
	}
	if !th.within {
		name, ok := t.names[int(regs.Orig_rax)]
		if !ok {
			name = fmt.Sprintf("#%d", regs.Orig_rax)
		}
		*th = thread{within: true, name: name, args: [6]uint64{regs.Rdi, regs.Rsi, regs.Rdx, regs.R10, regs.R8,
			regs.R9}}
		th.about = subjects(tid, name, th.args)
		th.phase = t.begun(name, operation(name, th.args))
		return
	}
	th.within = false
	result := OK
	if th.name != "rt_sigreturn" { // it returns what the signal interrupted
		result = resultOf(int64(regs.Rax))
	}
	t.ended(th.phase, th.name, result, th.about)
	if int64(regs.Rax) == 0 && loadsFilter(th.name, th.args) {
		t.next()
	}
}

// loadsFilter recognizes the calls after which a filter of system calls holds.
func loadsFilter(name string, args [6]uint64) bool {
	return name == "seccomp" && args[0] == unix.SECCOMP_SET_MODE_FILTER ||
		name == "prctl" && args[0] == unix.PR_SET_SECCOMP && args[1] == unix.SECCOMP_MODE_FILTER
}

// resultOf names what a system call returned.
func resultOf(value int64) string {
	const greatest = 4095
	if value >= 0 || value < -greatest {
		return OK
	}
	// The kernel's own: the call begins again after a signal.
	if value <= -512 && value >= -516 {
		return "ERESTART"
	}
	if name := unix.ErrnoName(unix.Errno(-value)); name != "" {
		return name
	}
	return fmt.Sprintf("errno %d", -value)
}
