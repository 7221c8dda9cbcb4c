package trace_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/test/gpu/card"
	"github.com/tuttinode/tutti/test/gpu/trace"
)

// Arguments that make the test program another one.
const (
	tracerArg  = "trace"
	programArg = "be-traced"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case tracerArg:
			code, err := trace.Main(os.Args[2:])
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
			}
			os.Exit(code)
		case programArg:
			if err := program(os.Args[2], os.Args[3]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(42)
		}
	}
	os.Exit(m.Run())
}

// program does something of every kind before and after it loads a filter, and then
// waits for its descriptor 3 to close.
func program(folder, address string) error {
	if err := os.WriteFile(filepath.Join(folder, "before"), []byte("x"), 0o600); err != nil {
		return err
	}
	c, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	c.Close()
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if _, err := unix.IoctlGetInt(int(null.Fd()), unix.TIOCOUTQ); err == nil {
		return fmt.Errorf("/dev/null is a terminal")
	}
	for range 2 { // as the sandbox does, one by one
		err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync,
			Policy: seccomp.Policy{
				DefaultAction: seccomp.ActionAllow,
				Syscalls:      []seccomp.SyscallGroup{{Action: seccomp.ActionErrno, Names: []string{"socket"}}},
			}})
		if err != nil {
			return err
		}
	}
	if _, err := os.Open(filepath.Join(folder, "missing")); err == nil {
		return fmt.Errorf("there is a file missing")
	}
	if _, err := net.Dial("tcp", address); err == nil {
		return fmt.Errorf("the filter lets sockets through")
	}
	if err := exec.Command("/proc/self/exe", "-test.run=^$").Run(); err != nil {
		return err
	}
	held := os.NewFile(3, "held")
	if _, err := held.Write([]byte("ready")); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, held)
	return err
}

func TestWhatAProgramDoesIsRecorded(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	folder := t.TempDir()
	out := filepath.Join(folder, "trace.json")
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	cmd := exec.Command("/proc/self/exe", tracerArg, out, "/proc/self/exe", "program", programArg, folder,
		l.Addr().String())
	cmd.ExtraFiles = []*os.File{theirs}
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	timer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	ready := make([]byte, 5)
	if _, err := io.ReadFull(ours, ready); err != nil {
		_ = cmd.Wait()
		if record, _ := trace.Read(out); record.Refused != "" {
			card.SkipCheck(t, "tracing a program", record.Refused)
			return
		}
		t.Fatalf("%v: %s", err, said.String())
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	running, err := trace.Ask(ctx, cmd.Process.Pid, out)
	if err != nil {
		t.Error(err)
	}
	ours.Close()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 42 {
		t.Errorf("the program's status was not passed on: %d: %s", code, said.String())
	}
	ended, err := trace.Read(out)
	if err != nil {
		t.Error(err)
	}
	for _, record := range []trace.Trace{running, ended} {
		examine(t, record, folder, l.Addr().String())
	}
	ends := func(r trace.Trace) int { return r.Phase(trace.Serving).Total("exit_group") }
	if first, all := ends(running), ends(ended); all != first+1 {
		t.Errorf("ends of processes: %d in the first record, %d in the second", first, all)
	}
}

// examine looks for what program does.
func examine(t *testing.T, record trace.Trace, folder, address string) {
	t.Helper()
	opening, serving := record.Phase(trace.Opening), record.Phase(trace.Serving)
	if len(record.Phases) != 3 || record.Phases[1].Name != trace.Entering {
		t.Errorf("%d phases", len(record.Phases))
	}
	has := func(events []trace.Event, want trace.Event) {
		t.Helper()
		if !slices.ContainsFunc(events, func(e trace.Event) bool {
			want.Count = e.Count
			return e == want && e.Count > 0
		}) {
			t.Errorf("no %+v among %+v", want, events)
		}
	}
	has(opening.Files, trace.Event{Call: "openat", Path: filepath.Join(folder, "before"),
		Detail: "write create truncate", Result: trace.OK})
	has(opening.Network, trace.Event{Call: "connect", Path: address, Result: "EINPROGRESS"})
	has(opening.Requests, trace.Event{Call: "ioctl", Path: "/dev/null", Detail: "0x5411", Result: "ENOTTY"})
	has(serving.Files, trace.Event{Call: "openat", Path: filepath.Join(folder, "missing"), Detail: "read",
		Result: "ENOENT"})
	has(serving.Files, trace.Event{Call: "execve", Path: "/proc/self/exe", Result: trace.OK})
	if n := opening.Succeeded("socket"); n == 0 {
		t.Error("no socket before the filter")
	}
	if n := serving.Succeeded("socket"); n != 0 || serving.Refusals("EPERM")["socket EPERM"] == 0 {
		t.Errorf("%d sockets behind the filter, refusals: %v", n, serving.Refusals("EPERM"))
	}
	if serving.Succeeded("execve") == 0 || !slices.Contains(serving.Names(), "execve") {
		t.Error("no program was started")
	}
	if len(opening.Calls["prctl"].Operations) == 0 && len(opening.Calls["mmap"].Operations) == 0 {
		t.Error("operations are not told apart")
	}
}

func TestWhatCannotBeTraced(t *testing.T) {
	out := filepath.Join(t.TempDir(), "trace.json")
	if code, err := trace.Main([]string{out, "/nothing/here", "x"}); code == 0 || err == nil {
		t.Errorf("code %d, %v", code, err)
	}
	if record, err := trace.Read(out); err != nil || record.Refused == "" {
		t.Errorf("%+v, %v", record, err)
	}
	if code, err := trace.Main([]string{out}); code == 0 || err == nil {
		t.Errorf("code %d, %v", code, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	idle := exec.Command("/proc/self/exe", tracerArg)
	if err := idle.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := trace.Ask(ctx, idle.Process.Pid, out); err == nil {
		t.Error("a process that traces nothing answers")
	}
	_ = idle.Wait()
}
