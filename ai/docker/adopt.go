package docker

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// Adopted is a container of an earlier run of this node that serves on.
type Adopted struct {
	Created
	// For is the index of what it was adopted for, Port its port on the host.
	For  int
	Port uint16
}

// Adopt finds running containers of an earlier run of this node that are what is wanted: made by
// this node, from the image that the name means now, with the same devices, variables and
// restrictions, in a network of their own. Names and host ports of wanted are not read. Each
// container is adopted once; Reconcile leaves it alone from then on.
func (e *Engine) Adopt(ctx context.Context, wanted []*Spec) ([]Adopted, error) {
	if len(wanted) == 0 || e.keyed() == nil {
		return nil, nil
	}
	listed, err := e.api.ContainerList(ctx, client.ContainerListOptions{
		Filters: make(client.Filters).Add("label", labelNode+"="+e.node()),
	})
	if err != nil {
		return nil, e.fault("list containers", err)
	}
	var out []Adopted
	done := make([]bool, len(wanted))
	for _, c := range listed.Items {
		if e.known(ID(c.ID)) {
			continue
		}
		got, err := e.api.ContainerInspect(ctx, c.ID, client.ContainerInspectOptions{})
		if err != nil {
			continue // it has gone, or Reconcile meets the same problem
		}
		for i, s := range wanted {
			if done[i] {
				continue
			}
			if a, ok := e.adopt(ctx, s, &got.Container); ok {
				a.For, done[i] = i, true
				out = append(out, a)
				break
			}
		}
	}
	return out, nil
}

// adopt takes a container if it is what s asks for.
func (e *Engine) adopt(ctx context.Context, s *Spec, c *container.InspectResponse) (Adopted, bool) {
	want := *s
	want.Name = trimName(c.Name)
	port, ok := portOf(&want)
	inner, valid := want.containerPort()
	if !ok || !valid || c.Config == nil || c.HostConfig == nil || c.State == nil ||
		c.State.Status != container.StateRunning {
		return Adopted{}, false
	}
	want.HostPort = port
	at := endpoint{containerPort: inner.Num(), hostPort: port}
	if !want.Permissions.Network {
		if at.network = e.ownNetwork(ctx, want.Name, c); at.network == "" {
			return Adopted{}, false
		}
	} else if c.NetworkSettings == nil || len(c.NetworkSettings.Networks) != 1 {
		return Adopted{}, false
	}
	limits, err := e.limits(ctx, &want)
	if err != nil {
		return Adopted{}, false
	}
	asked, _ := want.options(e.owner, at.network, limits)
	asked.Config.Labels[labelNode] = e.node()
	seal := e.seal(&asked)
	if seal == "" || !hmac.Equal([]byte(seal), []byte(c.Config.Labels[labelSeal])) ||
		confinement(asked.HostConfig) != confinement(c.HostConfig) {
		return Adopted{}, false
	}
	image, err := e.api.ImageInspect(ctx, want.Image)
	if err != nil || image.ID != c.Image || !runsAsAsked(c.Config, asked.Config, &image) {
		return Adopted{}, false
	}
	e.setEndpoint(ID(c.ID), at)
	return Adopted{Created: Created{ID: ID(c.ID), Missing: limits.missing}, Port: port}, true
}

// runsAsAsked reports whether a container runs what was asked of its image: labels and name can be copied, and
// the seal with them.
func runsAsAsked(has, asked *container.Config, of *client.ImageInspectResult) bool {
	if of.Config == nil {
		return false
	}
	image := &of.Config.ImageConfig
	command, variables := asked.Cmd, slices.Clone(asked.Env)
	if command == nil {
		command = image.Cmd
	}
	for _, v := range image.Env {
		name, _, _ := strings.Cut(v, "=")
		if !slices.ContainsFunc(asked.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") || v == name }) {
			variables = append(variables, v)
		}
	}
	sorted := func(list []string) []string { return slices.Sorted(slices.Values(list)) }
	return slices.Equal(has.Cmd, command) && slices.Equal(has.Entrypoint, image.Entrypoint) &&
		slices.Equal(sorted(has.Env), sorted(variables)) && has.User == image.User && has.WorkingDir == image.WorkingDir
}

// portOf returns the host port in a container's name, false if the name is not the spec's.
func portOf(s *Spec) (uint16, bool) {
	_, digits, _ := cutLast(s.Name, "_")
	port, err := strconv.ParseUint(digits, 10, 16)
	return uint16(port), err == nil && s.Name == Name(s.Pipeline, s.Model, uint16(port))
}

func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}

// ownNetwork returns the internal network that a container alone is in, "" if it is in another
// one, or in a further one.
func (e *Engine) ownNetwork(ctx context.Context, name string, c *container.InspectResponse) string {
	if c.NetworkSettings == nil || len(c.NetworkSettings.Networks) != 1 {
		return ""
	}
	for _, n := range c.NetworkSettings.Networks {
		got, err := e.api.NetworkInspect(ctx, n.NetworkID, client.NetworkInspectOptions{})
		if err == nil && got.Network.Internal && got.Network.Name == e.networkName(name) &&
			e.oursLabeled(got.Network.Labels) && e.isOwn(n.NetworkID, c.HostConfig) {
			return n.NetworkID
		}
	}
	return ""
}

// isOwn reports whether a container was made in this network, and publishes no port.
func (*Engine) isOwn(network string, host *container.HostConfig) bool {
	return string(host.NetworkMode) == network && len(host.PortBindings) == 0
}

// confinement is what keeps a container within its bounds, in a form that can be compared: the seal
// says what was asked for, and this what the engine has now.
func confinement(h *container.HostConfig) string {
	sorted := func(list []string) []string {
		list = slices.Clone(list)
		for i := range list {
			list[i] = strings.TrimPrefix(strings.ToUpper(list[i]), "CAP_")
		}
		slices.Sort(list)
		return slices.Compact(list)
	}
	var processes int64
	if h.PidsLimit != nil {
		processes = *h.PidsLimit
	}
	text, err := json.Marshal([]any{
		h.Privileged, h.ReadonlyRootfs, sorted(h.CapAdd), sorted(h.CapDrop), sorted(h.SecurityOpt),
		h.IpcMode, h.PidMode, h.UTSMode, h.UsernsMode, h.Memory, h.MemorySwap, processes, len(h.Binds),
		h.Mounts, len(h.Devices), h.Tmpfs, len(h.VolumesFrom), len(h.GroupAdd), len(h.Sysctls), h.RestartPolicy.Name,
	})
	if err != nil {
		return "" // no seal is the same as that
	}
	return string(text)
}
