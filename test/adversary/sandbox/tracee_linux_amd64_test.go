package sandbox

import (
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tracee is a thread of another process that makes the system calls it is given. All of
// it belongs to one thread of this process, the one that the kernel knows as its tracer.
type tracee struct {
	t     testing.TB
	pid   int
	saved unix.PtraceRegs
	// code is where its program begins, which it never runs a second time. The
	// instructions of the two interfaces stand there.
	code uint64
	text []byte
	// memory is what the tracee may be told to look at.
	memory uint64
}

// The instructions that enter the kernel, each followed by one that stops the thread.
var (
	native  = []byte{0x0f, 0x05, 0xcc, 0x90} // syscall
	foreign = []byte{0xcd, 0x80, 0xcc, 0x90} // int 0x80
)

const (
	atNative, atForeign = 0, 8
	memorySize          = 1 << 16
	// maxStops is how often a thread may stop for signals before it makes a call.
	maxStops = 1000
	// callTimeout is how long a call may take. One that takes longer waits for something.
	callTimeout = 200 * time.Millisecond
)

// TestAnInstructionThatTheMachineLacks: it is no call that did something, and none that waits.
func TestAnInstructionThatTheMachineLacks(t *testing.T) {
	c := attach(t, devices[0].worker(t))
	defer c.detach()
	c.write(c.code+atForeign, []byte{0x0f, 0x0b, 0xcc, 0x90}) // ud2
	if got, errno := c.call32(20); errno != unix.ENOSYS {
		t.Errorf("%d, %v", got, errno)
	}
	c.write(c.code+atForeign, foreign)
	if _, errno := c.call(unix.SYS_GETPID); errno != 0 {
		t.Errorf("the next call: %v", errno)
	}
}

// attach takes a process's first thread until the test function ends.
func attach(t testing.TB, pid int) *tracee {
	t.Helper()
	runtime.LockOSThread()
	c := &tracee{t: t, pid: pid, code: entry(t, pid)}
	if err := unix.PtraceSeize(pid); err != nil {
		t.Fatalf("take over the worker's thread: %v", err)
	}
	if err := unix.PtraceInterrupt(pid); err != nil {
		t.Fatal(err)
	}
	c.await()
	if err := unix.PtraceGetRegs(pid, &c.saved); err != nil {
		t.Fatal(err)
	}
	c.text = make([]byte, 16)
	if _, err := unix.PtracePeekText(pid, uintptr(c.code), c.text); err != nil {
		t.Fatal(err)
	}
	c.write(c.code+atNative, native)
	c.write(c.code+atForeign, foreign)
	memory, errno := c.call(unix.SYS_MMAP, 0, memorySize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS, ^uint64(0), 0)
	if errno != 0 {
		t.Fatalf("memory for the attempts: %v", errno)
	}
	c.memory = uint64(memory)
	return c
}

// detach lets the thread go on where it was.
func (c *tracee) detach() {
	c.t.Helper()
	defer runtime.UnlockOSThread()
	c.write(c.code, c.text)
	err := unix.PtraceSetRegs(c.pid, &c.saved)
	if err == nil {
		err = unix.PtraceDetach(c.pid)
	}
	if err != nil {
		c.t.Fatalf("let the worker's thread go on: %v", err)
	}
}

// entry is the address at which a process's program began.
func entry(t testing.TB, pid int) uint64 {
	t.Helper()
	path := fmt.Sprintf("/proc/%d/exe", pid)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Type == elf.ET_EXEC {
		return f.Entry
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		t.Fatal(err)
	}
	target, err := os.Readlink(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(maps)) {
		var base uint64
		if strings.Contains(line, target) {
			if _, err := fmt.Sscanf(line, "%x-", &base); err == nil {
				return base + f.Entry
			}
		}
	}
	t.Fatalf("%s is not among the memory of process %d", target, pid)
	return 0
}

func (c *tracee) write(at uint64, b []byte) {
	c.t.Helper()
	if _, err := unix.PtracePokeData(c.pid, uintptr(at), b); err != nil {
		c.t.Fatalf("write to the worker's memory: %v", err)
	}
}

// put puts a path or other bytes into the tracee's memory and returns their address.
func (c *tracee) put(at int, b []byte) uint64 {
	c.t.Helper()
	address := c.memory + uint64(at)
	c.write(address, append(b, 0))
	return address
}

// errWaits is what a call ends with that does not end.
const errWaits = unix.Errno(4095)

// call makes a system call of 64-bit programs.
func (c *tracee) call(number uint64, args ...uint64) (int64, unix.Errno) {
	c.t.Helper()
	regs := c.saved
	regs.Rip = c.code + atNative
	regs.Rax = number
	for i, r := range []*uint64{&regs.Rdi, &regs.Rsi, &regs.Rdx, &regs.R10, &regs.R8, &regs.R9} {
		if *r = 0; i < len(args) {
			*r = args[i]
		}
	}
	return c.enter(regs)
}

// call32 makes a system call of 32-bit programs.
func (c *tracee) call32(number uint64, args ...uint64) (int64, unix.Errno) {
	c.t.Helper()
	regs := c.saved
	regs.Rip = c.code + atForeign
	regs.Rax = number
	for i, r := range []*uint64{&regs.Rbx, &regs.Rcx, &regs.Rdx, &regs.Rsi, &regs.Rdi, &regs.Rbp} {
		if *r = 0; i < len(args) {
			*r = args[i]
		}
	}
	return c.enter(regs)
}

// enter runs the instruction at the registers' place and returns what came of it. An instruction
// that the machine does not have, as that of 32-bit programs on some, is ENOSYS.
func (c *tracee) enter(regs unix.PtraceRegs) (int64, unix.Errno) {
	c.t.Helper()
	regs.Orig_rax = ^uint64(0) // nothing was interrupted that would have to begin again
	if err := unix.PtraceSetRegs(c.pid, &regs); err != nil {
		c.t.Fatalf("set the worker's registers: %v", err)
	}
	end := regs.Rip + 3
	for range maxStops {
		if err := unix.PtraceCont(c.pid, 0); err != nil {
			c.t.Fatalf("let the worker's thread run: %v", err)
		}
		stop, ended := c.await()
		var now unix.PtraceRegs
		if err := unix.PtraceGetRegs(c.pid, &now); err != nil {
			c.t.Fatal(err)
		}
		if now.Rip == end {
			if v := int64(now.Rax); v < 0 && v > -4096 {
				return -1, unix.Errno(-v)
			}
			return int64(now.Rax), 0
		}
		if !ended {
			return -1, errWaits
		}
		if now.Rip == regs.Rip && (stop == unix.SIGSEGV || stop == unix.SIGILL) {
			return -1, unix.ENOSYS
		}
		// A signal of the worker's own came first: the call is made, or begins again.
	}
	c.t.Fatalf("the worker's thread stops at %#x again and again", regs.Rip)
	return -1, errWaits
}

// await waits until the thread stops, and returns the signal with which it did. One that does not
// in time is interrupted, and ended is false.
func (c *tracee) await() (stop unix.Signal, ended bool) {
	c.t.Helper()
	limit := time.Now().Add(callTimeout)
	for ended = true; ; runtime.Gosched() {
		var status unix.WaitStatus
		tid, err := unix.Wait4(c.pid, &status, unix.WALL|unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			c.t.Fatalf("wait for the worker's thread: %v", err)
		case tid == c.pid && status.Stopped():
			return status.StopSignal(), ended
		case tid == c.pid:
			c.t.Fatalf("the worker ended: status %#x", int(status))
		case ended && time.Now().After(limit):
			ended = false
			if err := unix.PtraceInterrupt(c.pid); err != nil {
				c.t.Fatal(err)
			}
		}
	}
}
