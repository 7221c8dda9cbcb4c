package endpoint

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
)

// fakeNode is a chain endpoint whose answers a test decides.
type fakeNode struct {
	*httptest.Server

	mu      sync.Mutex
	chainID uint64
	head    uint64
	// hashSalt makes the block hashes those of another chain.
	hashSalt byte
	// answers override methods: the raw result, or an error object.
	answers map[string]func(params []json.RawMessage) (result any, rpcErr map[string]any)
	// whole overrides the HTTP exchange; it returns false to go on as usual.
	whole func(w http.ResponseWriter, r *http.Request) bool
	calls map[string]int
}

func newFakeNode(t *testing.T) *fakeNode {
	n := &fakeNode{chainID: 42161, head: 1000, calls: map[string]int{}, answers: map[string]func([]json.RawMessage) (any,
		map[string]any){}}
	n.Server = httptest.NewServer(n)
	t.Cleanup(n.Close)
	return n
}

func (n *fakeNode) set(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

func (n *fakeNode) count(method string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.calls[method]
}

func (n *fakeNode) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	whole := n.whole
	n.mu.Unlock()
	if whole != nil && whole(w, r) {
		return
	}
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(n.respond(body))
}

type fakeRequest struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

func (n *fakeNode) respond(body []byte) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	if strings.HasPrefix(string(body), "[") {
		var all []fakeRequest
		_ = json.Unmarshal(body, &all)
		out := make([]any, len(all))
		for i, one := range all {
			out[len(all)-1-i] = n.answer(one)
		}
		raw, _ := json.Marshal(out)
		return raw
	}
	var one fakeRequest
	_ = json.Unmarshal(body, &one)
	raw, _ := json.Marshal(n.answer(one))
	return raw
}

// answer needs mu.
func (n *fakeNode) answer(r fakeRequest) map[string]any {
	n.calls[r.Method]++
	out := map[string]any{"jsonrpc": "2.0", "id": r.ID}
	if f := n.answers[r.Method]; f != nil {
		result, rpcErr := f(r.Params)
		if rpcErr != nil {
			out["error"] = rpcErr
		} else {
			out["result"] = result
		}
		return out
	}
	switch r.Method {
	case "eth_chainId":
		out["result"] = hex(n.chainID)
	case "eth_blockNumber":
		out["result"] = hex(n.head)
	case "eth_getBlockByNumber":
		out["result"] = n.blockByTag(r.Params)
	case "eth_getBalance", "eth_getTransactionCount", "eth_gasPrice", "eth_maxPriorityFeePerGas", "eth_estimateGas":
		out["result"] = "0x2a"
	case "eth_call", "eth_getCode":
		out["result"] = "0x2a"
	case "eth_getLogs":
		out["result"] = []any{}
	default:
		out["error"] = map[string]any{"code": -32601, "message": "the method " + r.Method + " does not exist"}
	}
	return out
}

func (n *fakeNode) blockByTag(params []json.RawMessage) any {
	var tag string
	_ = json.Unmarshal(params[0], &tag)
	number := n.head
	if tag != "latest" {
		_, _ = fmt.Sscanf(tag, "0x%x", &number)
	}
	if number > n.head {
		return nil
	}
	return n.block(number)
}

func (n *fakeNode) block(number uint64) map[string]any {
	return map[string]any{
		"number": hex(number), "hash": fakeHash(number, n.hashSalt), "parentHash": fakeHash(number-1, n.hashSalt),
		"timestamp": hex(1_700_000_000 + number/4), "l1BlockNumber": hex(number / 48), "baseFeePerGas": "0x989680",
	}
}

func fakeHash(number uint64, salt byte) string { return fmt.Sprintf("0x%02x%062x", salt+1, number) }

func hex(n uint64) string { return fmt.Sprintf("0x%x", n) }

// poolOf makes a pool over fake nodes.
func poolOf(t *testing.T, change func(*Options), nodes ...*fakeNode) *Pool {
	t.Helper()
	o := Options{ChainID: 42161, PollInterval: 50 * time.Millisecond, CallTimeout: 2 * time.Second}
	for i, n := range nodes {
		o.Endpoints = append(o.Endpoints, Endpoint{URL: core.NewSecret(n.URL), Name: string(rune('a' + i))})
	}
	if change != nil {
		change(&o)
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}
