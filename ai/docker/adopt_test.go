package docker_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/test/engine"
)

// keyed is a bench with a key: that of one run of a node.
func keyed(t *testing.T, owner, key string) *bench {
	t.Helper()
	real := engine.Start(t)
	e, err := docker.Open(docker.Options{Host: real.Host, Owner: owner,
		Key: func() ([]byte, error) { return []byte(key), nil }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return &bench{Engine: e, real: real, image: real.RunnerImage(t), t: t}
}

// confined is a container in a network of its own.
func (b *bench) confined(env ...string) *docker.Spec {
	s := b.spec(env...)
	s.Permissions.Network = false
	s.Name = docker.Name(s.Pipeline, s.Model, s.HostPort)
	return s
}

// wish is what a later run asks for: it knows neither name nor port.
func wish(s *docker.Spec) *docker.Spec {
	w := *s
	w.Name, w.HostPort = "", 0
	return &w
}

// A later run of the node adopts a container that is what it wants, reaches it, and removes it with its network.
// It runs alone: Reconcile also removes what carries no owner, and another test makes such a container.
func TestAdopt(t *testing.T) {
	before, after := keyed(t, t.Name(), "k"), keyed(t, t.Name(), "k")
	open, closed := before.spec("A=1"), before.confined("A=2")
	open.Name = docker.Name(open.Pipeline, open.Model, open.HostPort)
	ids := []docker.ID{before.run(open), before.run(closed)}
	got, err := after.Adopt(t.Context(), []*docker.Spec{wish(open), wish(closed), wish(closed)})
	if err != nil || len(got) != 2 {
		t.Fatalf("adopted %+v, %v", got, err)
	}
	if removed, err := after.Reconcile(t.Context()); err != nil || len(removed) != 0 {
		t.Fatalf("removed %q, %v", removed, err)
	}
	for _, a := range got {
		spec := []*docker.Spec{open, closed}[a.For]
		if a.ID != ids[a.For] || a.Port != spec.HostPort {
			t.Errorf("%+v is not %s", a, spec.Name)
		}
		at, err := after.Address(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		await(t, "the runner answers", func() bool {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at.String()+"/health", nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Close = true
			answer, err := http.DefaultClient.Do(r)
			return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
		})
		if err := after.Remove(t.Context(), a.ID); err != nil {
			t.Error(err)
		}
	}
	if names := after.networks(); len(names) != 0 {
		t.Errorf("networks %q are left", names)
	}
}

// TestAdversaryAdopt: what is not exactly what this node asked for is replaced, and another node's is left alone.
// It runs alone: Reconcile also removes what carries no owner, and another test makes such a container.
func TestAdversaryAdopt(t *testing.T) {
	type run = adoption
	for name, tt := range map[string]struct {
		key string // of the later run
		// tamper is done between the runs; want changes what the later run wants.
		tamper func(*testing.T, *run)
		want   func(*docker.Spec)
	}{
		"another node's":              {key: "other"},
		"another variable":            {want: func(s *docker.Spec) { s.Env = []string{"A=2"} }},
		"another image":               {want: func(s *docker.Spec) { s.Image += "-new" }},
		"another device":              {want: func(s *docker.Spec) { s.Devices = []string{"0"} }},
		"another argument":            {want: func(s *docker.Spec) { s.Command = []string{"x"} }},
		"fewer rights":                {want: func(s *docker.Spec) { s.Permissions.WritableRoot = false }},
		"another directory of models": {want: func(s *docker.Spec) { s.ModelsDir = "/tmp" }},
		"another model":               {want: func(s *docker.Spec) { s.Model = "own/other" }},
		"it has ended": {tamper: func(t *testing.T, r *run) {
			if err := r.before.Stop(t.Context(), r.id); err != nil {
				t.Fatal(err)
			}
		}},
		"more memory": {tamper: func(t *testing.T, r *run) {
			_, err := r.before.real.API.ContainerUpdate(t.Context(), string(r.id), client.ContainerUpdateOptions{
				Resources: &container.Resources{Memory: 64 << 20, MemorySwap: 64 << 20}})
			if err != nil {
				t.Fatal(err)
			}
		}},
		"a second network": {tamper: func(t *testing.T, r *run) {
			_, err := r.before.real.API.NetworkConnect(t.Context(), "bridge",
				client.NetworkConnectOptions{Container: string(r.id)})
			if err != nil {
				t.Skip(err)
			}
		}},
		"a stranger with its name and labels, and more rights": {tamper: func(t *testing.T, r *run) {
			r.replace(t, func(c *container.InspectResponse) { c.HostConfig.CapAdd = []string{"SYS_ADMIN"} })
		}},
		"a stranger with its name and labels, and a program": {tamper: func(t *testing.T, r *run) {
			r.replace(t, func(c *container.InspectResponse) { c.Config.Entrypoint = append(c.Config.Entrypoint, "-x") })
		}},
		"a stranger with its name and labels, and an argument": {tamper: func(t *testing.T, r *run) {
			r.replace(t, func(c *container.InspectResponse) { c.Config.Cmd = append(c.Config.Cmd, "-x") })
		}},
		"a stranger with its name and labels, and a variable": {tamper: func(t *testing.T, r *run) {
			r.replace(t, func(c *container.InspectResponse) { c.Config.Env = append(c.Config.Env, "LD_PRELOAD=/x") })
		}},
		"a stranger with its name and labels, and a user": {tamper: func(t *testing.T, r *run) {
			r.replace(t, func(c *container.InspectResponse) { c.Config.User = "0:1" })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			key := "k" + t.Name()
			r := &run{before: keyed(t, "", key)}
			r.after = keyed(t, "", tt.key+key)
			r.spec = r.before.confined("A=1")
			r.spec.Permissions.WritableRoot = true
			r.id = r.before.run(r.spec)
			if tt.tamper != nil {
				tt.tamper(t, r)
			}
			want := wish(r.spec)
			if tt.want != nil {
				tt.want(want)
			}
			t.Cleanup(func() {
				_, _ = r.before.real.API.ContainerRemove(context.WithoutCancel(t.Context()), string(r.id),
					client.ContainerRemoveOptions{Force: true})
			})
			if got, err := r.after.Adopt(t.Context(), []*docker.Spec{want}); err != nil || len(got) != 0 {
				t.Errorf("adopted %+v, %v", got, err)
			}
			removed, err := r.after.Reconcile(t.Context())
			_, gone := r.before.Inspect(t.Context(), r.id)
			if theirs := tt.key != ""; err != nil || theirs == errors.Is(gone, fault.ContainerGone) {
				t.Errorf("removed %q, %v; it is gone: %v", removed, err, gone)
			}
			if tt.key != "" {
				if err := r.before.Remove(t.Context(), r.id); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// adoption is what happens between two runs of a node.
type adoption struct {
	before, after *bench
	id            docker.ID
	spec          *docker.Spec
}

// replace puts another container in the place of the present one, with its name and all that change leaves of it.
func (r *adoption) replace(t *testing.T, change func(*container.InspectResponse)) {
	t.Helper()
	api := r.before.real.API
	got, err := api.ContainerInspect(t.Context(), string(r.id), client.ContainerInspectOptions{})
	if err == nil {
		_, err = api.ContainerRemove(t.Context(), string(r.id), client.ContainerRemoveOptions{Force: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	c := got.Container
	change(&c)
	made, err := api.ContainerCreate(t.Context(), client.ContainerCreateOptions{
		Name: strings.TrimPrefix(c.Name, "/"), Config: c.Config, HostConfig: c.HostConfig})
	if err == nil {
		err = r.before.Start(t.Context(), docker.ID(made.ID))
	}
	if err != nil {
		t.Fatal(err)
	}
	r.id = docker.ID(made.ID)
}
