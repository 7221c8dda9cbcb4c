package aiapi_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
	"github.com/tuttinode/tutti/server/gateway/answercache"
)

// cachedFor wants a cache for these keys.
func cachedFor(keys ...string) func(*aiapi.Options) {
	return func(o *aiapi.Options) {
		o.Cache = answercache.New(answercache.Options{Age: time.Hour, Bytes: 1 << 20, Keys: keys, Now: time.Now})
	}
}

// The same request gets the same answer without a model, and costs its key no tokens.
func TestCachedAnswers(t *testing.T) {
	t.Parallel()
	const all = event1 + event2 + lastEvent + done
	long := strings.Replace(chatAnswer, "hello", strings.Repeat("hello", 10000), 1)
	for name, tt := range map[string]struct{ path, body, answer string }{
		"chat":   {"/v1/chat/completions", chatBody, chatAnswer},
		"llm":    {"/llm", chatBody, chatAnswer},
		"long":   {"/llm", chatBody, long},
		"stream": {"/llm", streamBody, all},
		"embeddings": {"/v1/embeddings", `{"model":"m/e","input":"a"}`,
			`{"data":[{"embedding":[0.5]}],"usage":{"prompt_tokens":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := start(t, func(o *aiapi.Options) {
				withKey(budgeted(1000))(o)
				cachedFor("team")(o)
			}).serve()
			n.broker.answer = says(tt.answer)
			if tt.body == streamBody {
				n.broker.answer = streams(io.EOF, event1, event2, lastEvent)
			}
			var used []any
			for _, want := range []string{"miss", "hit", "hit"} {
				g := n.post(tt.path, tt.body, "Authorization", bearer)
				g.want(t, 200, tt.answer)
				if got := g.header.Get("Tutti-Cache"); got != want {
					t.Errorf("Tutti-Cache is %q, not %q", got, want)
				}
				if (g.header.Get("Age") != "") != (want == "hit") {
					t.Errorf("Age %q", g.header.Get("Age"))
				}
				used = append(used, n.settled().Usage.Used)
			}
			if len(n.broker.jobs) != 1 || used[0] != used[2] || used[0] == 0 {
				t.Errorf("%d jobs, used %v", len(n.broker.jobs), used)
			}
			other := strings.Replace(tt.body, "{", "{ ", 1)
			n.post(tt.path, other, "Authorization", bearer).want(t, 200, tt.answer)
			if len(n.broker.jobs) != 2 {
				t.Error("another request got the answer")
			}
		})
	}
}

// oneName is a webhook that gives all keys one name.
type oneName struct{}

func (oneName) Decide(context.Context, string, apikeys.Need) (apikeys.Key, error) {
	return apikeys.Key{Name: "team"}, nil
}

// Keys of one name, which a webhook may give to many, do not get one another's answers.
func TestKeysOfOneNameShareNoAnswers(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		o.Keys = apikeys.New(apikeys.Options{Decider: oneName{}, Now: time.Now})
		cachedFor("team")(o)
	}).serve()
	for i, key := range []string{"one", "two", "one"} {
		n.post("/llm", chatBody, "Authorization", "Bearer "+key).want(t, 200, chatAnswer)
		if want := min(i+1, 2); len(n.broker.jobs) != want {
			t.Errorf("request %d: %d jobs, want %d", i, len(n.broker.jobs), want)
		}
	}
}

// A client may ask for a fresh answer, and that it is not kept.
func TestCacheControl(t *testing.T) {
	t.Parallel()
	n := start(t, cachedFor("*")).serve()
	for i, step := range []struct {
		control string
		jobs    int
	}{{"no-store", 1}, {"", 2}, {"", 2}, {"max-age=0", 3}, {"private, No-Cache", 4}, {"no-store", 5}, {"", 5}} {
		n.post("/llm", chatBody, "Cache-Control", step.control).want(t, 200, chatAnswer)
		if len(n.broker.jobs) != step.jobs {
			t.Errorf("step %d: %d jobs", i, len(n.broker.jobs))
		}
	}
}

// Keys that are not named, and answers that are not whole, are not served from the cache.
func TestNotCached(t *testing.T) {
	t.Parallel()
	n := start(t, func(o *aiapi.Options) {
		withKey(apikeys.Limits{})(o)
		cachedFor("other")(o)
	}).serve()
	for range 2 {
		g := n.post("/llm", chatBody, "Authorization", bearer)
		g.want(t, 200, chatAnswer)
		if got := g.header.Get("Tutti-Cache"); got != "" {
			t.Errorf("Tutti-Cache %q", got)
		}
	}
	if len(n.broker.jobs) != 2 {
		t.Errorf("%d jobs", len(n.broker.jobs))
	}
	n = start(t, cachedFor("*")).serve()
	n.broker.answer = streams(errors.New("reset"), event1)
	n.post("/llm", streamBody)
	n.broker.answer = streams(io.EOF, event1, event2, lastEvent)
	n.post("/llm", streamBody).want(t, 200, event1+event2+lastEvent+done)
	if len(n.broker.jobs) != 2 {
		t.Errorf("%d jobs", len(n.broker.jobs))
	}
}
