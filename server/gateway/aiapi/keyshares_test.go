package aiapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/broker"
)

// admitting is a service that admits every key.
type admitting struct{}

func (admitting) Decide(_ context.Context, token string, _ apikeys.Need) (apikeys.Key, error) {
	return apikeys.Key{Name: token}, nil
}

// admittedClient is by what jobs of a key are known that a service admits.
func admittedClient(token string) string { return "key hook:" + apikeys.HashOf(token).String()[:16] }

// TestKeysOfOneNameAreTwoClients: keys that a service gives one name do not count as one client in queues and in what
// orchestrators are paid for clients.
func TestKeysOfOneNameAreTwoClients(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		o.Keys = apikeys.New(apikeys.Options{Decider: oneName{}, Now: time.Now})
	}).serve()
	for _, key := range []string{"one", "two"} {
		n.post("/llm", chatBody, "Authorization", "Bearer "+key).want(t, 200, chatAnswer)
	}
	if j := n.broker.jobs; len(j) != 2 || j[0].Client == j[1].Client {
		t.Errorf("clients %q and %q", j[0].Client, j[1].Client)
	}
}

// TestOneKeyLeavesMemoryToOthers: however many large requests one key has in progress, the requests of another one are
// served. That holds for listed keys and for those that a service admits.
func TestOneKeyLeavesMemoryToOthers(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]apikeys.Options{
		"listed": {Static: []apikeys.Key{{ID: "k-1", Name: "a", Hash: apikeys.HashOf("tk-a")},
			{ID: "k-2", Name: "b", Hash: apikeys.HashOf("tk-b")}}},
		"of a service": {Decider: admitting{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			keys.Now = time.Now
			n := start(t, func(o *aiapi.Options) { o.Keys, o.Limits.Bytes = apikeys.New(keys), 8<<20 }).serve()
			begun, end := make(chan struct{}), make(chan struct{})
			n.broker.answer = func(ctx context.Context, job *inference.Job) (*broker.Answer, error) {
				if job.Client == "key k-2" || job.Client == admittedClient("tk-b") {
					return says(chatAnswer)(ctx, job)
				}
				begun <- struct{}{}
				<-end
				return says(chatAnswer)(ctx, job)
			}
			chat := func(key string, size int) got {
				return n.post("/llm", `{"model":"m/llama","messages":[{"role":"user","content":"`+strings.Repeat("x", size)+
					`"}],"max_tokens":16}`, "Authorization", "Bearer "+key)
			}
			ended := make(chan got)
			inProgress, refused := 0, false
			for !refused {
				go func() { ended <- chat("tk-a", 500<<10) }()
				select {
				case <-begun:
					inProgress++
				case g := <-ended:
					refused = g.status == http.StatusServiceUnavailable
					if !refused {
						t.Fatalf("status %d, %s", g.status, g.body)
					}
				}
			}
			if g := chat("tk-b", 300<<10); g.status != http.StatusOK {
				t.Errorf("another key, alongside %d requests: status %d, %s", inProgress, g.status, g.body)
			}
			close(end)
			for range inProgress {
				if g := <-ended; g.status != http.StatusOK {
					t.Errorf("status %d, %s", g.status, g.body)
				}
			}
			go func() { <-begun }()
			if g := chat("tk-a", 500<<10); g.status != http.StatusOK {
				t.Errorf("afterwards: status %d, %s", g.status, g.body)
			}
		})
	}
}
