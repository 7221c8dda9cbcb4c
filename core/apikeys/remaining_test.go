package apikeys_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/core/inference"
)

// What is said to be left is let in, one more is not, and after the reset all of the limit is there.
func TestRatesAreTrue(t *testing.T) {
	t.Parallel()
	const secret = "a secret of the test, long enough"
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1_700_000_000, rapid.Int64Range(0, 1e9-1).Draw(t, "ns"))
		limit := rapid.IntRange(1, 6).Draw(t, "rpm")
		g := apikeys.New(apikeys.Options{Now: func() time.Time { return now }, Static: []apikeys.Key{
			{ID: "k", Name: "app", Hash: apikeys.HashOf(secret), Limits: apikeys.Limits{RPM: limit, TPM: 1000}}}})
		ask := func() (*apikeys.Grant, error) {
			return g.Admit(t.Context(), secret, apikeys.Need{Prompt: 10, MaxTokens: 20})
		}
		var last apikeys.Rates
		for range rapid.IntRange(1, 8).Draw(t, "requests") {
			grant, err := ask()
			if err == nil {
				last = grant.Rates()
				if rapid.Bool().Draw(t, "ends") {
					grant.Settle(inference.Usage{Prompt: 5, Completion: 5}, true)
				}
			}
			now = now.Add(time.Duration(rapid.Int64Range(0, 20e9).Draw(t, "wait")))
		}
		if last.Requests.Limit != int64(limit) || last.Tokens.Limit != 1000 || last.Requests.Reset <= 0 {
			t.Fatalf("%+v", last)
		}
		rates := g.Rates(secret)
		for left := rates.Requests.Remaining; left > 0; left-- {
			if _, err := ask(); err != nil {
				t.Fatalf("%d were left: %v", left, err)
			}
		}
		if _, err := ask(); err == nil {
			t.Fatal("one more than was left is let in")
		}
		now = now.Add(g.Rates(secret).Requests.Reset)
		if r := g.Rates(secret); r.Requests.Remaining != int64(limit) || r.Requests.Reset != 0 {
			t.Fatalf("after the reset: %+v", r)
		}
	})
	g := apikeys.New(apikeys.Options{Now: time.Now})
	if r := g.Rates("other"); r != (apikeys.Rates{}) {
		t.Errorf("%+v", r)
	}
	if r := (*apikeys.Grant)(nil).Rates(); r != (apikeys.Rates{}) {
		t.Errorf("%+v", r)
	}
}
