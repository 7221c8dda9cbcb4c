package chaos

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/ethclient"
	"golang.org/x/sync/errgroup"

	"github.com/tuttinode/tutti/test/devnet"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// row is a fault that concerns a class of methods, at one endpoint of the chain
// that no other cell uses. Three cells share it: the endpoint as the first, the
// second and the third of a client's.
type row struct {
	control.Fault
	class string
	front int
}

func (r row) String() string { return fmt.Sprintf("%s/%s", r.Kind, r.class) }

// rows are all faults for all classes. Those that cannot be limited to a class, or
// that are about one class alone, are there without a limit.
func rows() (out []row) {
	unlimited := []control.Kind{control.Stop, control.WrongChain, control.LogRange, control.EmptyLogs,
		control.StaleReceipts}
	for _, f := range faultKinds {
		for _, class := range classes {
			if f.Methods = []string{class}; slices.Contains(unlimited, f.Kind) {
				f.Methods = nil
			}
			out = append(out, row{Fault: f, class: class, front: healthy + len(out)})
		}
	}
	return out
}

const (
	// healthy are the endpoints that always behave; they come first.
	healthy = endpoints - 1
	// atOnce is how many rows are tried at the same time.
	atOnce = 8
	// cellTime is what a row may take: on a busy machine its three nodes alone, with their keys, take most of a minute.
	cellTime = 3 * time.Minute
)

// bed is where the matrix grows: one chain with an endpoint for every row.
type bed struct {
	*devnet.Chain
	client *ethclient.Client
}

// TestFaultMatrix tries every fault at every endpoint against a read, a log query,
// a transaction and its receipt, with two endpoints that behave: all must succeed.
func TestFaultMatrix(t *testing.T) {
	t.Parallel()
	all := rows()
	c := devnet.Start(t, devnet.Options{
		Endpoints: healthy + len(all), Args: []string{"-accounts", fmt.Sprint(len(all) * endpoints)},
	})
	c.Mine(40)
	client, err := ethclient.Dial(c.URL(0))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	b := bed{Chain: c, client: client}
	results := make([][endpoints]error, len(all))
	var group errgroup.Group
	group.SetLimit(atOnce)
	for i, r := range all {
		dirs := [endpoints]string{t.TempDir(), t.TempDir(), t.TempDir()}
		group.Go(func() error {
			results[i] = b.try(t.Context(), r, dirs)
			return nil
		})
	}
	_ = group.Wait()
	for i, r := range all {
		for at, err := range results[i] {
			if err != nil {
				t.Errorf("%s at endpoint %d: %v", r, at, err)
			}
		}
	}
	b.everyFaultHappened(t)
}

// try fills the cells of one row.
func (b bed) try(ctx context.Context, r row, dirs [endpoints]string) (out [endpoints]error) {
	ctx, cancel := context.WithTimeout(ctx, cellTime)
	defer cancel()
	// A chain's number is requested first of all; everything else goes wrong later.
	if r.Kind == control.WrongChain {
		if err := b.Control.SetFaults(ctx, r.front, r.Fault); err != nil {
			return [endpoints]error{err}
		}
	}
	var cells [endpoints]*cell
	for at := range cells {
		c, err := b.open(ctx, r, at, dirs[at])
		if err != nil {
			out[at] = err
			continue
		}
		defer c.close()
		cells[at] = c
	}
	if err := errors.Join(out[:]...); err != nil {
		return out
	}
	if err := b.Control.SetFaults(ctx, r.front, r.Fault); err != nil {
		return [endpoints]error{err}
	}
	b.tryAll(ctx, cells, &out)
	// Which endpoint gets a request for logs is the client's choice, and on a busy machine
	// it may be none that hides them: what has not met the fault proves nothing.
	for r.hidesLogs() && errors.Join(out[:]...) == nil && !b.met(ctx, r) {
		b.tryAll(ctx, cells, &out)
	}
	return out
}

// tryAll has all cells do what they are about, at the same time.
func (b bed) tryAll(ctx context.Context, cells [endpoints]*cell, out *[endpoints]error) {
	var group errgroup.Group
	for at, c := range cells {
		group.Go(func() error {
			out[at] = c.try(ctx)
			return nil
		})
	}
	_ = group.Wait()
}

// met: the row's endpoint has misbehaved at least once.
func (b bed) met(ctx context.Context, r row) bool {
	stats, err := b.Control.Stats(ctx, r.front)
	return err == nil && stats.Faults[r.Kind] > 0
}

// everyFaultHappened: a matrix that no fault meets would prove nothing.
func (b bed) everyFaultHappened(t *testing.T) {
	t.Helper()
	met := make(map[control.Kind]uint64)
	for i := range b.Info.Endpoints {
		stats, err := b.Control.Stats(t.Context(), i)
		if err != nil {
			t.Fatal(err)
		}
		for kind, n := range stats.Faults {
			met[kind] += n
		}
	}
	t.Logf("faults that happened: %v", met)
	for _, f := range faultKinds {
		// An endpoint that does not listen counts nothing.
		if f.Kind != control.Stop && met[f.Kind] == 0 {
			t.Errorf("%s met no request", f.Kind)
		}
	}
}
