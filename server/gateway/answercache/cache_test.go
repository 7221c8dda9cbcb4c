package answercache_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/server/gateway/answercache"
	"github.com/tuttinode/tutti/test/coretest"
)

func newCache(bytes int64, keys ...string) (*answercache.Cache, *coretest.Clock) {
	clock := coretest.NewClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	return answercache.New(answercache.Options{Age: time.Hour, Bytes: bytes, Keys: keys, Now: clock.Now}), clock
}

func sum(key, body string) answercache.Sum { return answercache.SumOf(key, "/llm", 1, []byte(body)) }

func TestAge(t *testing.T) {
	t.Parallel()
	c, clock := newCache(1 << 20)
	c.Put(sum("a", "x"), "a", "text/plain", []byte("1"))
	if got, ok := c.Get(sum("a", "x")); !ok || string(got.Body) != "1" || got.ContentType != "text/plain" {
		t.Errorf("%v %+v", ok, got)
	}
	for _, other := range []answercache.Sum{sum("b", "x"), sum("a", "y"), answercache.SumOf("a", "/v1", 1, []byte("x")),
		answercache.SumOf("a", "/llm", 2, []byte("x"))} {
		if _, ok := c.Get(other); ok {
			t.Error("an answer for another request")
		}
	}
	clock.Forward(time.Hour - 1)
	if _, ok := c.Get(sum("a", "x")); !ok {
		t.Error("forgotten too soon")
	}
	clock.Forward(1)
	if _, ok := c.Get(sum("a", "x")); ok {
		t.Error("too old")
	}
}

// A key with many answers displaces its own, the least recently used first.
func TestFull(t *testing.T) {
	t.Parallel()
	const part = 10000
	c, _ := newCache(20 * part)
	body := []byte(strings.Repeat("x", part-512))
	c.Put(sum("small", "0"), "small", "", body)
	for _, n := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		c.Put(sum("large", n), "large", "", body)
		if _, ok := c.Get(sum("large", "a")); !ok {
			t.Fatalf("%s: the answer that is used most is gone", n)
		}
	}
	kept := 0
	for _, n := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		if _, ok := c.Get(sum("large", n)); ok {
			kept++
		}
	}
	if _, ok := c.Get(sum("small", "0")); !ok || kept != 19 {
		t.Errorf("%d answers of the one, the other's %v", kept, ok)
	}
	c.Put(sum("large", "long"), "large", "", make([]byte, c.Limit()+1))
	if _, ok := c.Get(sum("large", "long")); ok {
		t.Error("an answer longer than the limit")
	}
}

func TestServes(t *testing.T) {
	t.Parallel()
	some, _ := newCache(1, "app", "team-*")
	all, _ := newCache(1, "*")
	for name, want := range map[string]bool{"app": true, "team-a": true, "": false, "other": false} {
		if some.Serves(name) != want || !all.Serves(name) {
			t.Errorf("%q: %v %v", name, some.Serves(name), all.Serves(name))
		}
	}
	if (*answercache.Cache)(nil).Serves("app") {
		t.Error("no cache serves")
	}
}

// What is looked for, found and displaced is counted, and nothing is left after Clear.
func TestStats(t *testing.T) {
	t.Parallel()
	c := answercache.New(answercache.Options{Age: time.Hour, Bytes: 20_000, Keys: []string{"*"}, Now: time.Now})
	for i := range 30 {
		c.Put(sum("a", fmt.Sprint(i)), "a", "text/plain", make([]byte, 600))
	}
	_, first := c.Get(sum("a", "0"))
	_, last := c.Get(sum("a", "29"))
	if s := c.Stats(); first || !last || s.Hits != 1 || s.Misses != 1 || s.Evictions != int64(30-s.Answers) ||
		s.Answers == 0 || s.Bytes <= 0 || s.Bytes > 20_000 {
		t.Errorf("%v %v %+v", first, last, s)
	}
	c.Clear()
	if _, ok := c.Get(sum("a", "29")); ok || c.Stats().Bytes != 0 || c.Stats().Answers != 0 {
		t.Errorf("%+v", c.Stats())
	}
	var none *answercache.Cache
	none.Clear()
	if none.Stats() != (answercache.Stats{}) {
		t.Error("no cache has stats")
	}
}
