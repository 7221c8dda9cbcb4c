package gateway

import (
	"net/http"
	"time"
)

// boundUnread lets nobody keep a connection by announcing a body that does not
// come. Before an answer goes out the server reads what its handler left unread,
// without a deadline of its own: refusals, and handlers that want no body, would
// wait for ever. Handlers that read set deadlines as they go, and the server takes
// the deadline away once it has seen the body's end.
func boundUnread(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		// A transport without deadlines has none to set.
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(patience))
		next.ServeHTTP(w, r)
		// The handler may have run for longer, or have lifted the deadline and then
		// refused the rest.
		_ = control.SetReadDeadline(time.Now().Add(patience))
	})
}
