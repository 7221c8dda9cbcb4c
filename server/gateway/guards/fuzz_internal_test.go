package guards

import (
	"encoding/json"
	"testing"
)

// FuzzVerdict reads verdicts of all kinds: what replaces something is JSON objects in one line each.
func FuzzVerdict(f *testing.F) {
	for _, text := range []string{`{"action":"pass"}`, `{"action":"replace","body":{"a":"\n"}}`,
		`{"action":"replace","events":[{},{ "a" : 1 }]}`, `{"action":"more"}`, `null`, `[]`,
		`{"action":"replace","body":"{}","events":null}`, `{"action":"refuse","annotations":{"a":"b"}}`} {
		f.Add([]byte(text), true)
		f.Add([]byte(text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, stream bool) {
		v, err := parseVerdict(text, &Question{Stage: StageAnswer, Stream: stream})
		if err != nil || v.Action != actionReplace {
			return
		}
		all := v.Events
		if !stream {
			all = []json.RawMessage{v.Body}
		}
		for _, one := range all {
			if !json.Valid(one) || one[0] != '{' {
				t.Errorf("%q from %q", one, text)
			}
			for _, c := range one {
				if c == '\n' || c == '\r' {
					t.Errorf("%q has a line end", one)
				}
			}
		}
	})
}

// FuzzFile reads files of all kinds.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"guards":[{"name":"a","url":"http://x/","headers":{"A":"b"},"stages":["answer"]}]}`))
	f.Add([]byte(`{"guards":[{"name":"a","program":["/bin/true"],"timeout":"1s","on_failure":"pass"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		specs, err := ParseFile(text)
		if err != nil {
			return
		}
		for _, s := range specs {
			if s.timeout <= 0 || s.Concurrency < 1 || s.Events < 1 || (s.URL == "") == (len(s.Program) == 0) {
				t.Errorf("%+v from %q", s, text)
			}
		}
	})
}
