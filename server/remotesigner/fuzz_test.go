package remotesigner_test

import (
	"testing"

	"github.com/tuttinode/tutti/core/signature"
)

// A state that bears the signer's own signature, as another version of it may have written it, is taken or refused.
func FuzzSignedState(f *testing.F) {
	r := begin(f, f.TempDir(), change{limit: "1000000000000000"})
	f.Add([]byte(`{"StateID":"a","Balance":"0","OrchestratorAddress":"0x00","Type":"live"}`))
	f.Add([]byte(`{"StateID":"a","Balance":"1/0","LastUpdate":"2026-01-01T00:00:00Z","SequenceNumber":1e99}`))
	f.Add([]byte(`{"StateID":"a","Balance":"1e1000001","SenderNonce":-1}`))
	f.Add([]byte(`null`))
	orchestrator := offer(f, nil)
	f.Fuzz(func(t *testing.T, text []byte) {
		sig, err := signature.EthSign(r.key, text)
		if err != nil {
			t.Fatal(err)
		}
		body := mustJSON(map[string]any{"orchestrator": orchestrator, "type": "live", "ManifestID": "m",
			"state": state{text, sig}})
		if a := r.post(t, "/generate-live-payment", []byte(body)); a.status >= 500 || a.status != 200 && a.error == "" {
			t.Errorf("%d %s", a.status, a.text)
		}
	})
}
