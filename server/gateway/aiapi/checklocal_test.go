package aiapi_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/core/apikeys"
	"github.com/tuttinode/tutti/server/gateway/aiapi"
)

// noKeys is a store of keys without any, or with some.
type noKeys struct{ required bool }

func (noKeys) Admit(context.Context, string, apikeys.Need) (*apikeys.Grant, error) { return nil, nil }
func (noKeys) Permits(context.Context, string, apikeys.Need) error                 { return nil }
func (noKeys) Verified(string) bool                                                { return true }
func (noKeys) Known(string) error                                                  { return nil }
func (n noKeys) Required() bool                                                    { return n.required }

// Without a key only this machine is served; with one, the key decides.
func TestLocalUntilThereIsAKey(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		peer     string
		required bool
		refused  bool
	}{
		{"192.0.2.1:1000", false, true}, {"[2001:db8::1]:1000", false, true}, {"", false, true},
		{"127.0.0.1:1000", false, false}, {"[::1]:1000", false, false}, {"[::ffff:127.0.0.1]:1000", false, false},
		{"192.0.2.1:1000", true, false},
	} {
		f, err := aiapi.New(aiapi.Options{Dispatcher: &dispatcher{}, Keys: noKeys{row.required}})
		if err != nil {
			t.Fatal(err)
		}
		mux := http.NewServeMux()
		f.Register(mux)
		r := httptest.NewRequest(http.MethodGet, "/v1/models", nil)
		r.RemoteAddr = row.peer
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		if got := w.Code == http.StatusForbidden; got != row.refused ||
			row.refused != strings.Contains(w.Body.String(), "KeysNotConfigured") {
			t.Errorf("%+v: %d %s", row, w.Code, w.Body)
		}
		f.Close()
	}
}
