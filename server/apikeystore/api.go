package apikeystore

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// KeyReader are the gateway's keys. apikeystore.Authorizer and its Store implement them.
type KeyReader interface {
	Known(token string) error
	State(token string) (apikeys.State, bool)
	States() []apikeys.State
	Spend(ctx context.Context, q apikeys.SpendQuery) ([]apikeys.Spend, error)
	Load(ctx context.Context) error
}

// KeyChanger changes keys. Errors are the faults KeyInvalid, KeyNameTaken, KeyNotFound and KeyStoreFailed.
type KeyChanger interface {
	Create(ctx context.Context, k apikeys.Key, now time.Time, random io.Reader) (apikeys.Key, string, error)
	SetLimits(ctx context.Context, which string, now time.Time, f func(*apikeys.Key) error) (apikeys.Key, error)
	Revoke(ctx context.Context, which string, now time.Time) (apikeys.Key, error)
}

// APIOptions make an API. All must be set.
type APIOptions struct {
	Keys  KeyReader
	Store KeyChanger
	Now   func() time.Time
	Rand  io.Reader
}

// API serves the keys' addresses.
type API struct {
	opt     APIOptions
	queries queries
}

// NewAPI makes an API.
func NewAPI(opt APIOptions) *API { return &API{opt: opt, queries: newQueries()} }

// Register adds the addresses.
func (s *API) Register(mux *http.ServeMux) {
	mux.Handle("/v1/keys", s.handler(s.list))
	mux.Handle("/v1/keys/{key}", s.handler(s.one))
	mux.Handle("/v1/usage", s.handler(s.usage))
}

// opManage is the operation of all faults here.
const opManage = "manage API keys"

const (
	// maxAPIBody bounds a request in bytes, apiBodyTime the time in which it has to come.
	maxAPIBody  = 64 << 10
	apiBodyTime = 10 * time.Second
	// apiAnswerTime bounds the time in which a client takes an answer.
	apiAnswerTime = time.Minute
)

// apiCall is a request of a known key.
type apiCall struct {
	w  http.ResponseWriter
	r  *http.Request
	by apikeys.State
}

// handler checks the key of requests.
func (s *API) handler(serve func(c *apiCall) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		token := apikeys.BearerToken(r.Header.Get("Authorization"))
		c := &apiCall{w: w, r: r}
		err := s.known(token, c)
		if err == nil {
			err = serve(c)
		}
		if err != nil {
			refuse(w, err)
		}
	})
}

// known finds the key of a request.
func (s *API) known(token string, c *apiCall) error {
	if token == "" {
		return fault.New(fault.KeyMissing, opManage, "this address wants an API key: send Authorization: Bearer <key>")
	}
	state, ok := s.opt.Keys.State(token)
	if !ok {
		return fault.New(fault.KeyUnknown, opManage, "this API key is not one of the gateway's own")
	}
	if err := s.opt.Keys.Known(token); err != nil {
		return err
	}
	c.by = state
	return nil
}

// admin refuses keys that may not manage keys.
func (c *apiCall) admin() error {
	if c.by.Key.Admin {
		return nil
	}
	return fault.New(fault.KeyNotAdmin, opManage, "this API key may not manage keys")
}

// method says that an address takes others.
func (c *apiCall) method(allowed string) error {
	c.w.Header().Set("Allow", allowed)
	return fault.New(fault.MethodNotAllowed, opManage, "this address takes "+allowed)
}

// list lists keys, or makes one.
func (s *API) list(c *apiCall) error {
	if err := c.admin(); err != nil {
		return err
	}
	switch c.r.Method {
	case http.MethodGet, http.MethodHead:
		rows := []apikeys.Row{}
		for _, state := range s.opt.Keys.States() {
			rows = append(rows, apikeys.NewRow(state.Key, state.Usage, s.opt.Now()))
		}
		slices.SortFunc(rows, func(a, b apikeys.Row) int { return strings.Compare(a.Created+a.ID, b.Created+b.ID) })
		return c.send(http.StatusOK, map[string]any{"object": "list", "data": rows})
	case http.MethodPost:
		return s.create(c)
	}
	return c.method("GET, POST")
}

func (s *API) create(c *apiCall) error {
	in, err := c.read()
	if err != nil {
		return err
	}
	var k apikeys.Key
	if in.Name != nil {
		k.Name = *in.Name
	}
	if k.Name == apikeys.OwnName { // to revoke it would revoke the admin's own
		return fault.New(fault.KeyInvalid, opManage, "name: self stands for the key of the request")
	}
	if err := in.Apply(&k, s.opt.Now()); err != nil {
		return err
	}
	k, secret, err := s.opt.Store.Create(c.r.Context(), k, s.opt.Now(), s.opt.Rand)
	if err != nil {
		return err
	}
	if err := s.opt.Keys.Load(c.r.Context()); err != nil {
		return err
	}
	row := apikeys.NewRow(k, apikeys.Usage{}, s.opt.Now())
	row.Secret = secret
	return c.send(http.StatusCreated, row)
}

// one shows, changes or revokes the key of a name or ID; "self" is the caller's own, which every key may see.
func (s *API) one(c *apiCall) error {
	which := c.r.PathValue("key")
	self := which == apikeys.OwnName || which == c.by.Key.ID || which == c.by.Key.Name
	if read := c.r.Method == http.MethodGet || c.r.Method == http.MethodHead; !self || !read {
		if err := c.admin(); err != nil {
			return err
		}
	}
	if self {
		which = c.by.Key.ID
	}
	switch c.r.Method {
	case http.MethodGet, http.MethodHead:
		state, err := c.by, error(nil)
		if !self { // one of all keys is looked for
			state, err = s.find(which)
		}
		if err != nil {
			return err
		}
		return c.send(http.StatusOK, apikeys.NewRow(state.Key, state.Usage, s.opt.Now()))
	case http.MethodPatch:
		in, err := c.read()
		if err != nil {
			return err
		}
		if in.Name != nil {
			return fault.New(fault.KeyInvalid, opManage, "name: a key keeps its name")
		}
		return s.changed(c)(s.opt.Store.SetLimits(c.r.Context(), which, s.opt.Now(),
			func(k *apikeys.Key) error { return in.Apply(k, s.opt.Now()) }))
	case http.MethodDelete:
		return s.changed(c)(s.opt.Store.Revoke(c.r.Context(), which, s.opt.Now()))
	}
	return c.method("GET, PATCH, DELETE")
}

// changed answers with a key that was changed, which is in force then.
func (s *API) changed(c *apiCall) func(k apikeys.Key, err error) error {
	return func(k apikeys.Key, err error) error {
		if err == nil {
			err = s.opt.Keys.Load(c.r.Context())
		}
		if err != nil {
			return err
		}
		state, err := s.find(k.ID)
		if err != nil {
			return err
		}
		return c.send(http.StatusOK, apikeys.NewRow(k, state.Usage, s.opt.Now()))
	}
}

// find returns the key of an ID or name; of several the one that is not revoked.
func (s *API) find(which string) (found apikeys.State, err error) {
	err = fault.New(fault.KeyNotFound, opManage, "no key has this name or ID")
	for _, state := range s.opt.Keys.States() {
		if state.Key.ID != which && state.Key.Name != which {
			continue
		}
		if err != nil || state.Key.Revoked.IsZero() {
			found, err = state, nil
		}
	}
	return found, err
}

// send answers with JSON.
func (c *apiCall) send(code int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Unexpected, opManage, err)
	}
	return c.write(code, "application/json", append(b, '\n'))
}

func (c *apiCall) write(code int, mime string, b []byte) error {
	// A transport without deadlines has none to set, and a client that left needs no answer.
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(apiAnswerTime))
	c.w.Header().Set("Content-Type", mime)
	c.w.WriteHeader(code)
	_, _ = c.w.Write(b)
	return nil
}

// refuse answers with an error in OpenAI's form.
func refuse(w http.ResponseWriter, err error) {
	code, text := fault.Public(err)
	answer, kind := status.HTTP(err), "server_error"
	switch {
	case answer == http.StatusUnauthorized:
		kind = "authentication_error"
	case answer == http.StatusForbidden:
		kind = "permission_error"
	case answer < http.StatusInternalServerError:
		kind = "invalid_request_error"
	}
	b, _ := json.Marshal(map[string]any{"error": map[string]any{"message": text, "type": kind, "param": nil,
		"code": code}}) // texts cannot fail
	w.Header().Set(rpc.CodeHeader, string(fault.CodeOf(err)))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(answer)
	_, _ = w.Write(append(b, '\n'))
}
