package batch

import (
	"encoding/json"
	"net/http"
	"strconv"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/pipeline"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/admission"
	"github.com/tuttinode/tutti/server/gateway/chatface"
	"github.com/tuttinode/tutti/server/rpc"
	"github.com/tuttinode/tutti/server/status"
)

// Paths of the API.
const (
	filesPath   = "/v1/files"
	batchesPath = "/v1/batches"
)

// stall is how long a client may take nothing of its answer.
const stall = time.Minute

// call is a client's request.
type call struct {
	w       http.ResponseWriter
	r       *http.Request
	control *http.ResponseController
	owner   apikeys.Hash
}

// Register mounts the routes. mux also serves the lines.
func (s *Server) Register(mux *http.ServeMux) {
	s.handler = mux
	for path, methods := range map[string]map[string]func(*call) error{
		filesPath:                    {http.MethodPost: s.upload, http.MethodGet: s.listFiles},
		filesPath + "/{id}":          {http.MethodGet: s.getFile, http.MethodDelete: s.deleteFile},
		filesPath + "/{id}/content":  {http.MethodGet: s.content},
		batchesPath:                  {http.MethodPost: s.create, http.MethodGet: s.listBatches},
		batchesPath + "/{id}":        {http.MethodGet: s.getBatch},
		batchesPath + "/{id}/cancel": {http.MethodPost: s.cancelBatch},
	} {
		mux.Handle(path, s.route(methods))
	}
}

// Off answers the API's addresses where the gateway keeps no batches.
func Off(mux *http.ServeMux) {
	refusal := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		refuse(w, fault.New(fault.BatchesOff, "find address", "this gateway keeps no files and runs no batches"))
	})
	for _, path := range []string{filesPath, filesPath + "/", batchesPath, batchesPath + "/"} {
		mux.Handle(path, refusal)
	}
}

func (s *Server) route(methods map[string]func(*call) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.serve(&call{w: w, r: r, control: http.NewResponseController(w)}, methods); err != nil {
			refuse(w, err)
		}
	})
}

func (s *Server) serve(c *call, methods map[string]func(*call) error) error {
	const op = "take request"
	if err := admission.CheckEncoding(c.r.Header.Get("Content-Encoding")); err != nil {
		return err
	}
	token := apikeys.BearerToken(c.r.Header.Get("Authorization"))
	if !s.opt.Keys.Required() {
		return fault.New(fault.BatchesNeedKey, op, "files and batches belong to API keys, and this gateway has none")
	}
	from, _ := access.Client(c.r)
	path := filesPath
	if len(c.r.URL.Path) >= len(batchesPath) && c.r.URL.Path[:len(batchesPath)] == batchesPath {
		path = batchesPath
	}
	if err := s.opt.Keys.Use(c.r.Context(), token, path, from); err != nil {
		return err
	}
	if _, listed := s.opt.Keys.State(token); !listed {
		return fault.New(fault.BatchesNeedKey, op,
			"the operator's webhook admits this key for single requests only: a batch needs a key of the gateway's own")
	}
	c.owner = s.opt.Keys.Owner(token)
	method := c.r.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	serve := methods[method]
	if serve == nil {
		allowed := ""
		for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
			if methods[m] != nil && allowed != "" {
				allowed += ", "
			}
			if methods[m] != nil {
				allowed += m
			}
		}
		c.w.Header().Set("Allow", allowed)
		return fault.New(fault.MethodNotAllowed, op, "this address takes "+allowed)
	}
	return serve(c)
}

// errorTypes are OpenAI's types of errors. Read-only.
var errorTypes = map[int]string{
	http.StatusUnauthorized: "authentication_error", http.StatusForbidden: "permission_error",
}

// refuse answers with an error in OpenAI's form.
func refuse(w http.ResponseWriter, err error) {
	type object struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    string  `json:"code"`
	}
	answer := status.HTTP(err)
	code, text := fault.Public(err)
	o := object{Message: text, Type: "invalid_request_error", Code: code}
	if answer >= http.StatusInternalServerError {
		o.Type = "server_error"
	} else if t, ok := errorTypes[answer]; ok {
		o.Type = t
	}
	if field := pipeline.FieldOf(err); field != "" {
		o.Param = &field
	}
	if after, ok := fault.RetryAfter(err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
	}
	w.Header().Set(rpc.CodeHeader, code)
	send(w, answer, map[string]any{"error": o})
}

// send answers with v in JSON.
func send(w http.ResponseWriter, answer int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // nothing that is sent here can fail
		answer, b = http.StatusInternalServerError, []byte(`{"error":{"message":"Internal Server Error"}}`)
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(b)+1))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(stall)) // a transport without deadlines has none to set
	w.WriteHeader(answer)
	_, _ = w.Write(append(b, '\n')) // a client that left needs no answer
	_ = control.Flush()
	_ = control.SetWriteDeadline(time.Time{})
}

// Elements of a page: of batches where a client names none, and at most.
const defaultPage, maxPage = 20, 100

// page is what a client asks of a list.
type page struct {
	limit     int
	after     string
	ascending bool
}

// pageOf reads the query of a list.
func pageOf(r *http.Request, usual, most int) (p page, err error) {
	query := r.URL.Query()
	p = page{limit: usual, after: query.Get("after")}
	if given := query.Get("limit"); given != "" {
		if p.limit, err = strconv.Atoi(given); err != nil || p.limit < 1 || p.limit > most {
			return p, chatface.Refuse("limit", "a whole number from 1 to "+strconv.Itoa(most)+" was expected")
		}
	}
	switch query.Get("order") {
	case "", "desc":
	case "asc":
		p.ascending = true
	default:
		return p, chatface.Refuse("order", `"asc" or "desc" was expected`)
	}
	return p, nil
}

// listed is an element of a list.
type listed struct {
	id      string
	created int64
	object  any
}

// sendPage answers with a part of a list that is sorted, newest first unless asked otherwise.
func sendPage(w http.ResponseWriter, all []listed, p page) error {
	if p.after != "" {
		at := -1
		for i := range all {
			if all[i].id == p.after {
				at = i
			}
		}
		if at < 0 {
			return chatface.Refuse("after", "the list has no such ID")
		}
		all = all[at+1:]
	}
	more := len(all) > p.limit
	all = all[:min(len(all), p.limit)]
	data := make([]any, 0, len(all))
	for _, e := range all {
		data = append(data, e.object)
	}
	out := map[string]any{"object": "list", "data": data, "has_more": more, "first_id": nil, "last_id": nil}
	if len(all) > 0 {
		out["first_id"], out["last_id"] = all[0].id, all[len(all)-1].id
	}
	send(w, http.StatusOK, out)
	return nil
}
