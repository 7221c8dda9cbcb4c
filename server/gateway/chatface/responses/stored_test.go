package responses_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/chatface/responses"
)

// call calls an address of stored responses.
func call(f *responses.Face, method, path, key string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, responses.Path+path, nil)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	w := httptest.NewRecorder()
	f.Stored().ServeHTTP(w, r)
	return w
}

// turn asks and is answered; it returns the response.
func turn(t *testing.T, f *responses.Face, key, fields, message string) object {
	t.Helper()
	return answered(t, mustAsk(t, f, key, `{"model":"m",`+fields+`}`), chatOf(message, "stop"))
}

// A conversation goes on by the ID of its last response, and carries everything but the instructions.
func TestPreviousResponse(t *testing.T) {
	t.Parallel()
	f, clock := newFace()
	first := turn(t, f, "a", `"instructions":"Be brief.","input":"weather?"`,
		`{"reasoning_content":"hm","content":"I ask.","tool_calls":[{"id":"c","function":{"name":"w","arguments":"{}"}}]}`)
	second := turn(t, f, "a", `"previous_response_id":"`+first.ID+`","input":[{"type":"function_call_output",
		"call_id":"c","output":"14"}]`, `{"content":"14 degrees"}`)
	if second.Previous == nil || *second.Previous != first.ID || !second.Store {
		t.Errorf("%+v", second)
	}
	const before = `{"role":"user","content":"weather?"},{"role":"assistant","content":"I ask.","reasoning_content":"hm",
		"tool_calls":[{"id":"c","type":"function","function":{"name":"w","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c","content":"14"},{"role":"assistant","content":"14 degrees"},`
	third := `{"model":"m","instructions":"Be rude.","input":"why?","previous_response_id":"` + second.ID + `"}`
	want := `{"messages":[{"role":"system","content":"Be ` +
		`rude."},` + before + `{"role":"user","content":"why?"}],"model":"m"}`
	sameJSON(t, "the third turn", mustAsk(t, f, "a", third).Chat(), want)

	// A streamed answer is stored like any other, and the same turn may go on twice.
	fourth := check(t, readEvents(t, streamed(t, mustAsk(t, f, "a", strings.Replace(third, "{", `{"stream":true,`, 1)), "",
		delta(`{"content":"so"}`), finish("stop"))))
	want = strings.Replace(want, "Be rude.", "Go on.", 1)
	want = strings.Replace(want,
		`],"model"`, `,{"role":"assistant","content":"so"},{"role":"user","content":"ok"}],"model"`, 1)
	sameJSON(t, "the fifth turn", mustAsk(t, f, "a",
		`{"model":"m","instructions":"Go on.","input":"ok","previous_response_id":"`+fourth.ID+`"}`).Chat(), want)

	// Other keys do not have it, nor this one when it is too old.
	if _, err := ask(f, "b", third); fault.CodeOf(err) != fault.PreviousResponseUnknown ||
		fieldOf(t, err) != "previous_response_id" {
		t.Errorf("another key: %v", err)
	}
	clock.Forward(responses.DefaultStoreAge)
	if _, err := ask(f, "a", third); fault.CodeOf(err) != fault.PreviousResponseUnknown {
		t.Errorf("a day later: %v", err)
	}
}

// Items can be sent by their IDs, those of the input too.
func TestItemReferences(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	o := turn(t, f, "a", `"input":[{"role":"user","content":"hi"}]`, `{"content":"hello"}`)
	asked := strings.Replace(strings.Replace(o.ID, "resp_", "msg_", 1), o.ID[5:], o.ID[5:]+"8000", 1)
	refer := `{"model":"m","input":[{"type":"item_reference","id":"` + asked + `"},{"id":"` + o.Output[0].ID + `"},
		{"role":"user","content":"go on"}]}`
	c := mustAsk(t, f, "a", refer)
	sameJSON(t, "by reference", c.Chat(), `{"messages":[{"role":"user","content":"hi"},
		{"role":"assistant","content":"hello"},{"role":"user","content":"go on"}],"model":"m"}`)
	if _, err := ask(f, "b", refer); err == nil || fieldOf(t, err) != "input[0].id" {
		t.Errorf("another key: %v", err)
	}
	// What was referred to is the new response's own.
	second := answered(t, c, chatOf(`{"content":"ok"}`, "stop"))
	call(f, http.MethodDelete, "/"+o.ID, "a")
	mustAsk(t, f, "a", `{"model":"m","input":"x","previous_response_id":"`+second.ID+`"}`)
	if _, err := ask(f, "a", refer); err == nil {
		t.Error("a deleted response's items are still there")
	}
}

func TestStoredResponses(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	_, body, err := mustAsk(t, f, "a", `{"model":"m","input":"hi"}`).Answer([]byte(chatText))
	if err != nil {
		t.Fatal(err)
	}
	id := readObject(t, body).ID
	if w := call(f, http.MethodGet, "/"+id, "a"); w.Code != http.StatusOK || w.Body.String() != string(body) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	unstored := turn(t, f, "a", `"input":"hi","store":false`, `{"content":"x"}`)
	for _, row := range []struct {
		method, path, key, code string
		status                  int
	}{
		{http.MethodGet, "/" + id, "b", "ResponseUnknown", 404},
		{http.MethodDelete, "/" + id, "b", "ResponseUnknown", 404},
		{http.MethodGet, "/" + id + "/input_items", "b", "ResponseUnknown", 404},
		{http.MethodGet, "/" + id, "", "KeyUnknown", 401}, {http.MethodGet, "/" + id, "c", "KeyUnknown", 401},
		{http.MethodGet, "/" + unstored.ID, "a", "ResponseUnknown", 404}, {http.MethodGet, "/", "a", "ResponseUnknown", 404},
		{http.MethodGet, "/resp_1", "a", "ResponseUnknown", 404},
		{http.MethodGet, "/" + id + "?stream=true", "a", "RequestUnreadable", 400},
		{http.MethodPost, "/" + id, "a", "MethodNotAllowed", 405},
		{http.MethodPost, "/" + id + "/input_items", "a", "MethodNotAllowed", 405},
		{http.MethodPost, "/" + id + "/cancel", "a", "RouteNotFound", 404},
		{http.MethodPost, "/compact", "a", "RouteNotFound", 404}, {http.MethodPost, "/else", "a", "ResponseUnknown", 404},
		{http.MethodGet, "/" + id + "/output_items", "a", "RouteNotFound", 404},
		{http.MethodGet, "/" + id + "/input_items?limit=101", "a", "RequestUnreadable", 400},
		{http.MethodGet, "/" + id + "/input_items?order=up", "a", "RequestUnreadable", 400},
		{http.MethodGet, "/" + id + "/input_items?after=x", "a", "RequestUnreadable", 400},
	} {
		w := call(f, row.method, row.path, row.key)
		var e struct {
			Error struct{ Message, Type, Code string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != row.status || e.Error.Code != row.code ||
			e.Error.Message == "" || e.Error.Type == "" || w.Header().Get("Tutti-Code") != row.code {
			t.Errorf("%s %s of %q: %d %s", row.method, row.path, row.key, w.Code, w.Body)
		}
	}
	w := call(f, http.MethodDelete, "/"+id, "a")
	sameJSON(t, "deleted", w.Body.Bytes(), `{"object":"response","deleted":true,"id":"`+id+`"}`)
	if w := call(f, http.MethodGet, "/"+id, "a"); w.Code != http.StatusNotFound {
		t.Errorf("after it was deleted: %d %s", w.Code, w.Body)
	}
	open, _ := faceWith(responses.Options{Keys: keys{}})
	w = call(open, http.MethodGet, "/"+id, "a")
	if w.Code != 400 || !strings.Contains(w.Body.String(), "ResponsesNotKept") {
		t.Errorf("a gateway without keys: %d %s", w.Code, w.Body)
	}
}

// page is a page of input items.
type page struct {
	Object  string
	Data    []struct{ ID, Type, Role string }
	FirstID string `json:"first_id"`
	LastID  string `json:"last_id"`
	HasMore bool   `json:"has_more"`
}

func TestInputItems(t *testing.T) {
	t.Parallel()
	f, _ := newFace()
	first := turn(t, f, "a", `"input":[{"role":"system","content":"s"},{"type":"message","id":"msg_own","role":"user",
		"content":[{"type":"input_text","text":"hi"}]}]`, `{"content":"hello"}`)
	second := turn(t, f, "a", `"input":"more","previous_response_id":"`+first.ID+`"`, `{"content":"x"}`)
	read := func(query string) (p page, ids string) {
		t.Helper()
		w := call(f, http.MethodGet, "/"+second.ID+"/input_items"+query, "a")
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || p.Object != "list" {
			t.Fatalf("%s: %d %s", query, w.Code, w.Body)
		}
		for _, it := range p.Data {
			ids += " " + it.Role
		}
		return p, ids
	}
	if p, got := read("?order=asc"); got != " system user assistant user" || p.HasMore || p.Data[1].ID != "msg_own" ||
		p.Data[2].ID != first.Output[0].ID || p.FirstID != p.Data[0].ID || p.LastID != p.Data[3].ID {
		t.Errorf("%s %+v", got, p)
	}
	newest, got := read("?limit=2")
	if got != " user assistant" || !newest.HasMore {
		t.Errorf("%s %+v", got, newest)
	}
	if p, got := read("?limit=2&after=" + newest.LastID); got != " user system" || p.HasMore {
		t.Errorf("%s %+v", got, p)
	}
	if p, got := read("?order=asc&after=" + newest.FirstID); got != "" || p.HasMore {
		t.Errorf("%s %+v", got, p)
	}
	w := call(f, http.MethodGet, "/"+first.ID+"/input_items?order=asc&limit=1", "a")
	one := strings.ReplaceAll(first.ID, "resp_", "msg_") + "8000"
	sameJSON(t, "a message", w.Body.Bytes(), fmt.Sprintf(`{"object":"list","data":[{"id":%q,"type":"message",
		"status":"completed","role":"system","content":[{"type":"input_text","text":"s"}]}],"first_id":%[1]q,
		"last_id":%[1]q,"has_more":true}`, one))
}

// An answer that the store has no room for says so, and a key's many and large ones stay bounded.
func TestStoreOfAFaceIsBounded(t *testing.T) {
	t.Parallel()
	f, clock := faceWith(responses.Options{Keys: keys{"a", "b"},
		Limits: responses.StoreLimits{KeyBytes: 64 << 10, PerKey: 8}})
	kept := turn(t, f, "b", `"input":"hi"`, `{"content":"small"}`)
	large := turn(t, f, "a", `"input":"hi"`, `{"content":"`+strings.Repeat("x", 64<<10)+`"}`)
	if large.Store {
		t.Error("an answer above the limit says that it is stored")
	}
	events := check(t, readEvents(t, streamed(t, mustAsk(t, f, "a", streamRequest), "",
		delta(`{"content":"`+strings.Repeat("x", 64<<10)+`"}`), finish("stop"))))
	if events.Store {
		t.Error("so does a streamed one")
	}
	last := turn(t, f, "a", `"input":"0"`, `{"content":"x"}`)
	var all []string
	for i := range 50 {
		all = append(all, last.ID)
		clock.Forward(time.Second)
		last = turn(t, f, "a", fmt.Sprintf(`"input":"%d","previous_response_id":%q`, i, last.ID), `{"content":"x"}`)
		if !last.Store {
			t.Fatalf("turn %d is not stored", i)
		}
	}
	n := 0
	for _, id := range append(all, last.ID) {
		if call(f, http.MethodGet, "/"+id, "a").Code == http.StatusOK {
			n++
		}
	}
	if n != 8 {
		t.Errorf("%d responses of one key are kept", n)
	}
	got := mustAsk(t, f, "a", `{"input":"x","previous_response_id":"`+last.ID+`"}`).Chat()
	if strings.Count(string(got), `"role"`) != 103 {
		t.Errorf("the conversation lost turns: %s", got)
	}
	if call(f, http.MethodGet, "/"+kept.ID, "b").Code != http.StatusOK {
		t.Error("another key lost its response")
	}
}
