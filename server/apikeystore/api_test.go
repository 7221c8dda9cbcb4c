package apikeystore_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/apikeystore"
)

var apiNow = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// apiRig is a gateway's keys on disk, with an admin key and another one.
type apiRig struct {
	*testing.T
	keys        *apikeystore.Authorizer
	mux         *http.ServeMux
	admin, user string
}

func startAPI(t *testing.T) *apiRig {
	t.Helper()
	keys, err := apikeystore.New(t.Context(), apikeystore.Options{Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return apiNow }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Store().Close() })
	r := &apiRig{T: t, keys: keys, mux: http.NewServeMux()}
	for name, to := range map[string]*string{"boss": &r.admin, "app": &r.user} {
		k := apikeys.Key{Name: name, Admin: name == "boss"}
		_, secret, err := keys.Store().Create(t.Context(), k, apiNow, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		*to = secret
	}
	if err := keys.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	apikeystore.NewAPI(apikeystore.APIOptions{Keys: keys, Store: keys.Store(), Now: func() time.Time { return apiNow },
		Rand: rand.Reader}).Register(r.mux)
	return r
}

// do sends a request, and reads an answer of a status.
func (r *apiRig) do(token, method, path, body string, want int) (out map[string]any, text string) {
	r.Helper()
	req := httptest.NewRequestWithContext(r.Context(), method, path, strings.NewReader(body))
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	r.mux.ServeHTTP(w, req)
	text = w.Body.String()
	if w.Code != want {
		r.Fatalf("%s %s: %d %s, want %d", method, path, w.Code, text, want)
	}
	_ = json.Unmarshal(w.Body.Bytes(), &out) // some answers are lines
	return out, text
}

// An admin key makes, changes and revokes keys, at once; another key sees itself and nothing else.
func TestKeysOverHTTP(t *testing.T) {
	t.Parallel()
	r := startAPI(t)
	made, _ := r.do(r.admin, "POST", "/v1/keys",
		`{"name":"new","models":["llama*"],"rpm":5,"budget_wei":"1000","budget_usd":0.5,"period":"day","alert":80}`, 201)
	secret, _ := made["secret"].(string)
	if made["budget_wei"] != "1000" || made["budget_usd"] != "0.5" || made["period"] != "day" || len(secret) < 40 {
		t.Fatal(made)
	}
	self, text := r.do(secret, "GET", "/v1/keys/self", "", 200)
	if self["name"] != "new" || strings.Contains(text, secret) {
		t.Error(text)
	}
	changed, _ := r.do(r.admin, "PATCH", "/v1/keys/new", `{"rpm":7,"budget_usd":"0"}`, 200)
	if changed["rpm"] != 7.0 || changed["budget_usd"] != "0" || changed["budget_wei"] != "1000" {
		t.Error(changed)
	}
	if list, text := r.do(r.admin, "GET", "/v1/keys", "", 200); len(list["data"].([]any)) != 3 ||
		strings.Contains(text, "tk-") {
		t.Error(text)
	}
	if gone, _ := r.do(r.admin, "DELETE", "/v1/keys/new", "", 200); gone["state"] != "revoked" {
		t.Error(gone)
	}
	r.do(secret, "GET", "/v1/keys/self", "", 401)
	for _, row := range []struct {
		token, method, path, body string
		want                      int
	}{
		{"", "GET", "/v1/keys", "", 401}, {"tk-wrong", "GET", "/v1/keys", "", 401},
		{r.user, "GET", "/v1/keys", "", 403}, {r.user, "POST", "/v1/keys", `{"name":"x"}`, 403},
		{r.user, "GET", "/v1/keys/boss", "", 403}, {r.user, "PATCH", "/v1/keys/self", `{"rpm":9}`, 403},
		{r.user, "DELETE", "/v1/keys/app", "", 403}, {r.user, "GET", "/v1/usage?key=boss", "", 403},
		{r.admin, "GET", "/v1/keys/nobody", "", 404}, {r.admin, "PUT", "/v1/keys/app", "", 405},
		{r.admin, "POST", "/v1/keys", `{"name":"app"}`, 400}, {r.admin, "POST", "/v1/keys", `{"name":"self"}`, 400},
		{r.admin, "POST", "/v1/keys", `{"name":"y","rmp":1}`, 400},
		{r.admin, "POST", "/v1/keys", `{"name":"y","budget_wei":-1}`, 400}, {r.admin, "POST", "/v1/keys", `{} {}`, 400},
		{r.admin, "POST", "/v1/keys", `{"name":"` + strings.Repeat("a", 70<<10) + `"}`, 400},
		{r.admin, "PATCH", "/v1/keys/app", `{"alert":80}`, 400}, {r.admin, "GET", "/v1/usage?by=hour", "", 400},
		{r.admin, "GET", "/v1/usage?format=xml", "", 400}, {r.admin, "GET", "/v1/usage?from=soon", "", 400},
	} {
		if out, text := r.do(row.token, row.method, row.path, row.body, row.want); out["error"] == nil {
			t.Errorf("%s %s: %s", row.method, row.path, text)
		}
	}
}

// A key sees what it spent itself, an admin key what all spent, as JSON, as lines and as CSV.
func TestUsageOverHTTP(t *testing.T) {
	t.Parallel()
	r := startAPI(t)
	app, _ := r.keys.State(r.user)
	for name, id := range map[string]string{"app": app.Key.ID, "other": "k-0000000000"} {
		r.keys.Spent(&apikeys.Spend{SpendKey: apikeys.SpendKey{Day: "2026-03-04", ID: id, Name: name, Pipeline: "llm",
			Model: "m", User: "u", Tags: "x"}, Requests: 1, Paid: core.NewWei(40), Lost: core.NewWei(1)})
	}
	own, _ := r.do(r.user, "GET", "/v1/usage?by=user,tag", "", 200)
	rows := own["data"].([]any)
	if len(rows) != 1 || rows[0].(map[string]any)["paid_wei"] != "40" || rows[0].(map[string]any)["user"] != "u" {
		t.Error(own)
	}
	if _, text := r.do(r.admin, "GET", "/v1/usage?format=jsonl", "", 200); strings.Count(text, "\n") != 2 ||
		!strings.Contains(text, `"key":"other"`) {
		t.Error(text)
	}
	if _, text := r.do(r.admin, "GET", "/v1/usage?format=csv&by=day", "", 200); !strings.Contains(text, ",80,2,") {
		t.Error(text)
	}
	if one, _ := r.do(r.admin, "GET", "/v1/usage?key=app", "", 200); len(one["data"].([]any)) != 1 {
		t.Error(one)
	}
}

// slowSpend holds queries until a test lets them go on.
type slowSpend struct {
	apikeystore.KeyReader
	asked, goOn chan struct{}
}

func (s *slowSpend) Spend(context.Context, apikeys.SpendQuery) ([]apikeys.Spend, error) {
	s.asked <- struct{}{}
	<-s.goOn
	return nil, nil
}

// What a key asks about what it spent at once is bounded, and delays no other key.
func TestQueriesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	r := startAPI(t)
	slow := &slowSpend{r.keys, make(chan struct{}), make(chan struct{})}
	r.mux = http.NewServeMux()
	apikeystore.NewAPI(apikeystore.APIOptions{Keys: slow, Store: r.keys.Store(), Now: func() time.Time { return apiNow },
		Rand: rand.Reader}).Register(r.mux)
	ended := make(chan int)
	ask := func(token string) {
		req := httptest.NewRequestWithContext(r.Context(), "GET", "/v1/usage", nil)
		req.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		r.mux.ServeHTTP(w, req)
		ended <- w.Code
	}
	for _, token := range []string{r.user, r.user, r.admin} {
		go ask(token)
		<-slow.asked
	}
	go ask(r.user)
	select {
	case code := <-ended:
		if code != http.StatusTooManyRequests {
			t.Errorf("the third of a key: %d", code)
		}
	case <-slow.asked:
		t.Error("a third of a key goes on")
		slow.goOn <- struct{}{}
		<-ended
	}
	for range 3 {
		slow.goOn <- struct{}{}
		if code := <-ended; code != http.StatusOK {
			t.Errorf("status %d", code)
		}
	}
}
