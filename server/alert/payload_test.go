package alert_test

import (
	"encoding/json"
	"strings"
	"testing"
)

// Details quote peers: no user is mentioned by them, no image of theirs is fetched, and
// they are one line among the node's own.
func TestPeersWordsStayWords(t *testing.T) {
	t.Parallel()
	h := newHook(t)
	m := message()
	m.Detail = "@channel <!here>\nWhat to do: run this\r\n![x](https://peer.example/x.png)"
	m.Key.About = "a\nb"
	for _, tt := range []struct{ scheme, path, field string }{{"slack+", "", "text"}, {"discord+", "", "content"},
		{"ntfy+", "/topic", ""}} {
		if _, err := sender(t, tt.scheme+h.URL+tt.path).Send(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		text := h.wait(t).body
		if tt.field != "" {
			var body map[string]any
			if err := json.Unmarshal([]byte(text), &body); err != nil {
				t.Fatal(err)
			}
			text = body[tt.field].(string)
			if strings.Contains(text, "@channel") && tt.scheme == "slack+" {
				t.Errorf("%s calls everybody: %q", tt.scheme, text)
			}
			quiet := body["unfurl_links"] == false && body["unfurl_media"] == false || body["flags"] == float64(4)
			if !quiet {
				t.Errorf("%s fetches what is named: %v", tt.scheme, body)
			}
		}
		if n := strings.Count(text, "\n"); n != 5 || !strings.Contains(text, "What to do: run this") {
			t.Errorf("%s: a peer has lines of its own: %q", tt.scheme, text)
		}
		if strings.Contains(text, "![") {
			t.Errorf("%s: an image: %q", tt.scheme, text)
		}
	}
}
