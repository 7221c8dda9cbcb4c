package endpoints

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/gorilla/websocket"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// maxBody is the longest request that is read, in bytes.
const maxBody = 5 << 20

// badGateway is what a load balancer says when what is behind it is gone.
const badGateway = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n" +
	"<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"

// ServeHTTP answers a request of a client, or makes its connection a websocket.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if websocket.IsWebSocketUpgrade(r) {
		e.serveWebsocket(w, r)
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	requests, batch, err := parse(body)
	if err != nil || len(requests) == 0 {
		write(w, encode([]response{reply(nil, nil, &failure{Code: codeParse, Message: "parse error"})}, false))
		return
	}
	methods := methodsOf(requests)
	if e.before(r.Context(), w, methods) {
		return
	}
	after, spoiled := e.faults.happens(methods, control.HalfJSON, control.Reset)
	out := encode(e.answers(r.Context(), requests), batch)
	switch {
	case !spoiled:
		write(w, out)
	case after.Kind == control.HalfJSON:
		write(w, out[:len(out)/2])
	default:
		reset(w)
	}
}

// before answers, or leaves unanswered, requests that meet a fault which they do
// not get past. It reports whether one did.
func (e *Endpoint) before(ctx context.Context, w http.ResponseWriter, methods []string) bool {
	fault, ok := e.faults.happens(methods, control.Hang, control.Slow, control.HTTP429, control.HTTP500, control.HTML502)
	if !ok {
		return false
	}
	switch fault.Kind {
	case control.Hang:
		<-ctx.Done()
		panic(http.ErrAbortHandler)
	case control.Slow:
		return !wait(ctx, time.Duration(fault.Duration))
	default:
		refuse(w, fault.Kind)
	}
	return true
}

// refuse answers a status.
func refuse(w http.ResponseWriter, kind control.Kind) {
	switch kind {
	case control.HTTP429:
		w.Header().Set("Retry-After", "1")
		http.Error(w, `{"message":"Too Many Requests"}`, http.StatusTooManyRequests)
	case control.HTTP500:
		http.Error(w, "Internal Server Error", http.StatusInternalServerError)
	case control.HTML502:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, badGateway)
	}
}

// answers executes requests in their order.
func (e *Endpoint) answers(ctx context.Context, requests []request) []response {
	out := make([]response, len(requests))
	for i, req := range requests {
		out[i] = e.answer(ctx, req)
	}
	return out
}

func methodsOf(requests []request) []string {
	methods := make([]string, len(requests))
	for i := range requests {
		methods[i] = requests[i].Method
	}
	return methods
}

func write(w http.ResponseWriter, body json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// reset breaks the connection so that the client sees it at once.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	breakOff(conn)
}

func breakOff(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// wait lets time pass. It reports whether ctx lasted.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
