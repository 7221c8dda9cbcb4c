package worker_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/transcoder/worker"
)

// says asks a child to do something and returns what came of it.
func says(t *testing.T, c *worker.Client, what string) string {
	t.Helper()
	_, err := c.Transcode(t.Context(), job("s", "do:"+what))
	f, ok := errors.AsType[*fault.Fault](err)
	if !ok {
		t.Fatalf("%s: %v", what, err)
	}
	return f.Detail
}

func write(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A child for a GPU may read the driver wherever LD_LIBRARY_PATH has it, may use
// shared memory, and is otherwise shut in like every other.
func TestSandboxOfAGPU(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := t.TempDir()
	secret := write(t, filepath.Join(dir, "home", "secret"))
	library := write(t, filepath.Join(dir, "driver", "libnvcuvid.so.1"))
	elsewhere := write(t, filepath.Join(dir, "store", "libcuda.so.550"))
	if err := os.Symlink(elsewhere, filepath.Join(dir, "driver", "libcuda.so.1")); err != nil {
		t.Fatal(err)
	}
	paths := strings.Join([]string{filepath.Join(dir, "driver"), filepath.Join(dir, "gone"), "", "home", "/", secret}, ":")
	c := start(t, func(o *worker.Options) {
		o.Device, o.GPU, o.UUID, o.Memory = "1", true, "GPU-1234", 64<<30
		o.Env = []string{"LD_LIBRARY_PATH=" + paths}
	})
	if err := c.Degraded(); err != nil {
		t.Skipf("this system lacks restrictions, and the client reports it: %v", err)
	}
	tryToBreakOut(t, c, l.Addr().String(), secret)
	for _, no := range []string{"write " + library, "list " + dir, "read " + filepath.Join(dir, "store")} {
		if got := says(t, c, no); !refused(got) && !strings.Contains(got, "is a directory") {
			t.Errorf("%s: %s", no, got)
		}
	}
	for _, yes := range []string{
		"read " + library, "read " + filepath.Join(dir, "driver", "libcuda.so.1"), "list " + filepath.Join(dir, "driver"),
		"memfd", "name cuda-EvtHandlr", "list /dev/shm", "write /dev/null", "read /proc/self/maps", "read /proc/devices",
	} {
		if got := says(t, c, yes); got != "done" {
			t.Errorf("%s: %s", yes, got)
		}
	}
	facts := factsOf(t, c)
	for _, want := range []string{"nnp=1", "caps=0000000000000000", "unbounded=true"} {
		if !strings.Contains(facts, want) {
			t.Errorf("%q is not among the child's facts: %s", want, facts)
		}
	}
}

// Files in shared memory that the driver has made stay usable for a GPU alone.
func TestSharedMemoryIsForGPUs(t *testing.T) {
	t.Parallel()
	f, err := os.CreateTemp("/dev/shm", "tutti-test-")
	if err != nil {
		t.Skip(err)
	}
	defer os.Remove(f.Name())
	f.Close()
	if err := os.Chmod(f.Name(), 0o666); err != nil { // as a driver's are that other users share
		t.Fatal(err)
	}
	gpu := start(t, func(o *worker.Options) { o.Device, o.GPU = "0", true })
	cpu := start(t, nil)
	if gpu.Degraded() != nil {
		t.Skip(gpu.Degraded())
	}
	if got := says(t, gpu, "write "+f.Name()); got != "done" {
		t.Errorf("the GPU's child: %s", got)
	}
	if got := says(t, cpu, "name x"); !refused(got) {
		t.Errorf("the CPU's child names a thread: %s", got)
	}
	if got := says(t, cpu, "write "+f.Name()); !refused(got) {
		t.Errorf("the CPU's child: %s", got)
	}
}

func TestWhatAChildIsToldOfItsGPU(t *testing.T) {
	t.Setenv("CUDA_VISIBLE_DEVICES", "7")
	t.Setenv("NVIDIA_DRIVER_CAPABILITIES", "video")
	t.Setenv("LD_LIBRARY_PATH", "/opt/drivers")
	t.Setenv("HOME_OF_SECRETS", "x")
	cache := filepath.Join(t.TempDir(), "cache")
	byUUID := start(t, func(o *worker.Options) {
		o.Device, o.GPU, o.UUID, o.Cache, o.Cores = "2", true, "GPU-abc", cache, 3
	})
	byIndex := start(t, func(o *worker.Options) { o.Device, o.GPU, o.Cache = "2", true, cache })
	cpu := start(t, nil)
	for _, row := range []struct {
		c          *worker.Client
		name, want string
	}{
		{byUUID, "CUDA_VISIBLE_DEVICES", "GPU-abc"},
		{byUUID, "CUDA_DEVICE_ORDER", "PCI_BUS_ID"},
		{byUUID, "CUDA_CACHE_DISABLE", "0"},
		{byUUID, "CUDA_CACHE_PATH", filepath.Join(cache, "GPU-abc")},
		{byUUID, "CUDA_CACHE_MAXSIZE", "268435456"},
		{byUUID, worker.EnvCores, "3"},
		{byIndex, "CUDA_CACHE_PATH", filepath.Join(cache, "card-2")},
		{byIndex, worker.EnvCores, ""},
		{cpu, "CUDA_CACHE_PATH", ""},
		{byUUID, "NVIDIA_DRIVER_CAPABILITIES", "video"},
		{byUUID, "LD_LIBRARY_PATH", "/opt/drivers"},
		{byUUID, worker.EnvGPU, "true"},
		{byUUID, "HOME_OF_SECRETS", ""},
		{byIndex, "CUDA_VISIBLE_DEVICES", "2"},
		{cpu, "CUDA_VISIBLE_DEVICES", ""},
		{cpu, "NVIDIA_DRIVER_CAPABILITIES", ""},
		{cpu, "LD_LIBRARY_PATH", "/opt/drivers"},
		{cpu, worker.EnvGPU, "false"},
	} {
		if got := says(t, row.c, "env "+row.name); got != "["+row.want+"]" {
			t.Errorf("device %s: %s is %s, want %q", row.c.Device(), row.name, got, row.want)
		}
	}
	if err := os.Unsetenv("LD_LIBRARY_PATH"); err != nil {
		t.Fatal(err)
	}
	if got := says(t, start(t, nil), "env LD_LIBRARY_PATH"); got != "[]" {
		t.Error("no child without a path for libraries")
	}
}
