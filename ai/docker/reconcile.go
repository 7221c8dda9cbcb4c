package docker

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/moby/moby/client"
	"golang.org/x/sync/errgroup"
)

// maxRemovals bounds how many containers are removed in parallel.
const maxRemovals = 4

// Reconcile removes the containers of an earlier run of this node that were not adopted, running
// or not, with their networks, and returns their names in order. They are unused, so they get no grace.
// Containers of other nodes stay. The error names those that could not be removed.
func (e *Engine) Reconcile(ctx context.Context) ([]string, error) {
	listed, err := e.api.ContainerList(ctx, client.ContainerListOptions{
		All: true, Filters: make(client.Filters).Add("label", labelCreator+"="+creator),
	})
	if err != nil {
		return nil, e.fault("list containers", err)
	}
	var (
		group   errgroup.Group
		mu      sync.Mutex // covers removed and failed
		removed []string
		failed  []error
	)
	group.SetLimit(maxRemovals)
	for _, c := range listed.Items {
		if !e.ours(c.Labels) || e.known(ID(c.ID)) {
			continue
		}
		group.Go(func() error {
			err := e.Remove(ctx, ID(c.ID))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = append(failed, err)
				return nil
			}
			removed = append(removed, nameOf(c.Names, c.ID))
			return nil
		})
	}
	_ = group.Wait()
	if err := e.reconcileNetworks(ctx); err != nil {
		failed = append(failed, err)
	}
	slices.Sort(removed)
	return removed, errors.Join(failed...)
}

func nameOf(names []string, id string) string {
	if len(names) == 0 {
		return id
	}
	return trimName(names[0])
}

// trimName removes the slash that the engine puts before names.
func trimName(name string) string { return strings.TrimPrefix(name, "/") }
