package gateway_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/selectionweights"
	"github.com/tuttinode/tutti/server/gateway"
)

// pushFrom has a client at another address of this machine push a segment, whatever comes of it.
func (n *node) pushFrom(address, path string) {
	n.t.Helper()
	d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: d.DialContext}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, n.url+path, bytes.NewReader(media))
	if err != nil {
		n.t.Fatal(err)
	}
	resp, err := (&http.Client{Transport: transport, Timeout: limit}).Do(req)
	if err != nil {
		n.t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// A client whose segments fail, whatever it sends, has an orchestrator's performance count for its
// own streams. The streams of others choose as before, until this happened to several clients.
func TestOneClientsFailuresAreNoPerformance(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		minScore float64
		stake    uint64
		streams  int
	}{
		"below the floor": {minScore: 0.5, stake: 1e6, streams: 3},
		"a lower chance":  {stake: 100, streams: 100},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rich, small := newStaked(t, test.stake, 1), newStaked(t, 1, 1)
			n := onChain(t, []staked{rich, small}, func(o *gateway.Options) {
				o.Selection.MinPerfScore = test.minScore
				o.Selection.Weights = selectionweights.Weights{Stake: 1}
			})
			failing := func(clients ...string) {
				rich.set(behavior{status: 500, text: "Internal Server Error"})
				for _, client := range clients {
					for k := range test.streams {
						n.pushFrom(client, fmt.Sprintf("/live/bad%s-%d/0.ts", client, k))
					}
				}
				rich.set(behavior{})
			}
			served := func(streams string) int {
				before := len(rich.seen())
				for i := range 10 {
					n.push(fmt.Sprintf("/live/%s%d/0.ts", streams, i), media, "Content-Duration", "60000").want(t, media)
				}
				return len(rich.seen()) - before
			}
			failing("127.0.0.2", "127.0.0.3")
			if o := n.status(rich.uri); test.minScore > 0 && (o.Code != fault.OrchestratorBelowScore || !o.SomeClients) {
				t.Errorf("shown as %+v", o)
			}
			if got := served("good"); got < 8 {
				t.Errorf("%d of 10 streams of another client are at the orchestrator", got)
			}
			failing("127.0.0.4")
			if got := served("late"); test.minScore > 0 && got != 0 {
				t.Errorf("%d of 10 streams are at an orchestrator that failed for three clients", got)
			}
		})
	}
}
