package aiapi

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/server/gateway/answercache"
)

// cacheHeader says whether an answer was kept from before.
const cacheHeader = "Tutti-Cache"

// keptAnswer collects an answer for the cache while it is sent. The zero value collects none.
type keptAnswer struct {
	on          bool
	sum         answercache.Sum
	contentType string
	body        []byte
}

// serveCached answers from the cache, if it has the answer; else the answer is collected for it where the
// client allows that.
func (x *relayedRequest) serveCached(body []byte) bool {
	cache := x.server.opt.Cache
	if !cache.Serves(x.stats.Key) {
		return false
	}
	fresh, store := cacheControl(x.r.Header)
	sum := answercache.SumOf(x.grant.ID(), x.route.path, x.guards.Version, body) // a webhook may give many keys one name
	if !fresh {
		if a, ok := cache.Get(sum); ok {
			x.sendCached(a)
			return true
		}
	}
	x.kept = keptAnswer{on: store, sum: sum}
	x.w.Header()[cacheHeader] = []string{"miss"}
	return false
}

// cacheControl returns what the client wants: a fresh answer, and whether it may be kept.
func cacheControl(h http.Header) (fresh, store bool) {
	store = true
	for _, line := range h["Cache-Control"] {
		for word := range strings.SplitSeq(line, ",") {
			switch strings.ToLower(strings.TrimSpace(word)) {
			case "no-cache", "max-age=0":
				fresh = true
			case "no-store":
				fresh, store = true, false
			}
		}
	}
	return fresh, store
}

// sendCached sends a kept answer. The request costs its key nothing but its place in the limit of requests.
func (x *relayedRequest) sendCached(a answercache.Answer) {
	h := x.w.Header()
	h[cacheHeader] = []string{"hit"}
	age := max(0, x.server.opt.Now().Sub(a.Made)/time.Second)
	h["Age"] = []string{strconv.FormatInt(int64(age), 10)}
	h[costWeiHeader], h[costUSDHeader] = []string{"0"}, []string{"0"}
	x.stats.Units, x.cost.billed, x.stats.FirstByte = 0, 0, time.Since(x.began)
	x.stats.Usage = inference.Usage{}
	x.sendWhole(http.StatusOK, a.ContentType, a.Body)
}

// collectAnswer adds a piece that is sent to the answer that is kept. Where memory is short it is not kept.
func (x *relayedRequest) collectAnswer(contentType string, p []byte) {
	k := &x.kept
	if !k.on {
		return
	}
	if len(k.body)+len(p) > x.server.opt.Cache.Limit() || x.grow(int64(len(p))) != nil {
		*k = keptAnswer{}
		return
	}
	k.contentType = contentType
	k.body = append(k.body, p...)
}

// keepAnswer keeps an answer that was sent to its end.
func (x *relayedRequest) keepAnswer() {
	if k := &x.kept; k.on && x.err == nil && x.complete && x.stats.Status == http.StatusOK && len(k.body) > 0 {
		x.server.opt.Cache.Put(k.sum, x.grant.ID(), k.contentType, append([]byte(nil), k.body...))
	}
}
