package chatface

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// chatPath is where the gateway serves chat completions.
const chatPath = "/v1/chat/completions"

const (
	// maxQuery bounds the body of a request that the gateway answers with GET, in bytes, and queryTime
	// how long it may take.
	maxQuery  = 64 << 10
	queryTime = 10 * time.Second
	// initialBody is allocated before a body's first byte.
	initialBody = 16 << 10
)

// Handler serves a face's requests through next, which serves the gateway's own. limit is the most
// that is read of a body, in bytes. The body is read when next reads its own, so after next has
// checked the client's key.
func Handler(next http.Handler, face Face, limit int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{call: call{face: face, r: r, limit: limit}, w: w, control: http.NewResponseController(w)}
		if err := admission.CheckEncoding(r.Header.Get("Content-Encoding")); err != nil {
			a.refuseAs(err)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		a.cancel = cancel
		next.ServeHTTP(a, a.call.request(ctx))
		a.finish()
	})
}

// Operations of faults.
const (
	opRead = "read request"
	opMap  = "map answer"
)

// call is a client's request.
type call struct {
	face  Face
	r     *http.Request
	limit int64
	// grow counts memory; nil counts none.
	grow func(n int64) error

	read bool
	conv Conversation
	err  error
	// rest is what next has not read yet of the gateway's own request.
	rest []byte
}

// request returns the gateway's own request.
func (c *call) request(ctx context.Context) *http.Request {
	method, path := http.MethodPost, chatPath
	if router, ok := c.face.(Router); ok {
		method, path = router.Route(c.r)
	}
	r := c.r.Clone(ctx)
	r.Method, r.URL, r.RequestURI = method, &url.URL{Path: path}, path
	r.Body, r.ContentLength, r.TransferEncoding = http.NoBody, 0, nil
	if method == http.MethodPost {
		if c.r.Method != method { // next says which method it takes
			r.Method = c.r.Method
		}
		r.Body, r.ContentLength = &chatBody{c}, -1
		r.Header.Set("Content-Type", "application/json")
	}
	if key := r.Header.Get("X-Api-Key"); key != "" && r.Header.Get("Authorization") == "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	r.Header.Del("X-Api-Key")
	r.Header.Del("Accept-Encoding") // the answer has to be read
	return r
}

// chatBody is the body of the gateway's own request. It reads the client's when it is read first.
type chatBody struct{ call *call }

// Meter has the memory of the client's body counted by the reader of this one.
func (b *chatBody) Meter(grow func(n int64) error) { b.call.grow = grow }

// Read reads the chat. Errors are faults, and those of the client's connection.
func (b *chatBody) Read(p []byte) (int, error) {
	if err := b.call.convert(b.call.limit); err != nil {
		return 0, err
	}
	if len(b.call.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.call.rest)
	b.call.rest = b.call.rest[n:]
	return n, nil
}

// Close leaves the client's body to the server.
func (b *chatBody) Close() error { return nil }

// convert reads and maps the client's body, once.
func (c *call) convert(limit int64) error {
	if c.read {
		return c.err
	}
	c.read = true
	in, err := admission.BodyReader{Limit: limit, Size: c.r.ContentLength, Trust: initialBody, Grow: c.grow}.Read(c.r.Body)
	if errors.Is(err, admission.ErrBodyTooLarge) {
		err = fault.New(fault.RequestTooLarge, opRead,
			"the body is over the limit of "+strconv.FormatInt(limit, 10)+" bytes")
	}
	if err == nil {
		err = c.take(2*int64(len(in)) + mapped(in)) // its parts while they are mapped, and the chat
	}
	if err == nil {
		c.conv, err = c.face.Request(c.r, in)
	}
	if err != nil {
		c.err = err
		return err
	}
	c.rest = c.conv.Chat()
	held := int64(0)
	if h, ok := c.conv.(Holder); ok {
		held = h.Held()
	}
	return c.take(max(0, int64(len(c.rest)-len(in))) + max(0, held-int64(len(in))))
}

// take counts n bytes of memory.
func (c *call) take(n int64) error {
	if c.grow == nil || n == 0 {
		return nil
	}
	return c.grow(n)
}

// convertQuery reads the body of a request that next answered without it.
func (a *answer) convertQuery() error {
	if a.call.read {
		return a.call.err
	}
	_ = a.control.SetReadDeadline(time.Now().Add(queryTime)) // a transport without deadlines has none to set
	err := a.call.convert(min(a.call.limit, maxQuery))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fault.New(fault.RequestSlow, opRead, "the body did not arrive in time")
	}
	_ = a.control.SetReadDeadline(time.Time{})
	if err != nil && fault.CodeOf(err) == fault.Unexpected {
		return fault.Wrap(fault.RequestBroken, opRead, err)
	}
	return err
}

// openAIError is the gateway's own form of an error.
type openAIError struct {
	Error struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
		Status  int     `json:"status,omitempty"`
	} `json:"error"`
}

// errorOf returns err in the gateway's own form.
func errorOf(answer int, err error) (out openAIError) {
	out.Error.Code, out.Error.Message = fault.Public(err)
	out.Error.Type = "server_error"
	if answer < http.StatusInternalServerError {
		out.Error.Type = "invalid_request_error"
	}
	if field := pipeline.FieldOf(err); field != "" {
		out.Error.Param = &field
	}
	return out
}

// refuse answers with an error that is not next's.
func (a *answer) refuse(answer int, err error) {
	a.w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	b, _ := json.Marshal(errorOf(answer, err)) // strings cannot fail
	mime, out := a.call.face.Error(answer, b)
	_ = a.send(answer, mime, out) // a client that left needs no error
}

// refuseAs is refuse with the status of err's code.
func (a *answer) refuseAs(err error) { a.refuse(status.HTTP(err), err) }
