package aiapi

import (
	"net/http"
	"sync"
	"time"
)

// keepAliveComment is sent while a client waits for its stream to begin. Event readers ignore
// comments; proxies in between see that the connection is alive.
const keepAliveComment = ": waiting\n\n"

// keepAlive sends comments to a client that waits for a stream. The timer's goroutine and the
// handler both write; mu serializes them, and after stop only the handler writes.
//
// The zero value with request set is ready, and can be used again after stop.
type keepAlive struct {
	request *relayedRequest

	mu      sync.Mutex
	timer   *time.Timer // guarded by mu
	waiting bool        // guarded by mu
	// tickPending: the timer had fired when it was stopped, so its tick may still run.
	tickPending bool // guarded by mu
	// committed: status 200 and the stream's headers were sent. Guarded by mu until stop.
	committed bool
}

// start starts the timer.
func (k *keepAlive) start() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting = true
	every := k.request.server.opt.Limits.KeepAlive
	if k.timer == nil {
		k.timer = time.AfterFunc(every, k.tick)
	} else {
		k.timer.Reset(every)
	}
}

// stop ends the comments.
func (k *keepAlive) stop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.waiting {
		return
	}
	k.waiting = false
	if !k.timer.Stop() {
		k.tickPending = true
	}
}

// tick sends one comment.
func (k *keepAlive) tick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.waiting {
		return
	}
	k.request.beginStream("")
	if k.request.write(time.Now(), []byte(keepAliveComment)) == nil {
		k.timer.Reset(k.request.server.opt.Limits.KeepAlive)
	}
	// On an error the client is gone or stuck; the handler will notice.
}

// reusable reports whether no tick can run any more.
func (k *keepAlive) reusable() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.tickPending && !k.waiting
}

// beginStream sends status 200 and the headers of a stream, once.
func (x *relayedRequest) beginStream(contentType string) {
	if x.keepAlive.committed {
		return
	}
	x.keepAlive.committed = true
	if contentType == "" {
		contentType = eventStream
	}
	h := x.w.Header()
	h["Content-Type"] = []string{contentType}
	h["Cache-Control"] = noCache
	// Without it nginx buffers the events.
	h["X-Accel-Buffering"] = noBuffering
	x.rateHeaders()
	x.stats.Status = http.StatusOK
	x.w.WriteHeader(http.StatusOK)
}

// Values of headers, made once. Read-only.
var (
	noCache     = []string{"no-cache"}
	noBuffering = []string{"no"}
	jsonType    = []string{"application/json"}
)

// eventStream is the media type of server-sent events.
const eventStream = "text/event-stream"
