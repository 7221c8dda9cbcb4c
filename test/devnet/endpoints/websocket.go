package endpoints

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	"github.com/tuttinode/tutti/test/devnet/control"
)

// session is a client's websocket.
type session struct {
	*Endpoint
	conn  *websocket.Conn
	tasks sync.WaitGroup

	mu      sync.Mutex // guards subs, and one message is written after the other
	subs    map[string]context.CancelFunc
	lastSub uint64
}

// serveWebsocket talks to a client until one side leaves.
func (e *Endpoint) serveWebsocket(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if e.before(ctx, w, []string{"websocket"}) {
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the client got the status
	}
	if !e.conns.add(conn) {
		return
	}
	defer e.conns.remove(conn)
	if ctx.Err() != nil {
		return // the endpoint has closed, and perhaps opened again
	}
	conn.SetReadLimit(maxBody)
	s := &session{Endpoint: e, conn: conn, subs: make(map[string]context.CancelFunc)}
	for {
		_, body, err := conn.ReadMessage()
		if err != nil {
			break
		}
		s.tasks.Go(func() { s.handle(ctx, body) })
	}
	cancel()
	s.tasks.Wait()
}

// handle answers one message.
func (s *session) handle(ctx context.Context, body []byte) {
	requests, batch, err := parse(body)
	if err != nil || len(requests) == 0 {
		s.write(encode([]response{reply(nil, nil, &failure{Code: codeParse, Message: "parse error"})}, false))
		return
	}
	methods := methodsOf(requests)
	if s.swallow(ctx, methods) {
		return
	}
	after, spoiled := s.faults.happens(methods, control.HalfJSON, control.Reset)
	var answers []response
	var started []func()
	for _, req := range requests {
		answer, start := s.dispatch(ctx, req)
		answers = append(answers, answer)
		if start != nil {
			started = append(started, start)
		}
	}
	switch out := encode(answers, batch); {
	case !spoiled:
		s.write(out)
	case after.Kind == control.HalfJSON:
		s.write(out[:len(out)/2])
	default:
		breakOff(s.conn.UnderlyingConn())
	}
	for _, start := range started {
		start() // a subscription's first event comes after its answer
	}
}

// swallow meets a message with a fault that it does not get past.
func (s *session) swallow(ctx context.Context, methods []string) bool {
	fault, ok := s.faults.happens(methods, control.Hang, control.Slow, control.HTTP429, control.HTTP500, control.HTML502)
	switch {
	case !ok:
		return false
	case fault.Kind == control.Hang:
		return true
	case fault.Kind == control.Slow:
		return !wait(ctx, time.Duration(fault.Duration))
	default:
		breakOff(s.conn.UnderlyingConn())
		return true
	}
}

// dispatch answers a request; what the function starts follows the answer.
func (s *session) dispatch(ctx context.Context, req request) (response, func()) {
	switch req.Method {
	case "eth_subscribe":
		return s.subscribe(ctx, req)
	case "eth_unsubscribe":
		return s.unsubscribe(req), nil
	default:
		return s.answer(ctx, req), nil
	}
}

// writeTime is how long a client may take to take a message.
const writeTime = 10 * time.Second

func (s *session) write(body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(writeTime))
	if s.conn.WriteMessage(websocket.TextMessage, body) != nil {
		_ = s.conn.Close()
	}
}
