package responses

import (
	"bytes"
	"encoding/json"
	"testing"
)

// Arrays in compact form are read as package json reads them.
func FuzzElements(f *testing.F) {
	for _, text := range []string{`[]`, `[1,"a,]\"\\",{"id":"x","b":[1,{"c":"}"}]},[]]`, `["\\"]`, `[null]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var got []json.RawMessage
		for raw := range elements(text) { // whatever it is, it ends
			got = append(got, raw)
		}
		var want []json.RawMessage
		var compact bytes.Buffer
		if json.Unmarshal(text, &want) != nil || want == nil || json.Compact(&compact, text) != nil {
			return
		}
		got = nil
		for raw := range elements(compact.Bytes()) {
			got = append(got, raw)
		}
		if len(got) != len(want) {
			t.Fatalf("%d elements, and not %d", len(got), len(want))
		}
		for i := range want {
			var one bytes.Buffer
			if json.Compact(&one, want[i]) != nil || !bytes.Equal(one.Bytes(), got[i]) {
				t.Fatalf("element %d is %s and not %s", i, got[i], want[i])
			}
		}
	})
}
