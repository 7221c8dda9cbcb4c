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

// Permissions are what a container may do beyond serving its model. The zero value
// permits nothing: what runs inside may be under an attacker's control, because
// images, weights and requests come from others.
type Permissions struct {
	// Network gives it a way out; its port is then published on 127.0.0.1. Without,
	// it has a network of its own that only this machine reaches.
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
	// DefaultProcesses is far more than a runner on many GPUs has, threads included.
	DefaultProcesses = 4096
	// ownMemory is what a container leaves to the node and the system at least.
	ownMemory = 1 << 30
	// endFirst has the kernel end a container's processes before the node's when the
	// machine is out of memory.
	endFirst = 500
	// scratch is what a container may write where its root is read-only. Programs
	// compile code there, so it is executable; it counts as the container's memory.
	scratch = "rw,exec,nosuid,nodev,mode=1777"
)

// noServer is a name server where none listens: in its own network a container gets
// no answer for names of the outside, not through the engine's resolver either.
var noServer = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// scratchEnvironment leads what runners write beside the models into /tmp. An
// entry's own settings win.
func scratchEnvironment() []string {
	return []string{
		"CUDA_CACHE_PATH=/tmp/.cuda", "FLASHINFER_WORKSPACE_BASE=/tmp", "HF_MODULES_CACHE=/tmp/.hf_modules",
		"MPLCONFIGDIR=/tmp/.matplotlib", "NUMBA_CACHE_DIR=/tmp/.numba", "TORCHINDUCTOR_CACHE_DIR=/tmp/.torchinductor",
		"TRITON_CACHE_DIR=/tmp/.triton", "VLLM_CACHE_ROOT=/tmp/.vllm", "VLLM_CONFIG_ROOT=/tmp/.vllm_config",
	}
}

// offlineEnvironment tells the libraries of model hubs not to wait for a hub that
// cannot be reached. An entry's own settings win.
func offlineEnvironment() []string {
	return []string{
		"DO_NOT_TRACK=1", "HF_HUB_DISABLE_TELEMETRY=1", "HF_HUB_OFFLINE=1", "TRANSFORMERS_OFFLINE=1",
		"VLLM_NO_USAGE_STATS=1",
	}
}

// limits are what a container may take of the machine.
type limits struct {
	memory, processes int64
	// missing names the limits that the engine cannot keep.
	missing []string
	// builtinFilter asks for the engine's own list of system calls, where another one is
	// the default.
	builtinFilter bool
}

// Missing names the restrictions of every container that the engine cannot keep.
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

// filter is where a container's list of system calls comes from.
type filter int

const (
	filterDefault filter = iota // what the engine gives every container
	filterBuiltin               // the engine's own, which has to be asked for
	filterOpen                  // none: the engine's default permits all
	filterMissing               // none: the engine has no seccomp
)

// builtinSince is the version of the API, of Docker 23.0, from which on a container can
// have the engine's own list where the default is another.
const builtinSince = "1.42"

// chooseFilter decides by what the engine says of its security.
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

// limits asks the engine, whose machine need not be this one.
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
	host.OomScoreAdj = endFirst
	// The same limit with swap: a model that swaps is as good as dead.
	host.Memory, host.MemorySwap, host.PidsLimit = l.memory, l.memory, &l.processes
	if !s.Permissions.WritableRoot {
		host.ReadonlyRootfs = true
		host.Tmpfs = map[string]string{"/tmp": scratch, "/var/tmp": scratch, "/run": scratch}
	}
}

// Degraded is the condition of a container that lacks these restrictions; nil where
// none is missing.
func Degraded(missing []string) *fault.Fault {
	if len(missing) == 0 {
		return nil
	}
	return fault.New(fault.ContainerSandboxDegraded, "confine a container", strings.Join(missing, "; "))
}
