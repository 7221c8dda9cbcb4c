package livevideo_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tuttinode/tutti/server/livevideo"
)

// FuzzReaddress reads requests of all kinds: what a runner gets leads to channels at the given address alone.
func FuzzReaddress(f *testing.F) {
	for _, text := range []string{"", "null", "{}", `{"manifest_id":"0123456789abcdef0123456789ABCDEF","params":{"a":1}}`,
		`{"manifest_id":"../../0123456789abcdef01234567","subscribe_url":"http://169.254.169.254/"}`,
		`{"manifest_id":"0123456789abcdef0123456789abcdef","control_url":"file:///etc/passwd","stream_id":"s"}`} {
		f.Add([]byte(text))
	}
	const base = "https://orch.test:8935" + livevideo.ChannelPath
	f.Fuzz(func(t *testing.T, data []byte) {
		body, err := livevideo.Readdress(data, "https://orch.test:8935")
		if err != nil {
			return
		}
		var r livevideo.RunnerRequest
		if err := json.Unmarshal(body, &r); err != nil {
			t.Fatal(err)
		}
		for url, suffix := range map[string]string{
			r.Subscribe: "", r.Publish: "-out", r.Control: "-control", r.Events: "-events",
		} {
			id, found := strings.CutPrefix(url, base)
			if id = strings.TrimSuffix(id, suffix); !found || id != r.ID || len(id) != 32 || strings.ContainsAny(id, "/.%?#") {
				t.Errorf("%q leads to %q", data, url)
			}
		}
	})
}
