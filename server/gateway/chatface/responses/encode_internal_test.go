package responses

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// A string is what encoding/json makes of it, whatever bytes it has.
func TestStringsAreJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		if rapid.Bool().Draw(t, "text") {
			s = rapid.String().Draw(t, "string")
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var got, want string
		if err := json.Unmarshal(appendString(nil, s), &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if err := json.Unmarshal(text, &want); err != nil || got != want {
			t.Fatalf("%q, not %q", got, want)
		}
		if other := appendString(nil, []byte(s)); string(other) != string(appendString(nil, s)) {
			t.Fatalf("bytes are written otherwise: %s", other)
		}
	})
}
