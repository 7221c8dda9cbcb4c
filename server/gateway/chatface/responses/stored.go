package responses

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/access"
	"github.com/tuttinode/tutti/server/gateway/chatface"
)

// Path is where responses are made; Stored serves what is below it.
const Path = "/v1/responses"

const (
	opStored = "find response"
	// chunk is how much is written under one deadline, stall how long a client may take nothing.
	chunk = 256 << 10
	stall = time.Minute
	// maxSending is how many of a key may read long stored responses at once.
	maxSending = 4
	// Pages of input items, as OpenAI documents them.
	defaultPage, maxPage = 20, 100
)

// storedInput returns the request's own items as a JSON array, in the form in which they are listed:
// each has an ID, and messages have parts.
func (q *request) storedInput() []byte {
	out := []byte{'['}
	for i, raw := range q.items {
		if i > 0 {
			out = append(out, ',')
		}
		out = q.appendStored(out, raw, i)
	}
	return append(out, ']')
}

func (q *request) appendStored(dst []byte, raw json.RawMessage, number int) []byte {
	var it item
	_ = json.Unmarshal(raw, &it) // messages.item has read it before
	kind := it.kind()
	if it.ID == "" {
		it.ID = itemID(kind, q.id, inputNumber+number)
	}
	dst = appendString(append(dst, `{"id":`...), it.ID)
	dst = append(appendText(dst, "type", kind), `,"status":"completed"`...)
	if kind != typeMessage {
		return append(appendGiven(dst, namedValue{"call_id", it.CallID}, namedValue{"name", it.Name},
			namedValue{"arguments", it.Arguments}, namedValue{"output", it.Output}, namedValue{"summary", it.Summary},
			namedValue{"content", it.Content}), '}')
	}
	dst = appendText(dst, "role", it.Role)
	if kindOf(it.Content) != kindString {
		return append(appendField(dst, "content", it.Content), '}')
	}
	if it.Role == "assistant" {
		dst = appendCompact(append(dst, `,"content":[{"type":"output_text","text":`...), it.Content)
		return append(dst, `,"annotations":[]}]}`...)
	}
	dst = appendCompact(append(dst, `,"content":[{"type":"input_text","text":`...), it.Content)
	return append(dst, "}]}"...)
}

// responseOf returns the ID of the response to which an item's belongs.
func responseOf(item string) (id string, ok bool) {
	_, rest, ok := strings.Cut(item, "_")
	if !ok || len(rest) != 2*idBytes+numberSize {
		return "", false
	}
	return responsePrefix + rest[:2*idBytes], true
}

// itemsOf are the items of a response's turn by ID.
func itemsOf(r StoredResponse) map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	for _, text := range [][]byte{r.Turn.Output, r.Turn.Input} {
		for raw := range elements(text) {
			if id := idOf(raw); out[id] == nil {
				out[id] = raw
			}
		}
	}
	return out
}

// Stored serves the responses that are kept: GET and DELETE of one, and GET of its input items.
func (f *Face) Stored() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := f.serveStored(w, r); err != nil {
			refuse(w, err)
		}
	})
}

func (f *Face) serveStored(w http.ResponseWriter, r *http.Request) error {
	id, below, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Path+"/"), "/")
	owner, keyed := f.owner(r)
	if f.opt.Keys == nil || !f.opt.Keys.Required() {
		return fault.New(fault.ResponsesNotKept, opStored,
			"responses are kept for API keys only, and this gateway has none")
	}
	from, _ := access.Client(r)
	token := apikeys.BearerToken(r.Header.Get("Authorization"))
	if err := f.opt.Keys.Use(r.Context(), token, Path, from); err != nil {
		return err
	}
	found, ok := StoredResponse{}, false
	if keyed {
		found, ok = f.kept.Get(owner, id)
	}
	switch {
	case id == "compact", below == "cancel":
		return fault.New(fault.RouteNotFound, opStored, "the gateway has no such address: it compacts no "+
			"conversations, and has no background responses to cancel")
	case !ok:
		return fault.New(fault.ResponseUnknown, opStored,
			fmt.Sprintf("this key has no response %.80q here: it was not stored, was deleted, or is too old", id))
	}
	switch below {
	case "":
		return f.serveOne(w, r, owner, found)
	case "input_items":
		return f.serveInput(w, r, owner, found)
	}
	return fault.New(fault.RouteNotFound, opStored, "the gateway has no such address; docs/llm.md lists them")
}

// serveOne answers with a response, or deletes it.
func (f *Face) serveOne(w http.ResponseWriter, r *http.Request, owner Owner, found StoredResponse) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		if yes := r.URL.Query().Get("stream"); yes != "" && yes != "false" {
			return chatface.Refuse("stream", "stored responses are not streamed again")
		}
		return f.sendKept(w, r, owner, found.Object)
	case http.MethodDelete:
		f.kept.Delete(owner, found.ID)
		send(w, http.StatusOK,
			append(appendText([]byte(`{"object":"response","deleted":true`), "id", found.ID), '}'))
		return nil
	}
	return wrongMethod(w, "GET, DELETE")
}

func wrongMethod(w http.ResponseWriter, allowed string) error {
	w.Header().Set("Allow", allowed)
	return fault.New(fault.MethodNotAllowed, opStored, "this address takes "+allowed)
}

// serveInput lists the items that a response was made of, those of the turns before it included.
func (f *Face) serveInput(w http.ResponseWriter, r *http.Request, owner Owner, found StoredResponse) error {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return wrongMethod(w, "GET")
	}
	query := r.URL.Query()
	limit := defaultPage
	if given := query.Get("limit"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > maxPage {
			return chatface.Refuse("limit", fmt.Sprintf("a whole number from 1 to %d was expected", maxPage))
		}
		limit = n
	}
	items := inputOf(found.Turn)
	switch order := query.Get("order"); order {
	case "", "desc":
		slices.Reverse(items)
	case "asc":
	default:
		return chatface.Refuse("order", `"asc" or "desc" was expected`)
	}
	if after := query.Get("after"); after != "" {
		i := slices.IndexFunc(items, func(it listed) bool { return it.id == after })
		if i < 0 {
			return chatface.Refuse("after", "the response has no such item")
		}
		items = items[i+1:]
	}
	more := len(items) > limit
	return f.sendKept(w, r, owner, pageOf(items[:min(limit, len(items))], more)...)
}

// listed is an item with its ID.
type listed struct {
	id  string
	raw json.RawMessage
}

// inputOf returns the items that the last turn's answer was made of, oldest first.
func inputOf(last *Turn) (out []listed) {
	var texts [][]byte // newest first
	for t := last; t != nil; t = t.Previous {
		if t != last {
			texts = append(texts, t.Output)
		}
		texts = append(texts, t.Input)
	}
	for _, text := range slices.Backward(texts) {
		for raw := range elements(text) {
			out = append(out, listed{idOf(raw), raw})
		}
	}
	return out
}

// pageOf returns the pieces of a page. The items are those that are kept.
func pageOf(items []listed, more bool) [][]byte {
	out := [][]byte{[]byte(`{"object":"list","data":[`)}
	for i, it := range items {
		if i > 0 {
			out = append(out, []byte{','})
		}
		out = append(out, it.raw)
	}
	end := []byte{']'}
	if len(items) > 0 {
		end = appendText(end, "first_id", items[0].id)
		end = appendText(end, "last_id", items[len(items)-1].id)
	} else {
		end = append(end, `,"first_id":null,"last_id":null`...)
	}
	return append(out, append(strconv.AppendBool(append(end, `,"has_more":`...), more), '}'))
}

// sendKept sends what is kept. A client that reads slowly keeps it in memory when the store has
// dropped it: few of a key may read what is long.
func (f *Face) sendKept(w http.ResponseWriter, r *http.Request, owner Owner, pieces ...[]byte) error {
	if lengthOf(pieces) > chunk {
		leave, err := f.sending.enter(r.Context(), owner)
		if err != nil {
			return err
		}
		defer leave()
	}
	send(w, http.StatusOK, pieces...)
	return nil
}

func lengthOf(pieces [][]byte) (n int) {
	for _, p := range pieces {
		n += len(p)
	}
	return n
}

// send sends an answer in JSON. What is written at once has its own deadline.
func send(w http.ResponseWriter, answer int, pieces ...[]byte) {
	h := w.Header()
	h.Set("Content-Type", mimeJSON)
	h.Set("Content-Length", strconv.Itoa(lengthOf(pieces)))
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(answer)
	control := http.NewResponseController(w)
	for _, body := range pieces {
		for len(body) > 0 {
			_ = control.SetWriteDeadline(time.Now().Add(stall)) // a transport without deadlines has none to set
			n, err := w.Write(body[:min(chunk, len(body))])
			if err != nil {
				return // a client that left needs no answer
			}
			body = body[n:]
		}
	}
	_ = control.SetWriteDeadline(time.Time{})
}
