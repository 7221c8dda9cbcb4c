package docker

import (
	"cmp"
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/system"
	"github.com/moby/moby/client"
	"github.com/moby/moby/client/pkg/security"
	"github.com/moby/moby/client/pkg/versions"

	"github.com/tuttinode/tutti/core/fault"
)

// Permissions are what a container may do beyond serving its model. The zero value permits
// nothing: images, weights and requests are untrusted, so that an attacker may control
// what runs inside.
type Permissions struct {
	// Network lets it reach other hosts; its port is then published on 127.0.0.1. Without,
	// it has an internal network that only this machine reaches.
	Network bool
	// WritableRoot lets it change the files of its image, in its own layer.
	WritableRoot bool
	// WritableModels lets it change the models' directory.
	WritableModels bool
	// Capabilities are the kernel capabilities that it keeps, "SETUID".
	Capabilities []string
	// Processes bounds its processes and threads; 0 is DefaultProcesses.
	Processes int64
}

const (
	// DefaultProcesses is far more than a runner on many GPUs needs, threads included.
	DefaultProcesses = 4096
	// ownMemory is the memory that containers leave to the node and the system at least.
	ownMemory = 1 << 30
	// oomScoreAdj makes the kernel kill a container's processes before the node's when the
	// machine is out of memory.
	oomScoreAdj = 500
	// scratch are the options of writable mounts in a container with a read-only root.
	// Programs compile code there, so it is executable; it counts as the container's memory.
	scratch = "rw,exec,nosuid,nodev,mode=1777"
)

// noNameServer is an address without a name server: a container in an internal network
// must not resolve external names, not through the engine's resolver either.
func noNameServer() netip.Addr { return netip.AddrFrom4([4]byte{127, 0, 0, 1}) }

// scratchEnvironment moves the runners' caches to /tmp. An entry's settings take
// precedence.
func scratchEnvironment() []string {
	return []string{
		"CUDA_CACHE_PATH=/tmp/.cuda", "FLASHINFER_WORKSPACE_BASE=/tmp", "HF_MODULES_CACHE=/tmp/.hf_modules",
		"MPLCONFIGDIR=/tmp/.matplotlib", "NUMBA_CACHE_DIR=/tmp/.numba", "TORCHINDUCTOR_CACHE_DIR=/tmp/.torchinductor",
		"TRITON_CACHE_DIR=/tmp/.triton", "VLLM_CACHE_ROOT=/tmp/.vllm", "VLLM_CONFIG_ROOT=/tmp/.vllm_config",
	}
}

// offlineEnvironment keeps the libraries of model hubs from waiting for an unreachable
// hub. An entry's settings take precedence.
func offlineEnvironment() []string {
	return []string{
		"DO_NOT_TRACK=1", "HF_HUB_DISABLE_TELEMETRY=1", "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1",
		"VLLM_NO_USAGE_STATS=1",
	}
}

// limits are a container's resource limits.
type limits struct {
	memory, processes int64
	// missing names the limits that the engine cannot enforce.
	missing []string
	// builtinFilter selects the engine's built-in seccomp profile where another one is the
	// default.
	builtinFilter bool
}

// Missing names the restrictions that the engine cannot enforce for any container.
func (e *Engine) Missing(ctx context.Context) ([]string, error) {
	got, err := e.api.Info(ctx, client.InfoOptions{})
	if err != nil {
		return nil, e.fault("read the limits of the Docker Engine", err)
	}
	return e.missing(&got.Info), nil
}

func (e *Engine) missing(info *system.Info) (out []string) {
	if !info.MemoryLimit {
		out = append(out, "memory (the engine cannot limit it)")
	}
	if !info.PidsLimit {
		out = append(out, "processes (the engine cannot limit them)")
	}
	switch e.chooseFilter(info.SecurityOptions) {
	case filterMissing:
		out = append(out, "system calls (the engine has no seccomp)")
	case filterOpen:
		out = append(out, "system calls (the engine's seccomp profile is unconfined)")
	}
	return out
}

// filter is the source of a container's seccomp profile.
type filter int

const (
	filterDefault filter = iota // the engine's default
	filterBuiltin               // the engine's built-in one, which must be selected
	filterOpen                  // none: the engine's default permits all
	filterMissing               // none: the engine has no seccomp
)

// builtinSince is the first API version (Docker 23.0) in which a container can select the
// engine's built-in profile.
const builtinSince = "1.42"

// chooseFilter decides by the engine's security options.
func (e *Engine) chooseFilter(options []string) filter {
	for _, o := range security.DecodeOptions(options) {
		if o.Name != "seccomp" {
			continue
		}
		if !slices.Contains(o.Options, security.KeyValue{Key: "profile", Value: "unconfined"}) {
			return filterDefault
		}
		if versions.GreaterThanOrEqualTo(e.api.ClientVersion(), builtinSince) {
			return filterBuiltin
		}
		return filterOpen
	}
	return filterMissing
}

// limits asks the engine, which may run on another machine.
func (e *Engine) limits(ctx context.Context, s *Spec) (limits, error) {
	got, err := e.api.Info(ctx, client.InfoOptions{})
	if err != nil {
		return limits{}, e.fault("read the limits of the Docker Engine", err)
	}
	l := limits{memory: s.MemoryBytes, processes: cmp.Or(s.Permissions.Processes, DefaultProcesses)}
	if l.memory == 0 {
		l.memory = defaultMemory(got.Info.MemTotal)
	}
	l.builtinFilter = e.chooseFilter(got.Info.SecurityOptions) == filterBuiltin
	l.missing = e.missing(&got.Info)
	return l, nil
}

// defaultMemory leaves a tenth of the machine's memory, and at least 1 GiB, to the
// node and the system; on a machine with less than 2 GiB it leaves half.
func defaultMemory(machine int64) int64 {
	return machine - min(max(machine/10, ownMemory), machine/2)
}

// confine restricts a container to what it needs.
func (s *Spec) confine(host *container.HostConfig, l limits) {
	host.CapDrop, host.CapAdd = []string{"ALL"}, slices.Clone(s.Permissions.Capabilities)
	host.SecurityOpt = []string{"no-new-privileges:true"}
	if l.builtinFilter {
		host.SecurityOpt = append(host.SecurityOpt, "seccomp=builtin")
	}
	host.IpcMode = container.IPCModePrivate
	host.OomScoreAdj = oomScoreAdj
	// The same limit with swap: a model that swaps is too slow to use.
	host.Memory, host.MemorySwap, host.PidsLimit = l.memory, l.memory, &l.processes
	if !s.Permissions.WritableRoot {
		host.ReadonlyRootfs = true
		host.Tmpfs = map[string]string{"/tmp": scratch, "/var/tmp": scratch, "/run": scratch}
	}
}

// Degraded returns the condition of a container that lacks these restrictions; nil if none is
// missing.
func Degraded(missing []string) *fault.Fault {
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.ContainerSandboxDegraded, "confine a container", strings.Join(missing, "; "))
}
