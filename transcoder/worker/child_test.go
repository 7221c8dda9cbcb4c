package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/coretest"
	"github.com/tuttinode/tutti/transcoder"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// childArg makes the test program a media worker.
const childArg = "be-a-media-worker"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == childArg {
		if err := worker.Main(context.Background(), openTestEngine); err != nil {
			fmt.Fprintln(os.Stderr, "media worker:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == hostileArg {
		fmt.Fprintln(os.Stderr, "hostile worker:", beHostile(os.Args[2]))
		os.Exit(1)
	}
	if code, ran := cardProgram(os.Args[1:]); ran {
		os.Exit(code)
	}
	goleak.VerifyTestMain(m)
}

// openTestEngine makes a fake whose jobs do what their input says after "do:".
func openTestEngine(device string) (transcoder.Engine, error) {
	if device == "broken" {
		return nil, fault.New(fault.TranscoderInvalidHardware, "open", "no such device")
	}
	return engineWithLimit{&coretest.Fake{Name: device,
		On: func(ctx context.Context, _ int, job *core.TranscodeJob) error {
			what, ok := bytes.CutPrefix(job.Input, []byte("do:"))
			if !ok {
				return nil
			}
			verb, arg, _ := strings.Cut(string(what), " ")
			return fault.New(fault.InvalidData, verb, act(ctx, verb, arg))
		}}}, nil
}

// engineWithLimit counts encoders as its device's name says: "limit 3".
type engineWithLimit struct{ *coretest.Fake }

func (e engineWithLimit) EncoderLimit(ctx context.Context, atMost int) (int, error) {
	what, arg, _ := strings.Cut(e.Device(), " ")
	switch what {
	case "limit":
		n, err := strconv.Atoi(arg)
		return min(n, atMost), err
	case "lies":
		return atMost + 1, nil
	case "hangs":
		<-ctx.Done()
		return 0, ctx.Err()
	}
	return 0, fault.New(fault.TranscoderInvalidHardware, "count encoders", "no such GPU")
}

// act does something a good engine would not, and says what came of it.
func act(ctx context.Context, verb, arg string) string {
	var err error
	switch verb {
	case "crash":
		os.Exit(42)
	case "panic":
		panic("as asked")
	case "hang":
		select {}
	case "wait":
		<-ctx.Done()
		err = ctx.Err()
	case "eat":
		eat()
	case "threads":
		n, _ := strconv.Atoi(arg)
		err = keepThreads(n)
	case "keep-unmapped":
		err = keepUnmapped()
	case "keep-tables":
		err = keepTables()
	case "dial":
		_, err = net.Dial("tcp", arg)
	case "listen":
		_, err = net.Listen("tcp", "127.0.0.1:0")
	case "unix":
		_, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	case "read":
		_, err = os.ReadFile(arg)
	case "list":
		_, err = os.ReadDir(arg)
	case "write":
		err = os.WriteFile(arg, []byte("x"), 0o600)
	case "compile":
		return compile()
	case "name":
		err = os.WriteFile(fmt.Sprintf("/proc/self/task/%d/comm", unix.Gettid()), []byte(arg), 0)
	case "memfd":
		err = writeMemory()
	case "exec":
		err = exec.Command("/bin/true").Run()
	case "kill":
		pid, _ := strconv.Atoi(arg)
		err = syscall.Kill(pid, 0)
	case "signal-thread":
		pid, _ := strconv.Atoi(arg)
		err = unix.Tgkill(pid, pid, 0)
	case "trace":
		pid, _ := strconv.Atoi(arg)
		err = unix.PtraceAttach(pid)
	case "mount":
		err = unix.Mount("none", "/", "tmpfs", 0, "")
	case "env":
		return "[" + os.Getenv(arg) + "]"
	}
	if err == nil {
		return "done"
	}
	return err.Error()
}

// compile does with the driver's cache what the driver does.
func compile() string {
	root := os.Getenv("CUDA_CACHE_PATH")
	folder := filepath.Join(root, "a")
	file := filepath.Join(folder, "b")
	err := os.Mkdir(folder, 0o700)
	if err == nil {
		err = os.WriteFile(file, []byte("kernel"), 0o600)
	}
	if err == nil {
		err = os.WriteFile(file, []byte("x"), 0o600) // shorter: truncated
	}
	if err == nil {
		err = os.Rename(file, file+"2")
	}
	if err == nil {
		err = os.Remove(file + "2")
	}
	if err == nil {
		err = os.Remove(folder)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "index"), []byte("kept"), 0o600)
	}
	if err != nil {
		return err.Error()
	}
	return root
}

func eat() {
	var kept [][]byte
	for {
		b := make([]byte, 16<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		runtime.KeepAlive(kept)
	}
}

// keepThreads starts threads and leaves them.
func keepThreads(n int) error {
	var started sync.WaitGroup
	for range n {
		started.Add(1)
		go func() {
			runtime.LockOSThread()
			started.Done()
			select {}
		}()
	}
	started.Wait()
	return nil
}

// keepUnmapped keeps 512 MB that are in no table of its pages.
func keepUnmapped() error {
	const size = 512 << 20
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_ANONYMOUS)
	if err != nil {
		return err
	}
	const part = 16 << 20
	for at := 0; at < size && err == nil; at += part {
		for i := at; i < at+part; i += 4096 {
			b[i] = 1
		}
		err = unix.Madvise(b[at:at+part], unix.MADV_DONTNEED)
	}
	return waitToBeSeen(err)
}

// keepTables keeps 512 MB of tables that lead to the page of zeros.
func keepTables() error {
	const table, size = 2 << 20, 256 << 30
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err == nil {
		err = unix.Madvise(b, unix.MADV_NOHUGEPAGE)
	}
	if err != nil {
		return err
	}
	sum := byte(0)
	for at := 0; at < size; at += table {
		sum += b[at]
	}
	runtime.KeepAlive(sum)
	return waitToBeSeen(nil)
}

// waitToBeSeen gives the control process several looks at the memory.
func waitToBeSeen(err error) error {
	if err == nil {
		<-time.After(3 * time.Second)
	}
	return err
}

func writeMemory() error {
	fd, err := unix.MemfdCreate("x", unix.MFD_CLOEXEC)
	if err != nil {
		return err
	}
	return os.WriteFile(fmt.Sprintf("/proc/self/fd/%d", fd), []byte("x"), 0)
}

// start starts a client whose child is this test program.
func start(t testing.TB, change func(*worker.Options)) *worker.Client {
	t.Helper()
	o := worker.Options{Device: "cpu", Args: []string{childArg}}
	if change != nil {
		change(&o)
	}
	c, err := worker.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func job(session core.SessionID, input string) *core.TranscodeJob {
	return &core.TranscodeJob{
		Session: session, Input: []byte(input), Duration: 2 * time.Second,
		Profiles: []core.Profile{{Name: "a", Width: 640, Height: 360}, {Name: "b", Width: 320, Height: 180}},
	}
}
