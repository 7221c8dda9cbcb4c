package worker

import (
	"os"
	"runtime"
	"strconv"
	"strings"
)

// Names of the environment variables that tell the child about itself.
const (
	EnvDevice = "TUTTI_WORKER_DEVICE"
	EnvMemory = "TUTTI_WORKER_MEMORY"
	EnvGPU    = "TUTTI_WORKER_GPU"
	EnvCores  = "TUTTI_WORKER_CORES"
	EnvUser   = "TUTTI_WORKER_USER"
	EnvMounts = "TUTTI_WORKER_MOUNTS"
)

// ForGPU says, in a child, that its device is a GPU: the one that CUDA counts as
// its first, whatever the operator calls it.
func ForGPU() bool { return os.Getenv(EnvGPU) == "true" }

// Cores returns how many CPU cores a child may count on.
func Cores() int {
	n, err := strconv.Atoi(os.Getenv(EnvCores))
	if err != nil || n < 1 {
		return runtime.NumCPU()
	}
	return min(n, runtime.NumCPU())
}

// libraryPath is where the loader looks for drivers before anywhere else.
const libraryPath = "LD_LIBRARY_PATH"

// environment returns all that the child gets of ours: what the media libraries and
// drivers read.
func environment(o Options) []string {
	env := []string{
		EnvDevice + "=" + o.Device,
		EnvMemory + "=" + strconv.FormatInt(o.Memory, 10),
		EnvGPU + "=" + strconv.FormatBool(o.GPU),
		// Codec threads come and go; without this each leaves the C library an
		// arena that is never given back.
		"MALLOC_ARENA_MAX=2",
		// The Go runtime would read the group's share of the CPU cores again and again
		// from files that the child closes.
		"GODEBUG=updatemaxprocs=0",
	}
	if o.Memory > 0 {
		// The Go heap holds only segments on their way; libav's memory comes on top.
		env = append(env, "GOMEMLIMIT="+strconv.FormatInt(o.Memory/4, 10))
	}
	for _, name := range []string{libraryPath, "GOCOVERDIR"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	if o.Cores > 0 {
		env = append(env, EnvCores+"="+strconv.Itoa(o.Cores))
	}
	if o.GPU {
		env = append(env, forGPU(o)...)
	}
	return append(env, o.Env...)
}

// valueOf returns a variable's value in an environment, "" for none. The last one counts.
func valueOf(env []string, name string) (value string) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			value = v
		}
	}
	return value
}

// forGPU leaves the child one GPU, named for good where its UUID is known. What
// the operator's own CUDA_VISIBLE_DEVICES says does not count: indices are those
// of nvidia-smi.
func forGPU(o Options) []string {
	visible := o.UUID
	if visible == "" {
		visible = o.Device
	}
	env := []string{"CUDA_DEVICE_ORDER=PCI_BUS_ID", "CUDA_VISIBLE_DEVICES=" + visible}
	if o.compiled == "" {
		env = append(env, "CUDA_CACHE_DISABLE=1")
	} else {
		env = append(env, "CUDA_CACHE_DISABLE=0", cachePath+"="+o.compiled, "CUDA_CACHE_MAXSIZE="+strconv.Itoa(cacheSize))
	}
	for _, e := range os.Environ() {
		if strings.HasPrefix(e, "NVIDIA_") {
			env = append(env, e)
		}
	}
	return env
}
