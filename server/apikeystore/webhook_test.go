package apikeystore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/server/apikeystore"
)

func TestWebhook(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			URL, Route, Model string
			MaxTokens         int64  `json:"max_tokens"`
			KeySHA256         string `json:"key_sha256"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if in.URL != "https://host/v1/chat/completions" || in.Route != "/v1/chat/completions" || in.Model != "llama" ||
			in.MaxTokens != 10 ||
			in.KeySHA256 != apikeys.HashOf(token).String() || r.Method != http.MethodPost ||
			r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%+v %v", in, r.Header)
		}
		status, body, _ := strings.Cut(token, " ")
		code := 0
		_, _ = fmt.Sscan(status, &code)
		if code == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", body)
		}
		w.Header().Set("Location", "http://elsewhere.invalid/")
		w.WriteHeader(code)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(hook.Close)
	k, _ := running(t, apikeystore.Options{Dir: t.TempDir(), Webhook: hook.URL})
	tests := []struct {
		token string
		want  fault.Code
		name  string
	}{
		{"200", "", "hook-"},
		{`200 {"name":"team","models":["llama"],"rpm":5,"tpm":100,"concurrency":2,"budget":1000,"period":"day",` +
			`"expires":"2999-01-01","manifestID":"x"}`, "", "team"},
		{`200 {"models":["other"]}`, fault.ModelNotAllowed, ""},
		{`200 {"budget":5}`, fault.RequestAboveLimit, ""},
		{`200 {"tpm":5}`, fault.RequestAboveLimit, ""},
		{`200 {"expires":"2020-01-01"}`, fault.KeyExpired, ""},
		{`200 {"name":"a b"}`, fault.KeyWebhookFailed, ""},
		{`200 {"rpm":-5}`, fault.KeyWebhookFailed, ""},
		{`200 {"rpm":"5"}`, fault.KeyWebhookFailed, ""},
		{`200 {"expires":"soon"}`, fault.KeyWebhookFailed, ""},
		{`200 ok`, fault.KeyWebhookFailed, ""},
		{"401 x", fault.KeyUnknown, ""},
		{"402 x", fault.BudgetSpent, ""},
		{"403 x", fault.KeyDenied, ""},
		{"429 7", fault.RateLimited, ""},
		{"302 x", fault.KeyWebhookFailed, ""},
		{"500 x", fault.KeyWebhookFailed, ""},
	}
	for _, tt := range tests {
		grant, err := k.Admit(t.Context(), tt.token, apikeys.Need{URL: "https://host/v1/chat/completions",
			Route: "/v1/chat/completions", Model: "llama", MaxTokens: 10})
		if code := fault.CodeOf(err); err != nil && code != tt.want || err == nil && tt.want != "" {
			t.Errorf("%s: %v, want %s", tt.token, err, tt.want)
		}
		if !strings.HasPrefix(grant.Key(), tt.name) {
			t.Errorf("%s: the key's name is %q", tt.token, grant.Key())
		}
		if after, _ := fault.RetryAfter(err); tt.want == fault.RateLimited && after != 7*time.Second {
			t.Errorf("%s: come back after %v", tt.token, after)
		}
	}
}

func TestWebhookUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	address := strings.Replace(gone.URL, "http://", "http://user:hush@", 1) + "/hush"
	gone.Close()
	k, _ := running(t, apikeystore.Options{Dir: t.TempDir(), Webhook: address})
	_, err := k.Admit(t.Context(), "token-hush", apikeys.Need{})
	want(t, err, fault.KeyWebhookFailed)
	if strings.Contains(err.Error(), "hush") {
		t.Errorf("shows a secret: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = k.Admit(ctx, "token", apikeys.Need{})
	want(t, err, fault.Canceled)
	_, err = k.Admit(t.Context(), "", apikeys.Need{})
	want(t, err, fault.KeyMissing)
}

func TestWebhookWithPassword(t *testing.T) {
	t.Parallel()
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "hush" || r.Header.Get("X-Api-Key") != "token" {
			t.Errorf("%v", r.Header)
		}
	}))
	t.Cleanup(hook.Close)
	k, _ := running(t, apikeystore.Options{Dir: t.TempDir(),
		Webhook: strings.Replace(hook.URL, "http://", "http://me:hush@", 1)})
	_, err := k.Admit(t.Context(), "token", apikeys.Need{})
	want(t, err, "")
}
