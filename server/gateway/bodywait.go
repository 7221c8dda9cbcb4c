package gateway

import (
	"net/http"
	"time"
)

// boundBodyWait prevents clients from holding a connection by announcing a body that they do not
// send. Before an answer the server reads the rest of the body without a deadline of its own, so
// refusals, and handlers that want no body, would wait forever. Handlers that read set deadlines
// as they go, and the server clears the deadline once it has seen the end of the body.
func boundBodyWait(patience time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		// A transport without deadlines has none to set.
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(patience))
		next.ServeHTTP(w, r)
		// The handler may have run for longer, or have cleared the deadline and then refused the
		// rest.
		_ = control.SetReadDeadline(time.Now().Add(patience))
	})
}
