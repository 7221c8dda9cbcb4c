//go:build !race

package transcoders_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/tuttinode/tutti/server/rpc"
)

const (
	manyWorkers = 2000
	// manyAddr tells a child of this test where to register from.
	manyAddr = "TUTTI_TEST_REGISTER_AT"
	// workerBytes is what an idle registration may take of the orchestrator's memory.
	workerBytes = 64 << 10
)

// TestMemoryOfIdleWorkers registers from another process, so that only the
// orchestrator's side is measured.
func TestMemoryOfIdleWorkers(t *testing.T) {
	if addr := os.Getenv(manyAddr); addr != "" {
		registerMany(t, addr)
		return
	}
	n := start(t)
	before := inUse()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMemoryOfIdleWorkers$", "-test.count=1")
	cmd.Env = append(os.Environ(), manyAddr+"="+n.addr())
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || conn != "registered\n" {
		t.Fatalf("the child says %q, %v", conn, err)
	}
	per := (inUse() - before) / manyWorkers
	t.Logf("%d bytes and %d goroutines for each of %d workers", per, runtime.NumGoroutine()/manyWorkers, manyWorkers)
	if got := len(n.Workers()); got != manyWorkers {
		t.Errorf("%d workers are registered", got)
	}
	if per > workerBytes {
		t.Errorf("an idle worker takes %d bytes", per)
	}
	stdin.Close()
	_ = cmd.Wait() // the child has said what matters
	waitFor(t, func() bool { return len(n.Workers()) == 0 })
}

// inUse is heap and stacks.
func inUse() int64 {
	for range 6 { // a stack shrinks by half at each
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

// registerMany makes one connection per worker, and ends when its input does.
func registerMany(t *testing.T, addr string) {
	var all []*grpc.ClientConn
	for i := range manyWorkers {
		g, err := grpc.NewClient("passthrough:///"+addr, grpc.WithTransportCredentials(credentials.NewTLS(insecure())),
			grpc.WithNoProxy(), grpc.WithReadBufferSize(4096), grpc.WithWriteBufferSize(4096))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
		s, err := rpc.NewTranscoderClient(g).RegisterTranscoder(context.Background(),
			own(fmt.Sprint("rig", i), fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		if md, err := s.Header(); err != nil || len(md) == 0 {
			t.Fatal(md, err)
		}
	}
	fmt.Println("registered")
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, g := range all {
		g.Close()
	}
}
