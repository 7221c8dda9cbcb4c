package endpoint

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/fault"
)

// fickle is a server that behaves as it is told at the moment.
type fickle struct {
	mu   sync.Mutex
	do   func(w http.ResponseWriter, r *http.Request) // nil behaves
	node *fakeNode
}

func (f *fickle) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	do := f.do
	f.mu.Unlock()
	if do != nil {
		do(w, r)
		return
	}
	f.node.ServeHTTP(w, r)
}

// With one of three endpoints healthy every read succeeds, whatever the other two
// do.
func TestOneHealthyEndpointIsEnough(t *testing.T) {
	t.Parallel()
	behaviors := append(misbehaviors(), misbehavior{name: "behaves"})
	good := newFakeNode(t)
	good.answers["eth_getBlockByHash"] = func([]rawParam) (any, map[string]any) {
		return map[string]any{"number": "0x7", "hash": fmt.Sprintf("0x01%062x", 0), "parentHash": fakeHash(6, 0),
			"timestamp": "0x1", "l1BlockNumber": "0x1"}, nil
	}
	good.answers["eth_sendRawTransaction"] = gives(signedTx(0).Hash().Hex())
	bad := []*fickle{{node: good}, {node: good}}
	var urls []string
	for _, b := range bad {
		server := httptest.NewServer(b)
		t.Cleanup(server.Close)
		urls = append(urls, server.URL)
	}
	urls = append(urls, good.URL)
	rapid.Check(t, func(t *rapid.T) {
		order := rapid.Permutation(urls).Draw(t, "order")
		o := Options{ChainID: 42161, CallTimeout: 2 * time.Second}
		for i, u := range order {
			o.Endpoints = append(o.Endpoints, Endpoint{URL: core.NewSecret(u), Name: fmt.Sprint("endpoint ", i)})
		}
		p, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for range 2 {
			for _, b := range bad {
				m := rapid.SampledFrom(behaviors).Draw(t, "behavior")
				b.mu.Lock()
				b.do = m.do
				b.mu.Unlock()
			}
			name := rapid.SampledFrom([]string{"Head", "HeaderByNumber", "CallContract", "CallBatch", "Logs", "BalanceAt",
				"NonceAt", "EstimateGas", "GasPrice", "Send"}).Draw(t, "method")
			if err := methods(t.Context(), p)[name](); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

// endless sends more than a client should read.
func endless(w http.ResponseWriter, r *http.Request) {
	chunk := make([]byte, 64<<10)
	for i := range chunk {
		chunk[i] = ' '
	}
	for r.Context().Err() == nil {
		if _, err := w.Write(chunk); err != nil {
			return
		}
	}
}

func TestEndlessAnswersBlockNoOther(t *testing.T) {
	t.Parallel()
	bad, good := newFakeNode(t), newFakeNode(t)
	bad.whole = func(w http.ResponseWriter, r *http.Request) bool {
		endless(w, r)
		return true
	}
	p := poolOf(t, nil, bad, good)
	if head, err := p.Head(t.Context()); err != nil || head.Number != 1000 {
		t.Error(head, err)
	}
}

func TestEndlessAnswersCostBoundedMemory(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(endless))
	defer server.Close()
	p, err := New(Options{Endpoints: []Endpoint{{URL: core.NewSecret(server.URL)}}, CallTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = p.Head(t.Context())
	runtime.ReadMemStats(&after)
	if !errors.Is(err, fault.RPCGarbage) {
		t.Fatal(err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8*answerBound {
		t.Errorf("%d MiB for an answer", used>>20)
	}
}

func TestEndpointsWithoutBatches(t *testing.T) {
	t.Parallel()
	for name, refuse := range map[string]func(http.ResponseWriter){
		"status": func(w http.ResponseWriter) { http.Error(w, "no batches", http.StatusBadRequest) },
		"error": func(w http.ResponseWriter) {
			fmt.Fprint(w, `{"id":null,"error":{"code":-32600,"message":"batch requests are not allowed"}}`)
		},
		"error list": func(w http.ResponseWriter) {
			fmt.Fprint(w, `[{"id":null,"error":{"code":-32000,"message":"batch limit exceeded"}}]`)
		},
	} {
		n := newFakeNode(t)
		n.whole = func(w http.ResponseWriter, r *http.Request) bool {
			body := readBody(r)
			if body[0] == '[' {
				refuse(w)
			} else {
				_, _ = w.Write(n.respond(body))
			}
			return true
		}
		n.answers["eth_call"] = func(params []rawParam) (any, map[string]any) {
			if string(params[1]) != `"0x3e8"` {
				return nil, map[string]any{"code": -32602, "message": "another block: " + string(params[1])}
			}
			return "0x01", nil
		}
		p := poolOf(t, nil, n)
		for range 2 {
			results, err := p.CallBatch(t.Context(), 0, make([]ethereum.CallMsg, 20))
			if err != nil || len(results) != 20 || results[19].Err != nil || results[19].Data[0] != 1 {
				t.Errorf("%s: %v, %v", name, results, err)
			}
		}
	}
}
