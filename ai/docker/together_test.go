package docker_test

import (
	"fmt"
	"testing"

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
