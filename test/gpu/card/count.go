package card

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

//go:embed library/count.c
var source []byte

const (
	// EnvCounterLibrary names the library ready made, for machines without a compiler.
	EnvCounterLibrary = "TUTTI_GPUCOUNT_LIBRARY"
	envFile           = "TUTTI_GPUCOUNT"
	name              = "libtutticount.so"
	counters          = 10
)

// Counts is what was asked of the driver since a counter was made.
type Counts struct {
	DecodersCreated, DecodersDestroyed, PicturesDecoded int64
	EncodersOpened, EncodersClosed, PicturesEncoded     int64
	Kernels, Modules, UploadedBytes, DownloadedBytes    int64
}

// Since is what came after an earlier reading.
func (c Counts) Since(b Counts) Counts {
	return Counts{
		c.DecodersCreated - b.DecodersCreated, c.DecodersDestroyed - b.DecodersDestroyed,
		c.PicturesDecoded - b.PicturesDecoded,
		c.EncodersOpened - b.EncodersOpened, c.EncodersClosed - b.EncodersClosed, c.PicturesEncoded - b.PicturesEncoded,
		c.Kernels - b.Kernels, c.Modules - b.Modules, c.UploadedBytes - b.UploadedBytes,
		c.DownloadedBytes - b.DownloadedBytes,
	}
}

// Counter counts for the programs that are started with its Env.
type Counter struct{ library, file string }

// StartCounter makes a counter.
func StartCounter(t testing.TB) *Counter {
	t.Helper()
	c := &Counter{library: CounterLibrary(t), file: filepath.Join(t.TempDir(), "counters")}
	err := os.WriteFile(c.file, make([]byte, 8*counters), 0o666)
	if err == nil {
		err = os.Chmod(c.file, 0o666) // media workers may be another user's
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// OwnCounter is the counter of the test's own process, nil where it was started without, or
// where the loader did not take the library: zeros would be no counts.
func OwnCounter() *Counter {
	file := os.Getenv(envFile)
	if file == "" || os.Getenv("LD_PRELOAD") == "" {
		return nil
	}
	if maps, err := os.ReadFile("/proc/self/maps"); err == nil && !bytes.Contains(maps, []byte(name)) {
		return nil
	}
	return &Counter{file: file}
}

// Env is what a program needs in its environment to be counted.
func (c *Counter) Env() []string { return []string{"LD_PRELOAD=" + c.library, envFile + "=" + c.file} }

// Read is what was counted so far.
func (c *Counter) Read(t testing.TB) Counts {
	t.Helper()
	b, err := os.ReadFile(c.file)
	if err != nil {
		t.Fatal(err)
	}
	at := func(i int) int64 { return int64(binary.NativeEndian.Uint64(b[8*i:])) }
	return Counts{at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9)}
}

var built struct {
	sync.Mutex
	path string
}

// CounterLibrary is the path of the library, compiled once per process where it is not ready.
func CounterLibrary(t testing.TB) string {
	t.Helper()
	if ready := os.Getenv(EnvCounterLibrary); ready != "" {
		return ready
	}
	built.Lock()
	defer built.Unlock()
	if built.path == "" {
		directory, err := os.MkdirTemp("", "gpucount")
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(directory, name)
		CompileCounter(t, path)
		built.path = path
	}
	return built.path
}

// CompileCounter makes the library at a path.
func CompileCounter(t testing.TB, path string) {
	t.Helper()
	text := filepath.Join(t.TempDir(), "count.c")
	if err := os.WriteFile(text, source, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("gcc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared",
		"-fvisibility=hidden", "-o", path, text, "-ldl")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compile the counting library: %v\n%s", err, said)
	}
}
