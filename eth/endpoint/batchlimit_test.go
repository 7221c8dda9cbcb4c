package endpoint

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
)

// batchNode answers batches as refuse says; nil lets them through.
type batchNode struct {
	*fakeNode
	// sizes are the batches that came, in order; guarded by mu, as is refuse.
	sizes []int
	// refuse is what a batch of a size is answered with; "" for its answers.
	refuse func(size int) (status int, body string)
	single atomic.Int32
}

func newBatchNode(t *testing.T) *batchNode {
	n := &batchNode{fakeNode: newFakeNode(t)}
	n.whole = func(w http.ResponseWriter, r *http.Request) bool {
		body := readBody(r)
		if body[0] != '[' {
			if strings.Contains(string(body), "eth_call") {
				n.single.Add(1)
			}
			_, _ = w.Write(n.respond(body))
			return true
		}
		var all []json.RawMessage
		_ = json.Unmarshal(body, &all)
		n.mu.Lock()
		n.sizes = append(n.sizes, len(all))
		refuse := n.refuse
		n.mu.Unlock()
		if refuse != nil {
			if status, text := refuse(len(all)); text != "" {
				w.WriteHeader(status)
				_, _ = fmt.Fprint(w, text)
				return true
			}
		}
		_, _ = w.Write(n.respond(body))
		return true
	}
	return n
}

// came are the sizes of the batches so far.
func (n *batchNode) came() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return fmt.Sprint(n.sizes)
}

func rpcRefusal(code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, message)
}

func callMany(t *testing.T, p *Pool, n int) error {
	t.Helper()
	results, err := p.CallBatch(t.Context(), 900, calls(n))
	if err == nil && len(results) != n {
		t.Errorf("%d results of %d", len(results), n)
	}
	return err
}

// One refusal that says nothing of batches is not the end of them.
func TestHiccupLeavesBatchesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		body   string
		want   error
	}{
		"internal error": {200, rpcRefusal(-32603, "Internal error, please try again"), fault.RPCGarbage},
		"timed out":      {200, rpcRefusal(-32000, "upstream timed out"), fault.RPCGarbage},
		"status 400":     {400, "sorry", nil},
		"unknown error":  {200, rpcRefusal(-32000, "something new"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newBatchNode(t)
			n.refuse = func(int) (int, string) { return tt.status, tt.body }
			p := poolOf(t, nil, n.fakeNode)
			if err := callMany(t, p, 50); !errors.Is(err, tt.want) {
				t.Errorf("%v, want %v", err, tt.want)
			}
			n.set(func() { n.refuse = nil })
			before := n.single.Load()
			for range 5 {
				if err := callMany(t, p, 50); err != nil {
					t.Error(err)
				}
			}
			if extra := n.single.Load() - before; extra != 0 || n.came() != "[50 50 50 50 50 50]" {
				t.Errorf("%d single calls, batches %v", extra, n.came())
			}
		})
	}
}

// A refusal is believed for some minutes: at once when it speaks of batches, when
// it is repeated otherwise.
func TestRefusalsOfBatches(t *testing.T) {
	t.Parallel()
	// What a refused batch held goes singly; the next batch is half as large.
	const sized = "[50 25 12 12 12 12 12 12 2 "
	for name, tt := range map[string]struct {
		status int
		body   string
		fails  int
		sizes  string
	}{
		"words":           {200, rpcRefusal(-32600, "batch requests are not allowed"), 0, "[50]"},
		"words in a page": {400, "batching is disabled", 0, "[50]"},
		"repeated":        {400, "sorry", 0, "[50 50 50]"},
		"repeated error":  {200, rpcRefusal(-32603, "internal error"), 3, "[50 50 50]"},
		"size":            {200, rpcRefusal(-32000, "batch limit exceeded"), 0, sized},
		"status 413":      {413, "no", 0, sized},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newBatchNode(t)
			n.refuse = func(size int) (int, string) {
				if tt.sizes == sized && size <= 12 {
					return 0, ""
				}
				return tt.status, tt.body
			}
			now := time.Unix(1_700_000_000, 0)
			p := poolOf(t, func(o *Options) { o.Now = func() time.Time { return now } }, n.fakeNode)
			failed := 0
			for range 6 {
				if callMany(t, p, 50) != nil {
					failed++
				}
			}
			if got := n.came(); failed != tt.fails || !strings.HasPrefix(got, tt.sizes) {
				t.Errorf("%d failed, batches %s, want %s", failed, got, tt.sizes)
			}
			if most := p.remotes[0].batchSize(); tt.sizes == sized && most != 12 || tt.sizes != sized && most != 1 {
				t.Errorf("it takes %d", most)
			}
			n.set(func() { n.refuse, n.sizes = nil, nil })
			now = now.Add(batchLimitTTL)
			if err := callMany(t, p, 50); err != nil || n.came() != "[50]" {
				t.Errorf("after a while: %v, batches %v", err, n.came())
			}
		})
	}
}
