package aiapi

import "testing"

// Whatever a client sends, the times are within the bounds, or the text is refused.
func FuzzParseTimeouts(f *testing.F) {
	for _, text := range []string{"30s", "first=5s,total=2m", "1e3", "first=-1", "total=NaN,first=0x1p-2", ","} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseTimeouts(text)
		if err == nil && (got == timeouts{}) || got.first < 0 || got.total < 0 || got.first > maxTimeout ||
			got.total > maxTimeout {
			t.Errorf("%q: %+v, %v", text, got, err)
		}
	})
}
