package docker

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
)

const (
	// runnerPort is where every runner listens inside its container.
	runnerPort = 8000
	// modelsPath is where runners look for weights.
	modelsPath = "/models"
	// The engine keeps a runner's output on disk, without a bound by default.
	logBytes, logFiles = "10m", "2"
)

// ID is a container's identity at the engine.
type ID string

// Spec is a container to make.
type Spec struct {
	// Name is the container's name: see Name.
	Name string
	// Image is what it runs: see Images.
	Image string
	// Pipeline and Model become labels and the variables PIPELINE and MODEL_ID.
	Pipeline, Model string
	// Env are further variables, "NAME=value". They override those two.
	Env []string
	// HostPort is the runner's port on 127.0.0.1 if it has no internal network: see
	// Engine.Address.
	HostPort uint16
	// ContainerPort is where it listens in the container; 0 means runnerPort.
	ContainerPort uint16
	// ModelsDir is mounted at /models, read-only unless Permissions say otherwise; "" mounts
	// nothing. The engine resolves it: if the node runs in a container, it must be the
	// host's path.
	ModelsDir string
	// Devices are the GPUs it gets, by index or UUID; none asks for none.
	Devices []string
	// ShmBytes is the size of its shared memory, 0 the engine's default of 64 MiB.
	// Models on several GPUs communicate through it and need more.
	ShmBytes int64
	// MemoryBytes limits its main memory; 0 is most of the machine's.
	MemoryBytes int64
	// Permissions are what it may do beyond serving its model.
	Permissions Permissions
	// Labels are further labels.
	Labels map[string]string
	// Command replaces the image's arguments; nil keeps them.
	Command []string
}

// options convert the spec for the engine. network is the container's internal network,
// "" publishes its port instead.
func (s *Spec) options(owner, network string, l limits) (client.ContainerCreateOptions, bool) {
	inner, ok := s.containerPort()
	if !ok {
		return client.ContainerCreateOptions{}, false
	}
	host := &container.HostConfig{
		// ai/manager restarts runners: it reports a crash with its reason, backs off and
		// withdraws the model meanwhile. A restart by the engine would hide the crash.
		RestartPolicy: container.RestartPolicy{Name: container.RestartPolicyDisabled},
		LogConfig: container.LogConfig{
			Type: "json-file", Config: map[string]string{"max-size": logBytes, "max-file": logFiles},
		},
		ShmSize:   s.ShmBytes,
		Resources: container.Resources{DeviceRequests: s.deviceRequests()},
	}
	s.confine(host, l)
	if s.ModelsDir != "" {
		host.Mounts = []mount.Mount{{
			Type: mount.TypeBind, Source: s.ModelsDir, Target: modelsPath, ReadOnly: !s.Permissions.WritableModels,
		}}
	}
	config := &container.Config{Image: s.Image, Labels: s.labels(owner), Cmd: s.Command}
	config.Env = s.environment(s.defaults(network != ""))
	s.connect(config, host, network, inner)
	return client.ContainerCreateOptions{Name: s.Name, Config: config, HostConfig: host}, true
}

// containerPort returns the port that the runner listens on in its container.
func (s *Spec) containerPort() (network.Port, bool) {
	return network.PortFrom(cmp.Or(s.ContainerPort, runnerPort), network.TCP)
}

// connect joins a container to its internal network, or publishes its port on 127.0.0.1.
func (s *Spec) connect(config *container.Config, host *container.HostConfig, own string, inner network.Port) {
	config.ExposedPorts = network.PortSet{inner: {}}
	if own != "" {
		host.NetworkMode = container.NetworkMode(own)
		host.DNS = []netip.Addr{noNameServer()}
		return
	}
	host.PortBindings = network.PortMap{inner: {{
		HostIP:   netip.AddrFrom4([4]byte{127, 0, 0, 1}),
		HostPort: strconv.Itoa(int(s.HostPort)),
	}}}
}

// defaults are variables that follow from its restrictions.
func (s *Spec) defaults(alone bool) (out []string) {
	if !s.Permissions.WritableRoot {
		out = append(out, scratchEnvironment()...)
	}
	if alone {
		out = append(out, offlineEnvironment()...)
	}
	return out
}

// deviceRequests asks for exactly the named GPUs, as --gpus device=… does.
func (s *Spec) deviceRequests() []container.DeviceRequest {
	if len(s.Devices) == 0 {
		return nil
	}
	return []container.DeviceRequest{{DeviceIDs: slices.Clone(s.Devices), Capabilities: [][]string{{"gpu"}}}}
}

func (s *Spec) labels(owner string) map[string]string {
	l := make(map[string]string, len(s.Labels)+4)
	maps.Copy(l, s.Labels)
	l[labelCreator], l[labelOwner] = creator, owner
	l[labelPipeline], l[labelModel] = s.Pipeline, s.Model
	return l
}

// environment holds each variable once: C libraries differ in which of two they return.
func (s *Spec) environment(defaults []string) []string {
	all := slices.Concat(defaults, []string{"PIPELINE=" + s.Pipeline, "MODEL_ID=" + s.Model}, s.Env)
	last := make(map[string]int, len(all))
	for i, v := range all {
		name, _, _ := strings.Cut(v, "=")
		last[name] = i
	}
	out := all[:0]
	for i, v := range all {
		name, _, _ := strings.Cut(v, "=")
		if last[name] == i {
			out = append(out, v)
		}
	}
	return out
}
