package upstream_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/capability"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/gateway/upstream"
)

func TestSubmitRefusals(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		own    bool
		status int
		code   fault.Code // header of our own nodes
		text   string
		says   string // the part that the client gets, if not all
		want   fault.Code
	}{
		"capacity":                  {status: 503, text: "insufficient capacity", want: fault.OrchestratorFull},
		"capacity in other letters": {status: 500, text: "Error: Insufficient Capacity.", want: fault.OrchestratorFull},
		"capped":                    {status: 403, text: "OrchestratorCapped", want: fault.OrchestratorFull},
		"too many":                  {status: 429, text: "", want: fault.OrchestratorFull},
		"ticket params":             {status: 400, text: "TicketParams expired", want: fault.TicketParamsStale},
		"nonce":                     {status: 400, text: "invalid ticket senderNonce", want: fault.TicketNonceRefused},
		"balance":                   {status: 400, text: "Insufficient balance", want: fault.InsufficientBalance},
		"runner's 400": {status: 500, text: "request to runner returned 400: bad", says: "bad",
			want: fault.JobRefused},
		"bad request":              {status: 400, text: "MaxTokens not specified", want: fault.JobRefused},
		"old token":                {status: 403, text: "expired auth token", want: fault.ExpiredAuthToken},
		"token of another process": {status: 403, text: "invalid auth token", want: fault.InvalidAuthToken},
		"other refusal":            {status: 403, text: "incompatible capabilities", want: fault.JobDeclined},
		"no such path":             {status: 404, text: "404 page not found", want: fault.JobDeclined},
		"failure":                  {status: 500, text: "container died", want: fault.JobFailed},
		"proxy without anybody":    {status: 502, text: "<html>", want: fault.JobFailed},
		"redirect":                 {status: 302, text: "", want: fault.AnswerUnreadable},
		"ours: line full": {own: true, status: 503, code: fault.ModelLineFull, text: "insufficient capacity",
			want: fault.ModelLineFull},
		"ours: drains": {own: true, status: 403, code: fault.Draining, text: "OrchestratorCapped",
			want: fault.Draining},
		"ours: token": {own: true, status: 403, code: fault.InvalidAuthToken, text: "invalid auth token",
			want: fault.InvalidAuthToken},
		"ours: no such code":        {own: true, status: 500, code: "Strange", text: "x", want: fault.JobFailed},
		"ours: not a peer's to say": {own: true, status: 401, code: fault.Canceled, text: "x", want: fault.JobDeclined},
		"ours: limit of a key":      {own: true, status: 400, code: "RequestAboveLimit", text: "x", want: fault.JobRefused},
		"ours: our limit": {own: true, status: 400, code: "RequestTooExpensive", text: "x",
			want: fault.JobRefused},
		"ours: ends a job":            {own: true, status: 502, code: fault.TxReverted, text: "x", want: fault.JobFailed},
		"ours: key of another":        {own: true, status: 401, code: "KeyUnknown", text: "x", want: fault.JobDeclined},
		"a code of the others' nodes": {status: 500, code: fault.ModelLineFull, text: "x", want: fault.JobFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				if row.code != "" {
					w.Header().Set("Tutti-Code", string(row.code))
				}
				http.Error(w, row.text, row.status)
			})
			node := ""
			if row.own {
				node = "tutti/1"
			}
			_, err := submit(t, s.URL, node)
			if fault.CodeOf(err) != row.want {
				t.Errorf("%v, want %s", err, row.want)
			}
			said := row.text
			if row.says != "" {
				said = row.says
			}
			if _, text := fault.Public(err); said != "" && !strings.Contains(text, said) {
				t.Errorf("the client is told %q", text)
			}
		})
	}
}

func TestSubmitRefusalIsBounded(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(500)
		io.WriteString(w, strings.Repeat("x", 1<<20))
	})
	_, err := submit(t, s.URL, "")
	if f, _ := errors.AsType[*fault.Fault](err); f == nil || len(f.Detail) > 8<<10 {
		t.Errorf("%.100v", err)
	}
}

func TestSubmitPassesARunnersWordsOn(t *testing.T) {
	t.Parallel()
	s := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(422)
		io.WriteString(w, `{"error":{}}`)
	})
	reply, err := submit(t, s.URL, "tutti/1")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(reply.Body)
	if reply.Status != 422 || string(body) != `{"error":{}}` {
		t.Errorf("%d %q", reply.Status, body)
	}
	if _, err := submit(t, s.URL, ""); !errors.Is(err, fault.JobRefused) {
		t.Errorf("from the existing network: %v", err)
	}
}

func TestSubmitAnswerTypes(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		pipeline capability.ID
		node     string
		typ      string
		want     fault.Code
	}{
		"page":                     {capability.LLM, "", "text/html; charset=utf-8", fault.AnswerUnreadable},
		"page of ours":             {capability.LLM, "tutti/1", "text/html", fault.AnswerUnreadable},
		"llm of any type":          {capability.LLM, "", "text/plain", ""},
		"image pipeline, text":     {capability.TextToImage, "", "text/plain", fault.AnswerUnreadable},
		"image pipeline, JSON":     {capability.TextToImage, "", "application/json", ""},
		"image pipeline of ours":   {capability.TextToImage, "tutti/1", "image/png", ""},
		"image pipeline, no type":  {capability.TextToImage, "", "", fault.AnswerUnreadable},
		"audio pipeline, whatever": {capability.AudioToText, "", "text/plain", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = []string{row.typ}
				io.WriteString(w, "x")
			})
			c := client(t, upstream.Options{})
			j := job()
			j.Model.Capability = row.pipeline
			reply, err := c.Submit(t.Context(), terms(t, c, s.URL, row.node), j)
			if err == nil {
				reply.Body.Close()
			}
			if row.want == "" && err != nil || row.want != "" && !errors.Is(err, row.want) {
				t.Errorf("%v, want %q", err, row.want)
			}
		})
	}
}
