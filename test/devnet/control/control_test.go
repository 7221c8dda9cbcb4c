package control_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tuttinode/tutti/test/devnet/control"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve answers every request with one text.
func serve(t testing.TB, text string) *control.Client {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	client := control.New(server.URL)
	t.Cleanup(client.Close)
	return client
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, wrong string }{
		{"a number", `{"jsonrpc":"2.0","id":1,"result":7}`, ""},
		{"a refusal", `{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"there are only 3"}}`,
			"devnet_mine: there are only 3"},
		{"another kind", `{"jsonrpc":"2.0","id":1,"result":"seven"}`, "devnet_mine"},
		{"a page", `<html>`, "no JSON-RPC"},
		{"nothing", ``, "no JSON-RPC"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, err := serve(t, tt.text).Mine(t.Context(), 1)
			switch {
			case tt.wrong == "" && (err != nil || n != 7):
				t.Errorf("%d, %v", n, err)
			case tt.wrong != "" && (err == nil || !strings.Contains(err.Error(), tt.wrong)):
				t.Errorf("%v, want %q in it", err, tt.wrong)
			}
		})
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(`{"result":{"round":3,"endpoints":["x"]}}`)
	f.Add(`{"error":{}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = serve(t, text).Info(t.Context())
	})
}

func TestKeysAreTheSameForEver(t *testing.T) {
	t.Parallel()
	// Documents and other programs name these addresses.
	for want, got := range map[string]string{
		"0x7988762d57DEc7d9B3301f4F978656737FC22529": control.Address(control.AccountKey(0)).Hex(),
		"0x52ff35AED8335DA4c412bF9089E19E636a4a907F": control.Address(control.DeployerKey()).Hex(),
	} {
		if !strings.EqualFold(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if control.Address(control.OrchestratorKey(1)) == control.Address(control.DelegatorKey(1, 0)) {
		t.Error("an orchestrator is its own delegator")
	}
}

func TestFaultsAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(control.Fault{Kind: control.Slow, Duration: control.Duration(250 * time.Millisecond)})
	if err != nil || string(text) != `{"kind":"slow","duration":"250ms"}` {
		t.Errorf("%s, %v", text, err)
	}
	var back control.Fault
	if err := json.Unmarshal(text, &back); err != nil || time.Duration(back.Duration) != 250*time.Millisecond {
		t.Errorf("%+v, %v", back, err)
	}
}
