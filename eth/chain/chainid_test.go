package chain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/eth/chain"
)

// chainOf is an endpoint of a chain, which answers after first is closed.
func chainOf(t *testing.T, id uint64, first <-chan struct{}, answered chan<- struct{}) core.Secret {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&q)
		if first != nil {
			<-first
		}
		result := fmt.Sprintf(`"%#x"`, id)
		if q.Method == "eth_getBlockByNumber" {
			result = fmt.Sprintf(`{"number":"0x10","hash":"%#064x","parentHash":"%#064x","timestamp":"0x6553f100",`+
				`"l1BlockNumber":"0x1","baseFeePerGas":"0x1"}`, 16, 15)
			if answered != nil {
				defer func() { answered <- struct{}{} }()
			}
		}
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
	}))
	t.Cleanup(s.Close)
	return core.NewSecret(s.URL)
}

func askChain(t *testing.T, endpoints ...core.Secret) (uint64, error) {
	t.Helper()
	return chain.ChainID(t.Context(), chain.NodeOptions{Endpoints: endpoints, Now: time.Now,
		Log: slog.New(slog.DiscardHandler)})
}

// TestOneEndpointNamesNoChain: on a network that nobody knows by its name the endpoint
// that answers first does not say which chain all others have to be of.
func TestOneEndpointNamesNoChain(t *testing.T) {
	t.Parallel()
	first, lied := make(chan struct{}), make(chan struct{}, 8)
	go func() {
		<-lied
		close(first)
	}()
	liar := chainOf(t, 666, nil, lied)
	honest := []core.Secret{chainOf(t, 4242, first, nil), chainOf(t, 4242, first, nil)}
	if id, err := askChain(t, liar, honest[0], honest[1]); err != nil || id != 4242 {
		t.Errorf("%d, %v", id, err)
	}
	if id, err := askChain(t, liar, honest[0]); !errors.Is(err, fault.ChainDisputed) {
		t.Errorf("two that differ: %d, %v", id, err)
	}
	twice := core.NewSecret(liar.Reveal() + "/further")
	if id, err := askChain(t, liar, twice, honest[0]); !errors.Is(err, fault.ChainDisputed) {
		t.Errorf("two ways to one and another: %d, %v", id, err)
	}
	if id, err := askChain(t, honest[0]); err != nil || id != 4242 {
		t.Errorf("the only one: %d, %v", id, err)
	}
	down := httptest.NewServer(nil)
	down.Close()
	if id, err := askChain(t, core.NewSecret(down.URL), honest[0], honest[1]); err != nil || id != 4242 {
		t.Errorf("one is down: %d, %v", id, err)
	}
}
