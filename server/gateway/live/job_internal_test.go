package live

import "testing"

// An orchestrator names channels of its own listener, and of nothing else on its host.
func TestChannelsAreAtTheOrchestrator(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"/ai/trickle/a":                          "https://o.example:8935/ai/trickle/a",
		"https://o.example:8935/ai/trickle/a":    "https://o.example:8935/ai/trickle/a",
		"https://o.example:8935/a?b=c#d":         "https://o.example:8935/a",
		"":                                       "",
		"https://o.example:7935/ai/trickle/a":    "",
		"https://o.example/ai/trickle/a":         "",
		"http://o.example:8935/ai/trickle/a":     "",
		"https://other.example:8935/a":           "",
		"https://user@o.example:8935/a":          "",
		"ftp://o.example:8935/a":                 "",
		"//other.example:8935/a":                 "",
		"https://o.example:8935@other.example/a": "",
	} {
		got, err := channelURL("https://o.example:8935", ref)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", ref, got, err)
		}
	}
	if got, err := channelURL("https://o.example", "https://o.example:443/a"); err != nil {
		t.Error("the scheme's own port:", got, err)
	}
}
