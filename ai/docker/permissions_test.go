package docker_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
)

// networks are the names of an owner's networks at the engine.
func (b *bench) networks() (names []string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.t.Context()), patience)
	defer cancel()
	listed, err := b.real.API.NetworkList(ctx, client.NetworkListOptions{
		Filters: make(client.Filters).Add("label", "creator_id="+b.t.Name()),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, n := range listed.Items {
		names = append(names, n.Name)
	}
	return names
}

// A container of its own network is reached by this machine, and both go together.
func TestANetworkOfItsOwn(t *testing.T) {
	t.Parallel()
	b := open(t)
	s := b.spec()
	s.Permissions = docker.Permissions{}
	made, err := b.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if len(made.Missing) > 0 {
		t.Errorf("missing: %q", made.Missing)
	}
	if err := b.Start(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	at, err := b.Address(t.Context(), made.ID)
	if err != nil || at.Addr().IsLoopback() || at.Port() != 8000 {
		t.Fatalf("at %v, %v", at, err)
	}
	await(t, "the runner answers in its own network", func() bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at.String()+"/health", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Close = true
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		return res.Body.Close() == nil && res.StatusCode == http.StatusOK
	})
	got, err := b.real.API.ContainerInspect(t.Context(), string(made.ID), client.ContainerInspectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"HF_HUB_OFFLINE=1", "TRITON_CACHE_DIR=/tmp/.triton"} {
		if !slices.Contains(got.Container.Config.Env, want) {
			t.Errorf("no %s in %q", want, got.Container.Config.Env)
		}
	}
	if len(got.Container.HostConfig.PortBindings) > 0 || fmt.Sprint(got.Container.HostConfig.DNS) != "[127.0.0.1]" {
		t.Errorf("ports %v, name servers %v", got.Container.HostConfig.PortBindings, got.Container.HostConfig.DNS)
	}
	if names := b.networks(); len(names) != 1 {
		t.Errorf("networks %q", names)
	}
	if err := b.Remove(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if names := b.networks(); len(names) != 0 {
		t.Errorf("networks %q are left", names)
	}
	if _, err := b.Address(t.Context(), made.ID); !errors.Is(err, fault.ContainerGone) {
		t.Error(err)
	}
}

// What an earlier run left is removed, and in no later run's way.
func TestLeftNetworks(t *testing.T) {
	t.Parallel()
	before, after := open(t), open(t)
	s := before.spec()
	s.Permissions = docker.Permissions{}
	made, err := before.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if removed, err := after.Reconcile(t.Context()); err != nil || !slices.Equal(removed, []string{s.Name}) {
		t.Fatalf("removed %q, %v", removed, err)
	}
	if names := after.networks(); len(names) != 0 {
		t.Errorf("networks %q are left", names)
	}
	again, err := before.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	// The container goes without its network, as when another tool removes it.
	force := client.ContainerRemoveOptions{Force: true}
	if _, err := before.real.API.ContainerRemove(t.Context(), string(again.ID), force); err != nil {
		t.Fatal(err)
	}
	third, err := after.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []docker.ID{made.ID, again.ID, third.ID} {
		if err := after.Remove(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if names := after.networks(); len(names) != 0 {
		t.Errorf("networks %q are left", names)
	}
}

// Where the engine's networks are not the node's, the container is served at a
// published port, and what is missing is named.
func TestNetworksElsewhere(t *testing.T) {
	t.Parallel()
	b := open(t)
	b.Elsewhere()
	s := b.spec()
	s.Permissions = docker.Permissions{}
	made, err := b.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	b.awaitHealth(s)
	if at, err := b.Address(t.Context(), made.ID); err != nil || at.String() != fmt.Sprint("127.0.0.1:", s.HostPort) {
		t.Errorf("at %v, %v", at, err)
	}
	f := docker.Degraded(made.Missing)
	if f == nil || f.Code != fault.ContainerSandboxDegraded || !strings.HasPrefix(f.Detail, "network (") {
		t.Errorf("%+v", f)
	}
	if names := b.networks(); len(names) != 0 {
		t.Errorf("networks %q are left", names)
	}
	if docker.Degraded(nil) != nil {
		t.Error("nothing is missing, and that is a condition")
	}
}

func TestDefaultMemory(t *testing.T) {
	t.Parallel()
	const gib = int64(1) << 30
	for machine, want := range map[int64]int64{100 * gib: 90 * gib, 8 * gib: 7 * gib, gib: gib / 2} {
		if got := docker.DefaultMemory(machine); got != want {
			t.Errorf("of %d: %d, want %d", machine, got, want)
		}
	}
}

// Two nodes that choose one name for a container do not share a network, and the
// error names what is taken.
func TestNodesOfOneEngine(t *testing.T) {
	t.Parallel()
	one := open(t)
	two := openAt(t, one.real, one.real.Host, t.Name()+" of another node")
	s := one.spec()
	s.Permissions = docker.Permissions{}
	made, err := one.Create(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := two.Create(t.Context(), s); !errors.Is(err, fault.ContainerNameConflict) {
		t.Error(err)
	}
	if names := one.networks(); len(names) != 1 {
		t.Errorf("networks %q", names)
	}
	if err := one.Remove(t.Context(), made.ID); err != nil {
		t.Error(err)
	}
}

// The node reads the list of an engine whose default permits every system call, where it
// can be read, and otherwise what is missing is named.
func TestSystemCallsOfAnOpenEngine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		api, security string
		missing       string // a part of it, "" for nothing
		asks          bool
	}{
		"default":                  {"1.41", `"name=seccomp,profile=default"`, "", false},
		"built in":                 {"1.45", `"name=apparmor","name=seccomp,profile=builtin"`, "", false},
		"the operator's own":       {"1.45", `"name=seccomp,profile=/etc/docker/seccomp.json"`, "", false},
		"none":                     {"1.45", `"name=apparmor"`, "no seccomp", false},
		"unconfined":               {"1.41", `"name=seccomp,profile=unconfined"`, "unconfined", false},
		"unconfined, can be asked": {"1.42", `"name=seccomp,profile=unconfined"`, "", true},
		"in another order":         {"1.41", `"profile=unconfined,name=seccomp"`, "unconfined", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := &fake{api: c.api, info: `{"MemTotal":8589934592,"MemoryLimit":true,"PidsLimit":true,"SecurityOptions":[` +
				c.security + `]}`}
			e := openFake(t, f)
			missing, err := e.Missing(t.Context())
			if err != nil || len(missing) > 1 || (len(missing) == 1) != (c.missing != "") ||
				!strings.Contains(fmt.Sprint(missing), c.missing) {
				t.Errorf("missing %q, %v; want %q", missing, err, c.missing)
			}
			made, err := e.Create(t.Context(), &docker.Spec{Name: "x", Image: "x",
				Permissions: docker.Permissions{Network: true}})
			if err != nil || !slices.Equal(made.Missing, missing) {
				t.Errorf("made %+v, %v", made, err)
			}
			if body := f.created.Load().(string); strings.Contains(body, "seccomp=builtin") != c.asks ||
				!strings.Contains(body, "no-new-privileges") {
				t.Errorf("asked for %s", body)
			}
		})
	}
}
