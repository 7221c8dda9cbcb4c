package docker_test

import (
	"fmt"
	"net/netip"
	"testing"

	"github.com/moby/moby/client"

	"github.com/tuttinode/tutti/ai/docker"
)

// Models that start together, as all do when a node begins, each get a network.
func TestNetworksMadeTogether(t *testing.T) {
	t.Parallel()
	b := open(t)
	const models = 8
	made := make(chan error, models)
	for n := range models {
		go func() {
			_, err := b.Create(t.Context(), &docker.Spec{
				Name: fmt.Sprintf("together-%d", n), Image: b.image, Pipeline: "llm", Model: fmt.Sprintf("m%d", n),
			})
			made <- err
		}()
	}
	for range models {
		if err := <-made; err != nil {
			t.Error(err)
		}
	}
	if names := b.networks(); len(names) != models {
		t.Errorf("%d networks for %d containers", len(names), models)
	}
}

// More models than the engine has ranges of addresses each get a network.
func TestMoreNetworksThanRanges(t *testing.T) {
	t.Parallel()
	b := open(t)
	const models = 40 // an engine for tests has 32 ranges
	var made []docker.ID
	for n := range models {
		one, err := b.Create(t.Context(), &docker.Spec{
			Name: fmt.Sprintf("many-%d", n), Image: b.image, Pipeline: "llm", Model: fmt.Sprintf("m%d", n),
		})
		if err != nil || len(one.Missing) > 0 {
			t.Fatalf("container %d: %v %q", n, err, one.Missing)
		}
		made = append(made, one.ID)
	}
	subnets := b.subnets()
	if len(subnets) != models {
		t.Errorf("%d subnets for %d containers", len(subnets), models)
	}
	for _, s := range subnets {
		if s.Bits() < 29 {
			t.Errorf("the subnet %v for one container", s)
		}
	}
	for _, id := range made {
		if err := b.Remove(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	if left := b.subnets(); len(left) > 0 {
		t.Errorf("subnets %v are left", left)
	}
}

// subnets are those of the networks that this node made.
func (b *bench) subnets() (out []netip.Prefix) {
	b.t.Helper()
	for _, name := range b.networks() {
		got, err := b.real.API.NetworkInspect(b.t.Context(), name, client.NetworkInspectOptions{})
		if err != nil {
			b.t.Fatal(err)
		}
		for _, c := range got.Network.IPAM.Config {
			out = append(out, c.Subnet)
		}
	}
	return out
}
